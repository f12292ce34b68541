#include "onnx_io/zip/zip_checksums.h"

#include <optional>

#include "core/crc32.h"
#include "onnx_io/zip/zip_list.h"

namespace strata {
namespace {

constexpr std::uint64_t kCrcInHeader = 14;
constexpr std::uint64_t kCrcInList = 16;
constexpr std::uint64_t kCrcBytes = 4;
constexpr std::uint32_t kBehindMark = 0x08074B50;  ///< "PK", 7, 8

std::optional<std::uint32_t> numberAt(std::span<const std::byte> file, std::uint64_t at) noexcept {
  if (file.size() < kCrcBytes || at > file.size() - kCrcBytes) return std::nullopt;
  std::uint32_t value = 0;
  for (std::uint64_t i = kCrcBytes; i-- > 0;) {
    value = value << 8 | std::to_integer<std::uint32_t>(file[at + i]);
  }
  return value;
}

}  // namespace

std::string memberWithOtherChecksum(std::span<const std::byte> file) {
  if (!looksLikeZip(file)) return {};
  const auto list = listZip(file);
  if (!list) return {};
  for (const ZipEntry& entry : list->entries) {
    if (!entry.isPlain) continue;
    const auto data = file.subspan(entry.data.offset, entry.data.byteCount);
    if (crc32(data) != entry.crc) return entry.name;
  }
  return {};
}

std::vector<ChecksumField> zipChecksumFields(std::span<const std::byte> bytes, std::uint32_t file) {
  std::vector<ChecksumField> fields;
  for (const ZipList& list : listZips(bytes)) {
    for (const ZipEntry& entry : list.entries) {
      if (!entry.isPlain) continue;
      const auto add = [&](std::uint64_t at) {
        if (numberAt(bytes, at) != entry.crc) return;  // it is said elsewhere
        fields.push_back({file, at, entry.data.offset, entry.data.byteCount});
      };
      add(entry.header + kCrcInHeader);
      add(entry.listed + kCrcInList);
      if (!entry.isSaidBehind) continue;
      const bool hasMark = numberAt(bytes, entry.data.end()) == kBehindMark;
      add(entry.data.end() + (hasMark ? kCrcBytes : 0));
    }
  }
  return fields;
}

}  // namespace strata
