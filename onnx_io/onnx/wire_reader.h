#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "onnx_io/tensor_span.h"

namespace strata {

/// How protobuf wrote a field; the numbers are the format's.
enum class WireType : std::uint8_t {
  Varint = 0,
  Fixed64 = 1,
  Bytes = 2,
  Group = 3,  ///< the whole group, up to and without its end tag
  Fixed32 = 5,
};

/// One field of a protobuf message, found but not interpreted.
struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::Varint;
  std::uint64_t tagOffset = 0;  ///< of the field's first byte, from the start of the file
  std::uint64_t value = 0;      ///< of a Varint; 0 otherwise
  ByteRange payload;            ///< of all other types; empty for a Varint

  bool is(std::uint32_t wantedNumber, WireType wantedType) const noexcept {
    return number == wantedNumber && type == wantedType;
  }
};

/// Walks the fields of one protobuf message inside a mapped file. Lengths are 64 bits wide, nothing
/// is copied, and memory does not depend on the input. Takes every form that protobuf's own parser
/// takes (long varints, any order, unknown fields, groups) and refuses what it refuses.
class WireReader {
 public:
  /// `message` must lie in `file`, which must outlive the reader.
  WireReader(std::span<const std::byte> file, ByteRange message) noexcept
      : file_(file), position_(message.offset), end_(message.end()) {}

  /// The next field, or nothing at the end of the message. Fails with CorruptData, naming the byte.
  Result<std::optional<WireField>> next();

 private:
  Result<std::uint64_t> readVarint(std::string_view what);
  Result<WireField> readTag();
  Result<void> readPayload(WireField& field);
  Result<void> take(WireField& field, std::uint64_t byteCount);
  Result<void> skipGroup(WireField& group);

  std::span<const std::byte> file_;
  std::uint64_t position_;
  std::uint64_t end_;
};

/// A message as protobuf understands it: every occurrence of a singular sub-message, to be read one
/// after the other as if they were one.
using MessageParts = std::vector<ByteRange>;

/// Calls `visit(const WireField&)`, which returns Result<void>, for all fields of all parts in
/// order. Stops at the first failure.
template <typename Visit>
Result<void> forEachField(std::span<const std::byte> file, std::span<const ByteRange> parts,
                          Visit&& visit) {
  for (const ByteRange& part : parts) {
    WireReader reader(file, part);
    while (true) {
      STRATA_TRY(const auto field, reader.next());
      if (!field) break;
      STRATA_TRY(visit(*field));
    }
  }
  return {};
}

/// Adds one more occurrence of a sub-message. Fails with CorruptData past 4,096 of them, which no
/// producer writes and which would let a small file take much memory.
Result<void> addPart(MessageParts& parts, const WireField& field);

/// Calls `visit(std::uint64_t)` for each varint of a repeated field, packed or not. Fails with
/// CorruptData if a packed varint is cut.
template <typename Visit>
Result<void> forEachVarint(std::span<const std::byte> file, const WireField& field, Visit&& visit);

/// Reads one varint at `position`, which moves past it. Nothing if it is cut or over ten bytes.
std::optional<std::uint64_t> readVarintAt(std::span<const std::byte> file, std::uint64_t& position,
                                          std::uint64_t end) noexcept;

/// The bytes of a range as text; not checked for UTF-8.
std::string_view textAt(std::span<const std::byte> file, ByteRange range) noexcept;

template <typename Visit>
Result<void> forEachVarint(std::span<const std::byte> file, const WireField& field, Visit&& visit) {
  if (field.type == WireType::Varint) visit(field.value);
  if (field.type != WireType::Bytes) return {};
  std::uint64_t position = field.payload.offset;
  while (position < field.payload.end()) {
    const auto value = readVarintAt(file, position, field.payload.end());
    if (!value) {
      return fail(ErrorCode::CorruptData,
                  "byte " + std::to_string(position) + ": packed number is cut or over 10 bytes");
    }
    visit(*value);
  }
  return {};
}

}  // namespace strata
