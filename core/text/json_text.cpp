#include "core/text/json_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace strata {

using nlohmann::json;

Result<json> parseJson(std::string_view text, std::string_view what) {
  constexpr int kMaxDepth = 64;
  bool isTooDeep = false;
  const json::parser_callback_t guard = [&](int depth, json::parse_event_t, json&) {
    isTooDeep = isTooDeep || depth > kMaxDepth;
    return !isTooDeep;
  };
  json value = json::parse(text, guard, false);
  if (isTooDeep) {
    return fail(ErrorCode::CorruptData,
                fmt::format("{}: is nested deeper than {} levels", what, kMaxDepth));
  }
  if (value.is_discarded()) {
    return fail(ErrorCode::CorruptData, fmt::format("{}: is no JSON", what));
  }
  return value;
}

std::optional<std::string> textMember(const json& object, const char* key) {
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

std::optional<std::uint64_t> countMember(const json& object, const char* key) {
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_unsigned()) return std::nullopt;
  return found->get<std::uint64_t>();
}

const json& listMember(const json& object, const char* key) {
  static const json none = json::array();
  if (!object.is_object()) return none;
  const auto found = object.find(key);
  return found == object.end() || !found->is_array() ? none : *found;
}

}  // namespace strata
