#include "core/transfer/ref_index.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/text/json_text.h"

namespace strata {

using nlohmann::json;

bool RefIndex::apply(std::span<const RefUpdate> updates) {
  for (const RefUpdate& update : updates) {
    const auto current = refs.find(update.name);
    const bool isThere = current != refs.end();
    const bool isDone = isThere && current->second == update.text;
    const bool isExpected =
        isThere ? update.expected && current->second == *update.expected : !update.expected;
    if (!isDone && !isExpected) return false;
  }
  for (const RefUpdate& update : updates) refs[update.name] = update.text;
  return true;
}

std::string serializeRefIndex(const RefIndex& index) {
  std::string text = fmt::format("{{\"format\":{},\"refs\":{{", kIndexFormat);
  std::string_view separator = "\n";
  for (const auto& [name, ref] : index.refs) {
    text += fmt::format("{}{}:{}", separator, json(name).dump(), ref);
    separator = ",\n";
  }
  return text + "\n}}\n";
}

Result<RefIndex> parseRefIndex(std::string_view text, std::string_view what) {
  STRATA_TRY(const json document, parseJson(text, what));
  const auto format = countMember(document, "format");
  const auto refs = document.is_object() ? document.find("refs") : document.end();
  if (!format || refs == document.end() || !refs->is_object()) {
    return fail(ErrorCode::CorruptData, fmt::format("{}: is no index of a Strata remote", what));
  }
  if (*format > kIndexFormat) {
    return fail(ErrorCode::FormatTooNew, fmt::format("{}: has format {}, this program reads {}",
                                                     what, *format, kIndexFormat));
  }
  if (refs->size() > kMaxRefs) {
    return fail(ErrorCode::CorruptData, fmt::format("{}: lists {} refs, at most {} are allowed",
                                                    what, refs->size(), kMaxRefs));
  }
  RefIndex index;
  for (const auto& [name, ref] : refs->items()) {
    if (!ref.is_object()) {
      return fail(ErrorCode::CorruptData, fmt::format("{}: a ref is no JSON object", what));
    }
    index.refs.emplace(name, ref.dump());
  }
  return index;
}

}  // namespace strata
