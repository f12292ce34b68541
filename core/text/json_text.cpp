#include "core/text/json_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace strata {

using nlohmann::json;

Result<json> parseJson(std::string_view text, std::string_view what) {
  constexpr int kMaxDepth = 64;
  // A value takes some 30 times the bytes of the shortest text for it.
  constexpr std::size_t kMaxEvents = 10'000'000;
  bool isTooDeep = false;
  std::size_t events = 0;
  const json::parser_callback_t guard = [&](int depth, json::parse_event_t, json&) {
    isTooDeep = isTooDeep || depth > kMaxDepth;
    return !isTooDeep && ++events <= kMaxEvents;
  };
  json value = json::parse(text, guard, false);
  if (isTooDeep) {
    return fail(ErrorCode::CorruptData,
                fmt::format("{}: is nested deeper than {} levels", what, kMaxDepth));
  }
  if (events > kMaxEvents) {
    return fail(ErrorCode::CorruptData,
                fmt::format("{}: holds more than {} values", what, kMaxEvents / 2));
  }
  if (value.is_discarded()) {
    return fail(ErrorCode::CorruptData, fmt::format("{}: is no JSON", what));
  }
  return value;
}

const json& anyMember(const json& object, const char* key) {
  static const json null;
  const auto found = object.find(key);  // the end where it is no object
  return found == object.end() ? null : *found;
}

std::optional<std::string> textMember(const json& object, const char* key) {
  const json& member = anyMember(object, key);
  if (!member.is_string()) return std::nullopt;
  return member.get<std::string>();
}

std::optional<std::uint64_t> countMember(const json& object, const char* key) {
  const json& member = anyMember(object, key);
  if (!member.is_number_unsigned()) return std::nullopt;
  return member.get<std::uint64_t>();
}

const json& listMember(const json& object, const char* key) {
  static const json none = json::array();
  const json& member = anyMember(object, key);
  return member.is_array() ? member : none;
}

}  // namespace strata
