#include "core/ops/versions/model_list.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <optional>
#include <span>

#include "core/digest.h"
#include "core/store/refs/reference.h"
#include "core/text/wording.h"
#include "core/transfer/remote_config.h"

namespace strata {
namespace {

/// Nothing unless all of `text` is one number.
std::optional<std::uint64_t> wholeNumber(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> fieldsOf(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t tab = line.find('\t');
    fields.push_back(line.substr(0, tab));
    if (tab == line.npos) return fields;
    line.remove_prefix(tab + 1);
  }
}

Error within(std::size_t line, Error error) { return error.within(fmt::format("line {}", line)); }

Result<void> checkPlace(const std::string& url, const UrlCheck& checkUrl) {
  if (checkUrl) return checkUrl(url);
  return fail(ErrorCode::InvalidArgument,
              url + ": a list takes files and folders of this machine alone");
}

Result<void> checkModel(const ListedModel& model, const UrlCheck& checkUrl) {
  if (model.name.empty()) return fail(ErrorCode::InvalidArgument, "NAME is missing");
  STRATA_TRY(checkName(model.name));
  if (model.file.empty()) return fail(ErrorCode::InvalidArgument, "FILE is missing");
  if (model.file == "-") return fail(ErrorCode::InvalidArgument, "-: no line takes stdin");
  if (isRemoteUrl(model.file)) STRATA_TRY(checkPlace(model.file, checkUrl));
  if (isRemoteUrl(model.base)) return checkPlace(model.base, checkUrl);
  if (!model.base.empty()) STRATA_TRY(parseReference(model.base));
  return {};
}

}  // namespace

Result<Shard> parseShard(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto index = wholeNumber(text.substr(0, slash));
  const auto count = slash == text.npos ? std::nullopt : wholeNumber(text.substr(slash + 1));
  if (!index || !count) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("is \"{}\", expected I/N with I from 0: 0/4", text));
  }
  if (*index >= *count) {
    return fail(ErrorCode::InvalidArgument,
                *count == 0 ? fmt::format("is \"{}\", and there is no shard of none", text)
                            : fmt::format("is \"{}\", and the last one of {} is {}/{}", text,
                                          wordCount(*count, "shard"), *count - 1, *count));
  }
  return Shard{*index, *count};
}

Result<std::vector<ListedModel>> readModelList(std::string_view text, const std::string& source,
                                               const UrlCheck& checkUrl) {
  std::vector<ListedModel> models;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::vector<std::string_view> fields = fieldsOf(line);
    const std::size_t number = models.size() + 1;
    if (fields.size() < 2 || fields.size() > 3) {
      const Error error{ErrorCode::InvalidArgument,
                        fmt::format("has {}, expected NAME, FILE and perhaps BASE, with tabs "
                                    "between them",
                                    wordCount(line.empty() ? 0 : fields.size(), "field"))};
      return fail(within(number, error).within(source));
    }
    models.push_back({.name = std::string(fields[0]),
                      .file = std::string(fields[1]),
                      .base = fields.size() > 2 ? std::string(fields[2]) : std::string(),
                      .line = number});
  }
  if (auto checked = checkModelList(models, checkUrl); !checked) {
    return fail(checked.error().within(source));
  }
  return models;
}

Result<void> checkModelList(const std::vector<ListedModel>& models, const UrlCheck& checkUrl) {
  if (models.empty()) return fail(ErrorCode::InvalidArgument, "lists no models");
  std::map<std::string_view, std::size_t> lines;
  for (const ListedModel& model : models) {
    if (auto checked = checkModel(model, checkUrl); !checked) {
      return fail(within(model.line, std::move(checked).error()));
    }
    const auto [first, isNew] = lines.emplace(model.name, model.line);
    if (!isNew) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("line {}: {} stands in line {}, too, and workers would give its "
                              "versions one number",
                              model.line, model.name, first->second));
    }
  }
  return {};
}

std::string nameOfBase(std::string_view url) {
  constexpr std::size_t kMostBytes = 60;
  url = url.substr(0, url.find_first_of("?#"));
  const std::string hash = shortHex(sha256(std::as_bytes(std::span(url))));
  while (url.ends_with('/')) url.remove_suffix(1);
  std::string_view word = url.substr(url.rfind('/') + 1);
  word = word.substr(0, word.rfind('.')).substr(0, kMostBytes);
  std::string name;
  for (const char c : word) {
    const bool isPlain =
        (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
    if (isPlain || (!name.empty() && (c == '.' || c == '-'))) name += c;
  }
  return fmt::format("bases/{}-{}", name.empty() ? "model" : name, hash);
}

std::vector<ListedModel> modelsOf(const std::vector<ListedModel>& models, const Shard& shard) {
  std::vector<ListedModel> mine;
  for (std::size_t place = 0; place < models.size(); ++place) {
    if (place % shard.count == shard.index) mine.push_back(models[place]);
  }
  return mine;
}

}  // namespace strata
