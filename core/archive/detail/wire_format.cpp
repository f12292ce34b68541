#include "core/archive/detail/wire_format.h"

#include <array>
#include <cstring>

namespace strata {
namespace {

std::size_t writeVarint(std::uint64_t value, std::array<char, 10>& out) noexcept {
  std::size_t count = 0;
  for (; value >= 0x80; value >>= 7U) out[count++] = static_cast<char>(value | 0x80U);
  out[count++] = static_cast<char>(value);
  return count;
}

}  // namespace

std::uint32_t WireReader::tag() noexcept {
  fieldAt_ = at_;
  if (atEnd()) return 0;
  const auto tag = static_cast<std::uint32_t>(number(kMostShortBytes));
  if (tag >> 3U == 0) fail();
  return failed_ ? 0 : tag;
}

std::string_view WireReader::run() noexcept {
  const std::uint64_t byteCount = number(kMostShortBytes);
  return take(byteCount);
}

std::string_view WireReader::skip(std::uint32_t tag) noexcept {
  const std::size_t from = fieldAt_;
  skipValue(tag, 0);
  return failed_ ? std::string_view() : bytes_.substr(from, at_ - from);
}

std::uint64_t WireReader::number(int mostBytes) noexcept {
  std::uint64_t value = 0;
  for (int i = 0; i < mostBytes && !atEnd(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes_[at_++]);
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << (7 * i);
    if (byte < 0x80) return value;
  }
  fail();
  return 0;
}

std::uint64_t WireReader::fixed(std::size_t byteCount) noexcept {
  std::uint64_t value = 0;
  const std::string_view bytes = take(byteCount);
  if (!bytes.empty()) std::memcpy(&value, bytes.data(), bytes.size());
  return value;
}

void WireReader::skipValue(std::uint32_t tag, int groups) noexcept {
  switch (static_cast<WireType>(tag & 7U)) {
    case WireType::Varint:
      varint();
      break;
    case WireType::Fixed64:
      fixed64();
      break;
    case WireType::Run:
      run();
      break;
    case WireType::GroupBegin:
      skipGroup(tag >> 3U, groups + 1);
      break;
    case WireType::Fixed32:
      fixed(sizeof(std::uint32_t));
      break;
    default:
      fail();
  }
}

void WireReader::skipGroup(std::uint32_t field, int groups) noexcept {
  if (groups > kMostGroups) return fail();
  const std::uint32_t end = wireTag(field, WireType::GroupEnd);
  while (const std::uint32_t inner = tag()) {
    if (inner == end) return;
    skipValue(inner, groups);
  }
  fail();
}

std::string_view WireReader::take(std::uint64_t byteCount) noexcept {
  if (byteCount > bytes_.size() - at_) {
    fail();
    return {};
  }
  const std::string_view taken = bytes_.substr(at_, byteCount);
  at_ += byteCount;
  return taken;
}

void WireReader::fail() noexcept {
  failed_ = true;
  at_ = bytes_.size();
}

void WireWriter::number(std::uint32_t field, std::uint64_t value) {
  if (value == 0) return;
  tag(field, WireType::Varint);
  varint(value);
}

void WireWriter::fixed64(std::uint32_t field, std::uint64_t value) {
  if (value == 0) return;
  tag(field, WireType::Fixed64);
  bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void WireWriter::real(std::uint32_t field, float value) {
  if (std::bit_cast<std::uint32_t>(value) == 0) return;
  tag(field, WireType::Fixed32);
  bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void WireWriter::real(std::uint32_t field, double value) {
  fixed64(field, std::bit_cast<std::uint64_t>(value));
}

void WireWriter::run(std::uint32_t field, std::string_view value) {
  if (!value.empty()) entry(field, value);
}

void WireWriter::entry(std::uint32_t field, std::string_view value) {
  tag(field, WireType::Run);
  varint(value.size());
  bytes_ += value;
}

void WireWriter::varint(std::uint64_t value) {
  std::array<char, 10> bytes{};
  bytes_.append(bytes.data(), writeVarint(value, bytes));
}

void WireWriter::insertLength(std::size_t at) {
  std::array<char, 10> bytes{};
  const std::size_t count = writeVarint(bytes_.size() - at, bytes);
  bytes_.insert(at, bytes.data(), count);
}

}  // namespace strata
