#include "core/text/json_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace strata {

using nlohmann::json;

namespace {

/// Watches over a document while it is parsed.
class JsonGuard {
 public:
  JsonGuard() = default;
  JsonGuard(std::string_view key, const JsonMemberSink& sink) : key_(key), sink_(&sink) {}

  /// Whether what was parsed is to be kept.
  bool passes(int depth, json::parse_event_t event, const json& parsed) {
    isTooDeep_ = isTooDeep_ || depth > kMaxDepth;
    if (isTooDeep_ || (isOver_ && depth > 1) || ++events_ > kMaxEvents) return false;
    return sink_ == nullptr || !isTaken(depth, event, parsed);
  }

  Result<json> judge(json value, std::string_view what) const {
    if (isTooDeep_) {
      return fail(ErrorCode::CorruptData,
                  fmt::format("{}: is nested deeper than {} levels", what, kMaxDepth));
    }
    if (events_ > kMaxEvents) {
      return fail(ErrorCode::CorruptData,
                  fmt::format("{}: holds more than {} values", what, kMaxEvents / 2));
    }
    if (value.is_discarded()) {
      return fail(ErrorCode::CorruptData, fmt::format("{}: is no JSON", what));
    }
    return value;
  }

 private:
  static constexpr int kMaxDepth = 64;
  // A value takes some 30 times the bytes of the shortest text for it.
  static constexpr std::size_t kMaxEvents = 10'000'000;

  /// Whether a member of the object under the key has ended, and went to the sink.
  bool isTaken(int depth, json::parse_event_t event, const json& parsed) {
    using Event = json::parse_event_t;
    if (depth == 1 && event == Event::key) isInside_ = textOf(parsed) == key_;
    if (depth == 1 && event == Event::array_start) isInside_ = false;
    if (depth != 2 || !isInside_) return false;
    if (event == Event::key) name_ = textOf(parsed);
    if (event != Event::value && event != Event::object_end && event != Event::array_end) {
      return false;
    }
    isOver_ = !(*sink_)(name_, parsed);
    events_ = 0;
    return true;
  }

  static const std::string& textOf(const json& key) { return key.get_ref<const std::string&>(); }

  std::string_view key_;
  const JsonMemberSink* sink_ = nullptr;  ///< borrowed
  bool isTooDeep_ = false;
  bool isOver_ = false;     ///< the sink wants no more
  std::size_t events_ = 0;  ///< since the last member that was taken
  bool isInside_ = false;   ///< the object under the key
  std::string name_;
};

Result<json> parseGuarded(std::string_view text, std::string_view what, JsonGuard guard) {
  const json::parser_callback_t watch = [&](int depth, json::parse_event_t event, json& parsed) {
    return guard.passes(depth, event, parsed);
  };
  return guard.judge(json::parse(text, watch, false), what);
}

}  // namespace

Result<json> parseJson(std::string_view text, std::string_view what) {
  return parseGuarded(text, what, {});
}

Result<json> parseJsonMembers(std::string_view text, std::string_view what, std::string_view key,
                              const JsonMemberSink& sink) {
  return parseGuarded(text, what, {key, sink});
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
