#include "onnx_io/zip_checksums.h"

#include <array>

#include "onnx_io/zip_list.h"

namespace strata {
namespace {

constexpr std::size_t kLanes = 8;
using Tables = std::array<std::array<std::uint32_t, 256>, kLanes>;

/// Table `n` is the checksum of a byte with `n` zeros behind it.
constexpr Tables makeTables() {
  constexpr std::uint32_t kPolynomial = 0xEDB88320;
  Tables tables{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ ((value & 1) != 0 ? kPolynomial : 0);
    tables[0][i] = value;
  }
  for (std::size_t lane = 1; lane < kLanes; ++lane) {
    for (std::size_t i = 0; i < 256; ++i) {
      const std::uint32_t before = tables[lane - 1][i];
      tables[lane][i] = before >> 8 ^ tables[0][before & 0xFF];
    }
  }
  return tables;
}

constexpr Tables kTables = makeTables();

std::uint32_t byteAt(std::span<const std::byte> bytes, std::size_t at) noexcept {
  return std::to_integer<std::uint32_t>(bytes[at]);
}

}  // namespace

void ZipChecksum::add(std::span<const std::byte> bytes) noexcept {
  std::uint32_t crc = crc_;
  std::size_t at = 0;
  for (; bytes.size() - at >= kLanes; at += kLanes) {
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < kLanes; ++i) {
      const std::uint32_t mixed = i < 4 ? crc >> (8 * i) & 0xFF : 0;
      next ^= kTables[kLanes - 1 - i][mixed ^ byteAt(bytes, at + i)];
    }
    crc = next;
  }
  for (; at < bytes.size(); ++at) crc = crc >> 8 ^ kTables[0][(crc ^ byteAt(bytes, at)) & 0xFF];
  crc_ = crc;
}

std::uint32_t zipChecksum(std::span<const std::byte> bytes) noexcept {
  ZipChecksum sum;
  sum.add(bytes);
  return sum.value();
}

std::string memberWithOtherChecksum(std::span<const std::byte> file) {
  if (!looksLikeZip(file)) return {};
  const auto list = listZip(file);
  if (!list) return {};
  for (const ZipEntry& entry : list->entries) {
    if (!entry.isPlain) continue;
    const auto data = file.subspan(entry.data.offset, entry.data.byteCount);
    if (zipChecksum(data) != entry.crc) return entry.name;
  }
  return {};
}

}  // namespace strata
