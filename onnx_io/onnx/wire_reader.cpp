#include "onnx_io/onnx/wire_reader.h"

#include <fmt/format.h>

#include <array>

#include "core/checked_math.h"

namespace strata {
namespace {

constexpr int kMaxVarintBytes = 10;
constexpr std::uint64_t kMaxTag = 0xFFFF'FFFF;
constexpr std::size_t kMaxGroupDepth = 100;
constexpr std::size_t kMaxParts = 4096;
constexpr std::uint32_t kEndGroup = 4;

tl::unexpected<Error> corrupt(std::uint64_t offset, std::string_view text) {
  return fail(ErrorCode::CorruptData, fmt::format("byte {}: {}", offset, text));
}

}  // namespace

std::optional<std::uint64_t> readVarintAt(std::span<const std::byte> file, std::uint64_t& position,
                                          std::uint64_t end) noexcept {
  std::uint64_t value = 0;
  for (int index = 0; index < kMaxVarintBytes && position < end; ++index) {
    const auto byte = std::to_integer<std::uint64_t>(file[position++]);
    value |= (byte & 0x7F) << (7 * index);  // bits past the 64th are dropped, as protobuf does
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

std::string_view textAt(std::span<const std::byte> file, ByteRange range) noexcept {
  const auto bytes = file.subspan(range.offset, range.byteCount);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Result<void> addPart(MessageParts& parts, const WireField& field) {
  if (parts.size() == kMaxParts) {
    return corrupt(field.tagOffset, fmt::format("field {} occurs more than {} times, expected once",
                                                field.number, kMaxParts));
  }
  parts.push_back(field.payload);
  return {};
}

Result<std::uint64_t> WireReader::readVarint(std::string_view what) {
  const std::uint64_t start = position_;
  if (const auto value = readVarintAt(file_, position_, end_)) return *value;
  if (position_ - start < kMaxVarintBytes) {
    return corrupt(start, fmt::format("{} is cut after {} bytes", what, position_ - start));
  }
  return corrupt(start, fmt::format("{} is over {} bytes long", what, kMaxVarintBytes));
}

Result<WireField> WireReader::readTag() {
  WireField field;
  field.tagOffset = position_;
  STRATA_TRY(const std::uint64_t tag, readVarint("field tag"));
  if (tag > kMaxTag || tag >> 3 == 0) {
    return corrupt(field.tagOffset,
                   fmt::format("field number is {}, expected 1 to 536870911", tag >> 3));
  }
  if ((tag & 7) > 5) {
    return corrupt(field.tagOffset,
                   fmt::format("wire type of field {} is {}, expected 0 to 5", tag >> 3, tag & 7));
  }
  field.number = static_cast<std::uint32_t>(tag >> 3);
  field.type = static_cast<WireType>(tag & 7);
  return field;
}

Result<void> WireReader::take(WireField& field, std::uint64_t byteCount) {
  if (!rangeFits(position_, byteCount, end_)) {
    return corrupt(field.tagOffset,
                   fmt::format("field {} has {} bytes, but only {} are left in its message",
                               field.number, byteCount, end_ - position_));
  }
  field.payload = {position_, byteCount};
  position_ += byteCount;
  return {};
}

Result<void> WireReader::readPayload(WireField& field) {
  switch (field.type) {
    case WireType::Varint: {
      STRATA_TRY(field.value, readVarint("number"));
      return {};
    }
    case WireType::Fixed64:
      return take(field, 8);
    case WireType::Fixed32:
      return take(field, 4);
    default: {
      STRATA_TRY(const std::uint64_t byteCount, readVarint("length"));
      return take(field, byteCount);
    }
  }
}

// Iterative: the depth of the input must not become the depth of our stack.
Result<void> WireReader::skipGroup(WireField& group) {
  std::array<std::uint32_t, kMaxGroupDepth> open{group.number};
  std::size_t depth = 1;
  group.payload.offset = position_;
  while (depth > 0) {
    if (position_ == end_) {
      return corrupt(group.tagOffset, fmt::format("group {} has no end", group.number));
    }
    group.payload.byteCount = position_ - group.payload.offset;
    STRATA_TRY(WireField field, readTag());
    if (field.type == WireType::Group) {
      if (depth == kMaxGroupDepth) {
        return corrupt(field.tagOffset, fmt::format("groups nest deeper than {}", kMaxGroupDepth));
      }
      open[depth++] = field.number;
    } else if (static_cast<std::uint32_t>(field.type) == kEndGroup) {
      if (field.number != open[--depth]) {
        return corrupt(field.tagOffset, fmt::format("group {} ends where group {} is open",
                                                    field.number, open[depth]));
      }
    } else {
      STRATA_TRY(readPayload(field));
    }
  }
  return {};
}

Result<std::optional<WireField>> WireReader::next() {
  if (position_ == end_) return std::optional<WireField>();
  STRATA_TRY(WireField field, readTag());
  if (static_cast<std::uint32_t>(field.type) == kEndGroup) {
    return corrupt(field.tagOffset, fmt::format("group {} ends but never began", field.number));
  }
  if (field.type == WireType::Group) {
    STRATA_TRY(skipGroup(field));
  } else {
    STRATA_TRY(readPayload(field));
  }
  return std::optional<WireField>(field);
}

}  // namespace strata
