#include "onnx_io/zip/zip_checksums.h"

#include "core/crc32.h"
#include "onnx_io/zip/zip_list.h"

namespace strata {

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
      for (const std::uint64_t at : checksumPlaces(bytes, entry)) {
        fields.push_back({file, at, entry.data.offset, entry.data.byteCount});
      }
    }
  }
  return fields;
}

}  // namespace strata
