#include "hub/huggingface/hf_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/text/json_text.h"
#include "hub/http/url.h"

namespace strata::hub {
namespace {

using nlohmann::json;
using Kind = FoundModel::Kind;

constexpr std::size_t kMostPerPage = 100;
constexpr std::array<const char*, 7> kExpanded{"downloads", "gated", "lastModified", "likes",
                                               "private",   "tags",  "usedStorage"};

std::string queryText(const ModelQuery& query, const std::string& author) {
  std::string text =
      fmt::format("?limit={}", std::min(std::max<std::size_t>(query.limit, 1), kMostPerPage));
  const auto add = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) text += fmt::format("&{}={}", key, encodeSegment(value));
  };
  add("search", query.words);
  add("author", author);
  if (query.onlyStrata) add("filter", "strata");
  if (!query.baseModel.empty()) add("filter", "base_model:" + query.baseModel);
  if (!query.license.empty()) add("filter", "license:" + query.license);
  if (query.sort == ModelQuery::Sort::Downloads) add("sort", "downloads");
  if (query.sort == ModelQuery::Sort::Likes) add("sort", "likes");
  if (query.sort == ModelQuery::Sort::Updated) add("sort", "lastModified");
  for (const char* const property : kExpanded) add("expand", property);
  return text;
}

bool isOn(const json& entry, const char* key) {
  const auto found = entry.find(key);
  return found != entry.end() && found->is_boolean() && found->get<bool>();
}

/// Tags hold what the list has no field for: "onnx", "license:mit", "base_model:acme/base".
void readTags(const json& entry, FoundModel& model) {
  constexpr std::string_view kLicense = "license:";
  constexpr std::string_view kBase = "base_model:";
  bool isOnnx = false;
  bool isSafetensors = false;
  for (const json& tag : listMember(entry, "tags")) {
    if (!tag.is_string()) continue;
    const std::string text = tag.get<std::string>();
    if (text == "strata") model.kind = Kind::Strata;
    isOnnx = isOnnx || text == "onnx";
    isSafetensors = isSafetensors || text == "safetensors";
    if (text.starts_with(kLicense)) model.license = text.substr(kLicense.size());
    // "base_model:finetune:acme/base" says the same once more.
    const bool isBase = text.starts_with(kBase) && text.find(':', kBase.size()) == text.npos;
    if (isBase) model.baseModels.push_back(text.substr(kBase.size()));
  }
  if (model.kind == Kind::Strata) return;
  model.kind = isOnnx ? Kind::Onnx : isSafetensors ? Kind::Safetensors : Kind::Other;
}

/// Nothing for what is no model of the hub.
std::optional<FoundModel> readModel(const json& entry) {
  const auto id = textMember(entry, "id");
  if (!id || !HfRepository::parse("hf://" + *id)) return std::nullopt;
  FoundModel model{.url = "hf://" + *id};
  readTags(entry, model);
  model.byteCount = countMember(entry, "usedStorage");
  model.downloads = countMember(entry, "downloads");
  model.likes = countMember(entry, "likes");
  model.updatedAt = textMember(entry, "lastModified").value_or("").substr(0, 10);
  // false, "auto" or "manual".
  model.isGated = textMember(entry, "gated").has_value() || isOn(entry, "gated");
  model.isPrivate = isOn(entry, "private");
  return model;
}

}  // namespace

Result<std::vector<FoundModel>> HfSearch::find(const ModelQuery& query, std::stop_token stop) {
  std::vector<FoundModel> found;
  const auto take = [&](const json& entry) {
    if (auto model = readModel(entry)) found.push_back(*std::move(model));
  };
  STRATA_TRY(api_->listModels(queryText(query, author_), query.limit, take, stop));
  return found;
}

}  // namespace strata::hub
