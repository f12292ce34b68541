#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/archive/detail/wire_format.h"
#include "core/digest.h"
#include "core/model/rare_text.h"
#include "core/result.h"
#include "core/text/utf8_check.h"

namespace strata {

/// How often a message has each of its fields of a length, so that lists need no room to grow.
class EntryCounts {
 public:
  explicit EntryCounts(std::string_view message) {
    WireReader in(message);
    while (const std::uint32_t tag = in.tag()) {
      in.skip(tag);
      const std::uint32_t field = tag >> 3U;
      if (tag == wireTag(field, WireType::Run) && field < counts_.size()) ++counts_[field];
    }
  }

  std::size_t of(std::uint32_t field) const noexcept { return counts_[field]; }

 private:
  std::array<std::size_t, 32> counts_{};
};

/// Reads fields of untrusted messages into structs. Counts the memory that they take before it
/// takes it. The first problem is kept and ends the reading. Functions that read a value return
/// true, so that a `switch` over tags can say in one line what a field is.
class FieldReader {
 public:
  enum class Texts { Checked, AsTheyAre };

  explicit FieldReader(std::uint64_t mostBytes, Texts texts = Texts::Checked)
      : mostBytes_(mostBytes), bytesLeft_(mostBytes), checksTexts_(texts == Texts::Checked) {}

 protected:
  bool hasFailed() const noexcept { return problem_.has_value(); }
  Result<void> outcome() const { return problem_ ? Result<void>(fail(*problem_)) : Result<void>(); }

  void refuse(ErrorCode code, std::string what) {
    if (!problem_) problem_ = Error{code, "manifest: " + what};
  }

  void takeMemory(std::uint64_t bytes) {
    if (bytes > bytesLeft_) {
      refuse(ErrorCode::LimitExceeded,
             fmt::format("its entries take more than {} bytes", mostBytes_));
    }
    bytesLeft_ -= std::min(bytes, bytesLeft_);
  }

  /// To be given back to once what took memory is gone.
  std::uint64_t bytesLeft() const noexcept { return bytesLeft_; }
  void giveBackTo(std::uint64_t bytesLeft) noexcept { bytesLeft_ = bytesLeft; }

  template <typename T>
  void makeRoom(std::vector<T>& list, std::size_t count) {
    takeMemory(count * sizeof(T));
    if (!problem_) list.reserve(list.size() + count);
  }

  /// Calls `known` with each field's tag; what it does not take is kept as unknown.
  template <typename Known>
  void eachField(std::string_view message, RareText& unknown, Known&& known) {
    WireReader in(message);
    while (const std::uint32_t tag = problem_ ? 0 : in.tag()) {
      if (!known(tag, in)) keep(in.skip(tag), unknown);
    }
    if (in.failed()) refuse(ErrorCode::CorruptData, "does not decode");
  }

  void keep(std::string_view fields, RareText& unknown) {
    takeMemory(fields.size() + sizeof(std::string));
    if (!problem_) unknown.append(fields);
  }

  bool text(std::string_view bytes, std::string& out) {
    if (checksTexts_ && !isUtf8(bytes)) refuse(ErrorCode::CorruptData, "does not decode");
    const bool isInPlace = bytes.size() <= out.capacity();
    if (!isInPlace) takeMemory(bytes.size());
    if (!problem_) out = bytes;
    return true;
  }

  bool rareText(std::string_view bytes, RareText& out) {
    if (checksTexts_ && !isUtf8(bytes)) refuse(ErrorCode::CorruptData, "does not decode");
    out = RareText();
    if (!bytes.empty()) keep(bytes, out);
    return true;
  }

  template <typename Value, typename Number>
  static bool number(Value value, Number& out) {
    out = static_cast<Number>(value);
    return true;
  }

  /// A message that comes twice is one: the fields of the second come behind those of the first.
  template <typename T>
  static T& presentIn(std::optional<T>& message) {
    return message ? *message : message.emplace();
  }

  /// A number that stands for one of a few; one that is none stays an unknown field.
  template <typename Enum>
  bool choice(WireReader& in, std::uint32_t tag, Enum& out, RareText& unknown) {
    WireReader value = in;
    const auto number = static_cast<std::uint32_t>(value.varint());
    if (number > std::numeric_limits<std::underlying_type_t<Enum>>::max()) {
      out = Enum{};
      keep(in.skip(tag), unknown);
    } else {
      out = static_cast<Enum>(number);
      in = value;
    }
    return true;
  }

  bool digest(std::string_view bytes, const char* what, Digest& out) {
    if (const auto digest = digestFromBytes(bytes)) {
      out = *digest;
    } else {
      refuse(ErrorCode::CorruptData, std::string(what) + " is cut");
    }
    return true;
  }

  bool parentDigest(std::string_view bytes, std::optional<Digest>& out) {
    out.reset();
    return bytes.empty() || digest(bytes, "parent digest", out.emplace());
  }

  /// A number that no version of the format gives to a type or codec is refused.
  template <typename Enum>
  bool id(WireReader& in, ErrorCode code, const char* what, Enum& out) {
    const auto number = static_cast<std::uint32_t>(in.varint());
    if (number > std::numeric_limits<std::uint8_t>::max()) {
      refuse(code, fmt::format("unknown {} {}", what, number));
    }
    out = static_cast<Enum>(number);
    return true;
  }

 private:
  std::uint64_t mostBytes_;
  std::uint64_t bytesLeft_;
  bool checksTexts_;
  std::optional<Error> problem_;
};

}  // namespace strata
