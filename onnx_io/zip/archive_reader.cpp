#include "onnx_io/zip/archive_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/text/wording.h"
#include "onnx_io/tensor_role.h"
#include "onnx_io/tensor_span.h"
#include "onnx_io/torch/pickle_reader.h"
#include "onnx_io/torch/torch_archive.h"
#include "onnx_io/utf8.h"
#include "onnx_io/zip/npy_header.h"
#include "onnx_io/zip/zip_list.h"

namespace strata {
namespace {

constexpr std::string_view kArraySuffix = ".npy";
constexpr std::string_view kDcpSuffix = ".distcp";

void sayBytes(FileContents& contents, const std::string& path, std::string_view why) {
  contents.asBytes.push_back(fmt::format("{}: {}", path, why));
}

std::pair<std::string, std::string> folderAndName(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {"", path};
  return {path.substr(0, slash + 1), path.substr(slash + 1)};
}

bool holdsArrays(const ZipList& list) noexcept {
  return std::any_of(list.entries.begin(), list.entries.end(),
                     [](const ZipEntry& entry) { return entry.name.ends_with(kArraySuffix); });
}

/// One array of an .npz. False if its elements are of no type that is known.
bool addArray(std::span<const std::byte> bytes, const ZipEntry& entry, std::uint32_t file,
              FileContents& out) {
  const std::string_view whole = entry.name;
  const std::string_view bare = whole.substr(0, whole.size() - kArraySuffix.size());
  const std::string name = toUtf8(bare, kMaxNameBytes);
  const auto header = readNpyHeader(bytes.subspan(entry.data.offset, entry.data.byteCount));
  if (!header) {
    if (entry.data.byteCount > 0) out.tensors.push_back(opaqueSpan(name, file, entry.data));
    return false;
  }
  DeclaredTensor declared;
  declared.type = header->type;
  declared.dims = header->shape;
  const ByteRange range{entry.data.offset + header->byteCount,
                        entry.data.byteCount - header->byteCount};
  std::string misfit = misfitOf(declared, name, range.byteCount);
  if (!misfit.empty()) out.oddTensors.push_back(std::move(misfit));
  if (range.byteCount == 0) return true;
  TensorInfo info = describeSpan(declared, name, file, range);
  info.kind = kindOfStored(info.name, info.type, info.shape.size());
  out.tensors.push_back(std::move(info));
  return header->type != ElementType::Bytes;
}

ArchiveContents readNpz(const ModelFile& source, const ZipList& list, std::uint32_t file) {
  ArchiveContents out{FileKind::Npz, {}};
  std::size_t arrayCount = 0;
  std::size_t compressedCount = 0;
  std::size_t unknownCount = 0;
  for (const ZipEntry& entry : list.entries) {
    if (!entry.name.ends_with(kArraySuffix)) continue;
    ++arrayCount;
    if (entry.isPlain) {
      if (!addArray(source.bytes.whole(), entry, file, out.contents)) ++unknownCount;
    } else {
      ++compressedCount;
    }
  }
  // The others of its arrays are no bytes.
  const auto some = [&](std::size_t count, std::string_view one, std::string_view several) {
    return fmt::format("{} of its {}{} {}", count, wordCount(arrayCount, "array"),
                       count < arrayCount ? " alone, which" : "", count == 1 ? one : several);
  };
  if (compressedCount > 0) {
    sayBytes(out.contents, source.path,
             some(compressedCount, "is", "are") +
                 " compressed; numpy.savez writes arrays that can be stored as differences");
  }
  if (unknownCount > 0) {
    sayBytes(out.contents, source.path,
             some(unknownCount, "holds", "hold") + " texts, records, objects or big-endian words");
  }
  return out;
}

/// Where the pickle is not understood, the storages are still told from what lies around them.
void addUnnamed(const ZipList& list, std::uint32_t file, FileContents& out) {
  for (const TorchArchive::Storage& storage : TorchArchive::storagesOf(list)) {
    if (storage.bytes.byteCount == 0) continue;
    out.tensors.push_back(
        opaqueSpan("data/" + toUtf8(storage.key, kMaxNameBytes), file, storage.bytes));
  }
}

ArchiveContents readTorch(const ModelFile& source, const ZipList& list, std::uint32_t file) {
  ArchiveContents out{FileKind::PyTorch, {}};
  const auto archive = TorchArchive::open(source.bytes.whole(), list);
  if (!archive) {
    sayBytes(out.contents, source.path, archive.error().message);
    addUnnamed(list, file, out.contents);
    return out;
  }
  addTorchTensors(*archive, "", file, out.contents);
  if (archive->isSwapped()) {
    sayBytes(out.contents, source.path, "it was written on a big-endian machine");
  }
  return out;
}

}  // namespace

const DcpNames& ArchiveReader::namesFor(const ModelFiles& files, const std::string& folder) {
  const auto known = names_.find(folder);
  if (known != names_.end()) return known->second;
  DcpNames& names = names_[folder];
  const auto& all = files.files();
  const auto found = std::find_if(all.begin(), all.end(), [&](const ModelFile& file) {
    return file.path == folder + ".metadata";
  });
  if (found != all.end()) names = DcpNames::read(found->bytes.whole());
  return names;
}

ArchiveContents ArchiveReader::readDcp(const ModelFiles& files, std::uint32_t file) {
  ArchiveContents out{FileKind::PyTorch, {}};
  const ModelFile& source = files.files()[file];
  const auto bytes = source.bytes.whole();
  const auto [folder, name] = folderAndName(source.path);
  const DcpNames& names = namesFor(files, folder);
  std::uint64_t end = 0;
  for (const ZipList& list : listZips(bytes)) {
    end = list.range.end();
    const auto archive = TorchArchive::open(bytes, list);
    if (!archive) {
      if (out.contents.asBytes.empty()) {
        sayBytes(
            out.contents, source.path,
            fmt::format("the archive at byte {}: {}", list.range.offset, archive.error().message));
      }
      continue;
    }
    std::string own(names.nameAt(name, list.range.offset));
    if (own.empty()) own = fmt::format("{}@{}", name, list.range.offset);
    addTorchTensors(*archive, own, file, out.contents);
  }
  if (end < bytes.size()) {
    sayBytes(out.contents, source.path,
             fmt::format("from byte {} on it holds no archive that can be read", end));
  }
  return out;
}

ArchiveContents ArchiveReader::read(const ModelFiles& files, std::uint32_t file) {
  const ModelFile& source = files.files()[file];
  if (source.path.ends_with(kDcpSuffix)) return readDcp(files, file);
  const auto list = listZip(source.bytes.whole());
  if (list && TorchArchive::isOne(*list)) return readTorch(source, *list, file);
  if (list && holdsArrays(*list)) return readNpz(source, *list, file);
  ArchiveContents out;
  if (!isNamedArchive(source)) return out;
  sayBytes(out.contents, source.path,
           list ? "it is a zip archive without tensors" : list.error().message);
  return out;
}

bool isNamedArchive(const ModelFile& file) noexcept {
  constexpr std::array<std::string_view, 6> kSuffixes{".pt",   ".pth", ".bin",
                                                      ".ckpt", ".npz", kDcpSuffix};
  const bool isNamedSo =
      std::any_of(kSuffixes.begin(), kSuffixes.end(),
                  [&](std::string_view suffix) { return file.path.ends_with(suffix); });
  if (!isNamedSo || file.bytes.empty()) return false;
  const auto bytes = file.bytes.whole();
  return looksLikeZip(bytes) || looksLikePickle(bytes);
}

std::string whyBytes(const ModelFile& file) {
  return fmt::format(
      "{}: it is a pickle without a zip archive, as PyTorch wrote before 1.6; torch.load and "
      "torch.save write it anew as one that can be stored as differences",
      file.path);
}

}  // namespace strata
