#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace strata {

/// How the value of a field is written in protobuf's wire format.
enum class WireType : std::uint32_t {
  Varint = 0,
  Fixed64 = 1,
  Run = 2,  ///< a length and so many bytes: strings, messages, packed numbers
  GroupBegin = 3,
  GroupEnd = 4,
  Fixed32 = 5,
};

constexpr std::uint32_t wireTag(std::uint32_t field, WireType type) noexcept {
  return field << 3U | static_cast<std::uint32_t>(type);
}

/// Reads the fields of one message from untrusted bytes, as far as they are sound. Takes what
/// protobuf's own parser takes.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) noexcept : bytes_(bytes) {}

  /// Of the next field; 0 at the end, and where the bytes are none of a message.
  std::uint32_t tag() noexcept;
  /// The value of the field whose tag was read; 0 or empty where the bytes are none.
  std::uint64_t varint() noexcept { return number(kMostVarintBytes); }
  std::uint64_t fixed64() noexcept { return fixed(sizeof(std::uint64_t)); }
  double fixedDouble() noexcept { return std::bit_cast<double>(fixed64()); }
  float fixedFloat() noexcept {
    return std::bit_cast<float>(static_cast<std::uint32_t>(fixed(sizeof(std::uint32_t))));
  }
  std::string_view run() noexcept;
  /// Goes over the value of the field with this tag; the field's bytes, its tag being the first.
  std::string_view skip(std::uint32_t tag) noexcept;

  bool atEnd() const noexcept { return at_ == bytes_.size(); }
  bool failed() const noexcept { return failed_; }

 private:
  static constexpr int kMostVarintBytes = 10;
  static constexpr int kMostShortBytes = 5;  ///< of a tag or a length
  static constexpr int kMostGroups = 100;    ///< one in the other

  std::uint64_t number(int mostBytes) noexcept;
  std::uint64_t fixed(std::size_t byteCount) noexcept;
  void skipValue(std::uint32_t tag, int groups) noexcept;
  void skipGroup(std::uint32_t field, int groups) noexcept;
  std::string_view take(std::uint64_t byteCount) noexcept;
  void fail() noexcept;

  std::string_view bytes_;
  std::size_t at_ = 0;
  std::size_t fieldAt_ = 0;  ///< where the last tag began
  bool failed_ = false;
};

/// Writes the fields of messages one after the other, as protobuf does: values that are 0 or empty
/// are left out.
class WireWriter {
 public:
  void reserve(std::size_t byteCount) { bytes_.reserve(byteCount); }
  void number(std::uint32_t field, std::uint64_t value);
  void fixed64(std::uint32_t field, std::uint64_t value);
  void real(std::uint32_t field, float value);
  void real(std::uint32_t field, double value);
  void run(std::uint32_t field, std::string_view value);
  /// An entry of a list, empty or not.
  void entry(std::uint32_t field, std::string_view value);
  /// Bytes of fields, as a reader skipped them.
  void fields(std::string_view bytes) { bytes_ += bytes; }
  /// A message, also one without fields; `write` writes them.
  template <typename Write>
  void message(std::uint32_t field, Write&& write) {
    tag(field, WireType::Run);
    const std::size_t at = bytes_.size();
    write();
    insertLength(at);
  }
  /// A number of a packed list.
  void packed(std::uint64_t value) { varint(value); }

  const std::string& bytes() const noexcept { return bytes_; }
  std::string take() noexcept { return std::move(bytes_); }

 private:
  void tag(std::uint32_t field, WireType type) { varint(wireTag(field, type)); }
  void varint(std::uint64_t value);
  void insertLength(std::size_t at);

  std::string bytes_;
};

}  // namespace strata
