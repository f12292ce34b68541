#include "core/text/json_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace strata {

using nlohmann::json;

namespace {

/// Builds a document from the parser's events and watches over its depth and its values. (The
/// library's parser with a callback looks through a whole list whenever one of its objects ends.)
class GuardedReader final : public json::json_sax_t {
 public:
  GuardedReader() = default;
  GuardedReader(std::string_view key, const JsonMemberSink& sink) : key_(key), sink_(&sink) {}

  bool null() override { return take(nullptr); }
  bool boolean(bool value) override { return take(value); }
  bool number_integer(number_integer_t value) override { return take(value); }
  bool number_unsigned(number_unsigned_t value) override { return take(value); }
  bool number_float(number_float_t value, const string_t&) override { return take(value); }
  bool string(string_t& value) override { return take(std::move(value)); }
  bool binary(binary_t& value) override { return take(json(std::move(value))); }
  bool start_object(std::size_t) override { return begin(json::object()); }
  bool start_array(std::size_t) override {
    isInside_ = isInside_ && open_.size() > 1;
    return begin(json::array());
  }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }

  bool key(string_t& name) override {
    if (open_.size() == 1) {
      isInside_ = sink_ != nullptr && name == key_;
      isTwice_ = isInside_ && std::exchange(hasCome_, true);
      if (isTwice_) return false;
    }
    if (isMember()) {
      slot_ = &member_;
      name_ = std::move(name);
      keptEvents_ = events_;
    } else {
      slot_ = &(*open_.back())[name];
    }
    return count();
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    isNoJson_ = true;
    return false;
  }

  Result<json> judge(std::string_view what) {
    if (isTooDeep_) {
      return fail(ErrorCode::CorruptData,
                  fmt::format("{}: is nested deeper than {} levels", what, kMaxDepth));
    }
    if (events_ > kMaxEvents) {
      return fail(ErrorCode::CorruptData,
                  fmt::format("{}: holds more than {} values", what, kMaxEvents / 2));
    }
    if (isTwice_) {
      return fail(ErrorCode::CorruptData,
                  fmt::format("{}: has the member \"{}\" more than once", what, key_));
    }
    if (isNoJson_) return fail(ErrorCode::CorruptData, fmt::format("{}: is no JSON", what));
    return std::move(root_);
  }

 private:
  static constexpr std::size_t kMaxDepth = 64;
  // A value takes some 30 times the bytes of the shortest text for it.
  static constexpr std::size_t kMaxEvents = 10'000'000;

  /// Whether what comes now is a member of the object under the key.
  bool isMember() const noexcept { return isInside_ && open_.size() == 2; }

  bool count() noexcept { return ++events_ <= kMaxEvents; }

  json* place(json value) {
    if (open_.empty()) {
      slot_ = &root_;
    } else if (open_.back()->is_array()) {
      return &open_.back()->emplace_back(std::move(value));
    }
    *slot_ = std::move(value);
    return slot_;
  }

  bool take(json value) {
    place(std::move(value));
    giveMember();
    return count();
  }

  bool begin(json value) {
    isTooDeep_ = open_.size() >= kMaxDepth;
    if (isTooDeep_) return false;
    open_.push_back(place(std::move(value)));
    return count();
  }

  bool end() {
    open_.pop_back();
    giveMember();
    return count();
  }

  void giveMember() {
    if (!isMember()) return;
    if (!isOver_) isOver_ = !(*sink_)(name_, member_);
    member_ = nullptr;
    events_ = keptEvents_;
  }

  std::string_view key_;
  const JsonMemberSink* sink_ = nullptr;  ///< borrowed
  json root_;
  json member_;                 ///< of the object under the key, while it is read
  std::string name_;            ///< its name
  std::vector<json*> open_;     ///< objects and arrays that have not ended, outermost first
  json* slot_ = nullptr;        ///< of the last key's value
  std::size_t events_ = 0;      ///< of what is in memory
  std::size_t keptEvents_ = 0;  ///< of them, those outside of the member
  bool isInside_ = false;       ///< in or right before the object under the key
  bool hasCome_ = false;        ///< the key
  bool isTwice_ = false;        ///< the key has come before
  bool isOver_ = false;         ///< the sink wants no more
  bool isTooDeep_ = false;
  bool isNoJson_ = false;
};

Result<json> parseGuarded(std::string_view text, std::string_view what, GuardedReader reader) {
  json::sax_parse(text, &reader);
  return reader.judge(what);
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
