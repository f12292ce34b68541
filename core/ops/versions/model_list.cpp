#include "core/ops/versions/model_list.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <optional>

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

Result<void> checkModel(const ListedModel& model) {
  if (model.name.empty()) return fail(ErrorCode::InvalidArgument, "NAME is missing");
  STRATA_TRY(checkName(model.name));
  if (model.file.empty()) return fail(ErrorCode::InvalidArgument, "FILE is missing");
  if (isRemoteUrl(model.file) || model.file == "-") {
    return fail(ErrorCode::InvalidArgument,
                model.file + ": a list takes files and folders of this machine alone");
  }
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

Result<std::vector<ListedModel>> readModelList(std::string_view text, const std::string& source) {
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
  if (auto checked = checkModelList(models); !checked) {
    return fail(checked.error().within(source));
  }
  return models;
}

Result<void> checkModelList(const std::vector<ListedModel>& models) {
  if (models.empty()) return fail(ErrorCode::InvalidArgument, "lists no models");
  std::map<std::string_view, std::size_t> lines;
  for (const ListedModel& model : models) {
    if (auto checked = checkModel(model); !checked) {
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

std::vector<ListedModel> modelsOf(const std::vector<ListedModel>& models, const Shard& shard) {
  std::vector<ListedModel> mine;
  for (std::size_t place = 0; place < models.size(); ++place) {
    if (place % shard.count == shard.index) mine.push_back(models[place]);
  }
  return mine;
}

}  // namespace strata
