#include "onnx_io/zip/patched_checksums.h"

#include <algorithm>

#include "core/crc32.h"
#include "onnx_io/zip/zip_list.h"

namespace strata {
namespace {

using Bytes = std::span<const std::byte>;

/// The checksum that a member has once the patches are made.
std::uint32_t checksumWith(Bytes file, const ByteRange& data, std::span<const FilePatch> patches) {
  std::uint32_t sum = 0;
  std::uint64_t at = data.offset;
  for (const FilePatch& patch : patches) {
    const std::uint64_t begin = std::max(patch.offset, at);
    const std::uint64_t end =
        std::min<std::uint64_t>(patch.offset + patch.bytes.size(), data.end());
    if (begin >= end) continue;
    sum = crc32(file.subspan(at, begin - at), sum);
    sum = crc32(patch.bytes.subspan(begin - patch.offset, end - begin), sum);
    at = end;
  }
  return crc32(file.subspan(at, data.end() - at), sum);
}

/// Those of the patches, sorted and apart, that change a stretch.
std::span<const FilePatch> patchesOf(const ByteRange& data, std::span<const FilePatch> patches) {
  const auto endOf = [](const FilePatch& patch) { return patch.offset + patch.bytes.size(); };
  const auto begin = std::ranges::upper_bound(patches, data.offset, {}, endOf);
  const auto end = std::ranges::lower_bound(patches, data.end(), {}, &FilePatch::offset);
  return begin < end ? std::span(begin, end) : std::span<const FilePatch>();
}

}  // namespace

Result<std::vector<ChecksumPatch>> patchedChecksums(const ModelFile& file,
                                                    std::span<const FilePatch> patches) {
  std::vector<ChecksumPatch> changed;
  const bool isArchive = file.kind == FileKind::PyTorch || file.kind == FileKind::Npz;
  if (!isArchive) return changed;
  const Bytes bytes = file.bytes.whole();
  std::vector<ZipList> lists;
  if (file.path.ends_with(".distcp")) {
    lists = listZips(bytes);
  } else {
    STRATA_TRY(ZipList list, listZip(bytes));
    lists.push_back(std::move(list));
  }
  for (const ZipList& list : lists) {
    for (const ZipEntry& entry : list.entries) {
      const auto own = patchesOf(entry.data, patches);
      if (!entry.isPlain || own.empty()) continue;
      const Bytes data = bytes.subspan(entry.data.offset, entry.data.byteCount);
      if (crc32(data) != entry.crc) continue;
      const std::uint32_t value = checksumWith(bytes, entry.data, own);
      for (const std::uint64_t at : checksumPlaces(bytes, entry)) changed.push_back({at, value});
    }
  }
  return changed;
}

}  // namespace strata
