#include "core/archive/manifest.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <utility>

#include "core/archive/detail/manifest_message.h"
#include "core/archive/detail/own_sources.h"
#include "core/archive/layout.h"
#include "core/archive/pack.h"
#include "core/archive/piece_checksums.h"
#include "core/archive/read/lineage_limit.h"
#include "core/archive/skeleton.h"
#include "core/checked_math.h"
#include "core/codec/codec.h"
#include "core/codec/entropy/zstd_frame.h"
#include "core/model/content_hash.h"
#include "core/model/file_mode.h"
#include "core/model/model_path.h"

namespace strata {
namespace {

constexpr std::string_view kMagic = "STRATAMF";
constexpr std::size_t kHeaderBytes = 24;
constexpr std::uint64_t kMostManifestBytes = 512U << 20;
/// Manifests shrink by less than 20; a frame that claims far more would only fill memory.
constexpr std::uint64_t kMostShrinkage = 256;
/// Memory of a parsed manifest: a million tensors take a tenth of this.
constexpr std::uint64_t kMostParsedBytes = 1U << 30;
constexpr std::uint64_t kFreeBytes = 64 << 10;
/// Writers make at most two; each takes half a megabyte of a reader's memory.
constexpr std::size_t kMostTables = 16;
constexpr int kManifestLevel = 15;
/// Of a model of many thousand tensors: level 15 would take longer than all of its weights.
constexpr int kLargeManifestLevel = 12;
constexpr std::size_t kLargeManifest = 4 << 20;

tl::unexpected<Error> broken(std::string what) {
  return fail(ErrorCode::CorruptData, "manifest: " + what);
}

Result<void> checkSection(const Manifest& manifest, const PackSection& section) {
  const auto end = checkedAdd(section.offset, section.byteCount);
  if (section.pack >= manifest.packs.size() || section.offset < kPackHeaderBytes || !end) {
    return broken(fmt::format("section at {} of pack {} lies outside of the packs", section.offset,
                              section.pack));
  }
  return {};
}

Result<void> checkDigests(const Manifest& manifest) {
  if (manifest.contentDigest != contentDigest(manifest)) {
    return broken("content digest does not match its list of files");
  }
  if (manifest.parentDigest.has_value() != (manifest.depth > 0) || manifest.depth > kMostParents) {
    return broken(fmt::format("depth is {}, expected 1 to {} with a parent and 0 without",
                              manifest.depth, kMostParents));
  }
  return {};
}

Result<void> checkFiles(const Manifest& manifest) {
  const std::string* before = nullptr;
  std::vector<std::string_view> paths;
  for (const ManifestFile& file : manifest.files) {
    if (!isModelPath(file.path)) return broken("file path is not inside the model: " + file.path);
    if (before != nullptr && *before >= file.path) return broken("files are not in order");
    before = &file.path;
    paths.emplace_back(file.path);
    const std::uint64_t pieces = pieceCount(file.byteCount);
    if (!file.pieceChecksums.empty() && file.pieceChecksums.size() != pieces) {
      return broken(fmt::format("file {} has checksums of {} pieces, expected {}", file.path,
                                file.pieceChecksums.size(), pieces));
    }
    if (file.mode > kPermissionBits) {
      return broken(
          fmt::format("file {} has mode {:o}, expected 777 at most", file.path, file.mode));
    }
    if (file.skeletonBytes > file.byteCount || file.skeletonCodec > SkeletonCodec::Same) {
      return broken("skeleton of file " + file.path + " is damaged");
    }
    if (file.skeletonBytes > kMostSkeletonBytes) {
      return fail(ErrorCode::LimitExceeded,
                  fmt::format("file {} has {} bytes outside of its tensors, at most {} are read",
                              file.path, file.skeletonBytes, kMostSkeletonBytes));
    }
    if (file.skeleton) STRATA_TRY(checkSection(manifest, *file.skeleton));
  }
  const std::string_view folder = fileAsFolder(paths);
  if (folder.empty()) return {};
  return broken(fmt::format("{} is a file and the folder of another one", folder));
}

/// Only predictors take more than one source, and they hold all of them in memory.
Result<void> checkFurtherViews(const Manifest& manifest, const ManifestTensor& tensor,
                               const ManifestPart& part, const PartShape& shape) {
  if (part.furtherViews.empty()) return {};
  const bool isDelta = part.codec == CodecId::Integer || part.codec == CodecId::Xor;
  if (manifest.formatVersion <= kPlainManifestVersion || !part.view || !isDelta ||
      part.sourceCount() > kMostPartSources) {
    return broken("tensor " + tensor.name + ": its further views are odd");
  }
  if (shape.wordCount() <= kMostPartWords / kMostPartSources) return {};
  return broken(fmt::format("tensor {}: part of {} words with several views, expected at most {}",
                            tensor.name, shape.wordCount(), kMostPartWords / kMostPartSources));
}

Result<void> checkPart(const Manifest& manifest, const ManifestTensor& tensor,
                       const ManifestPart& part, const PartShape& shape) {
  if (!codecFromStored(static_cast<std::uint32_t>(part.codec))) {
    return fail(ErrorCode::Unsupported, fmt::format("tensor {}: unknown codec {}", tensor.name,
                                                    static_cast<std::uint32_t>(part.codec)));
  }
  const bool isSame = part.codec == CodecId::Same;
  if (isSame == part.section.has_value()) {
    return broken("tensor " + tensor.name + ": section is odd");
  }
  if (needsParent(part.codec) && !part.view) {
    return broken("tensor " + tensor.name + ": part names no parent");
  }
  STRATA_TRY(checkFurtherViews(manifest, tensor, part, shape));
  const bool isLoose = part.view && (part.view->stride != 0 || part.view->transposed);
  if (isSame && !isLoose) return {};
  if (shape.wordCount() > kMostPartWords) {
    return broken(fmt::format("tensor {}: part of {} words, expected at most {}", tensor.name,
                              shape.wordCount(), kMostPartWords));
  }
  return isSame ? Result<void>{} : checkSection(manifest, *part.section);
}

Result<void> checkTensors(const Manifest& manifest) {
  std::vector<std::uint64_t> skeletonBytes;
  for (const ManifestFile& file : manifest.files) skeletonBytes.push_back(file.byteCount);
  std::uint32_t file = 0;
  std::uint64_t end = 0;
  for (const ManifestTensor& tensor : manifest.tensors) {
    STRATA_TRY(const TensorLayout layout, layoutOf(tensor));
    if (tensor.file >= skeletonBytes.size() || tensor.file < file) {
      return broken("tensor " + tensor.name + " is out of order");
    }
    if (tensor.file != file) end = 0;
    file = tensor.file;
    const std::uint64_t fileBytes = manifest.files[file].byteCount;
    if (tensor.offset < end || !rangeFits(tensor.offset, layout.byteCount, fileBytes)) {
      return broken("tensor " + tensor.name + " overlaps another or leaves its file");
    }
    end = tensor.offset + layout.byteCount;
    skeletonBytes[file] -= layout.byteCount;
    for (std::size_t p = 0; p < tensor.parts.size(); ++p) {
      const PartShape shape = layout.shapeOf(layout.parts[p]);
      STRATA_TRY(checkPart(manifest, tensor, tensor.parts[p], shape));
    }
  }
  for (std::size_t i = 0; i < skeletonBytes.size(); ++i) {
    if (manifest.files[i].skeletonBytes != skeletonBytes[i]) {
      return broken("skeleton of file " + manifest.files[i].path + " does not fill its gaps");
    }
  }
  return {};
}

/// Whether the part's words are those of a tensor of this version that comes later.
bool isBehind(const ManifestPart& part, const ManifestTensor& tensor) noexcept {
  return part.view && part.view->own &&
         std::pair(part.view->file, part.view->offset) > std::pair(tensor.file, tensor.offset);
}

Result<void> checkAll(const Manifest& manifest) {
  STRATA_TRY(checkFiles(manifest));
  STRATA_TRY(checkDigests(manifest));
  if (manifest.tables.size() > kMostTables) {
    return broken(
        fmt::format("{} shared tables, expected at most {}", manifest.tables.size(), kMostTables));
  }
  for (const PackSection& tables : manifest.tables) {
    STRATA_TRY(checkSection(manifest, tables));
  }
  STRATA_TRY(checkTensors(manifest));
  const std::uint32_t needed = neededVersion(manifest);
  if (manifest.formatVersion <= kPlainManifestVersion) {
    if (needed != kManifestVersion) return {};
    return broken("an own view lies behind its tensor");
  }
  if (needed != manifest.formatVersion) {
    return broken(
        fmt::format("is of version {}, and its views do not need that", manifest.formatVersion));
  }
  return checkOwnSources(manifest);
}

template <typename T>
T fieldAt(std::span<const std::byte> bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

Result<Manifest> readFrame(std::span<const std::byte> frame, std::size_t messageBytes,
                           Offsets offsets) {
  std::string message(messageBytes, '\0');
  const std::size_t read =
      ZSTD_decompress(message.data(), message.size(), frame.data(), frame.size());
  if (ZSTD_isError(read) != 0 || read != messageBytes) return broken("does not decode");
  return decodeMessage(message, kMostParsedBytes, offsets);
}

}  // namespace

std::uint32_t neededVersion(const Manifest& manifest) noexcept {
  bool looksBehind = false;
  for (const ManifestTensor& tensor : manifest.tensors) {
    for (const ManifestPart& part : tensor.parts) {
      if (!part.furtherViews.empty()) return kManySourcesManifestVersion;
      looksBehind = looksBehind || isBehind(part, tensor);
    }
  }
  return looksBehind ? kManifestVersion : kPlainManifestVersion;
}

Result<std::string> serializeManifest(const Manifest& manifest) {
  STRATA_TRY(const std::string message, encodeMessage(manifest, Offsets::Differences));
  return objectOf(message, neededVersion(manifest));
}

Result<std::string> objectOf(std::string_view message, std::uint32_t version) {
  if (message.size() > kMostManifestBytes) {
    return fail(ErrorCode::LimitExceeded, fmt::format("manifest has {} bytes, at most {} are read",
                                                      message.size(), kMostManifestBytes));
  }
  std::string object(kHeaderBytes, '\0');
  const std::uint64_t messageBytes = message.size();
  std::memcpy(object.data(), kMagic.data(), kMagic.size());
  std::memcpy(object.data() + 8, &version, sizeof version);
  std::memcpy(object.data() + 16, &messageBytes, sizeof messageBytes);
  const int level = message.size() < kLargeManifest ? kManifestLevel : kLargeManifestLevel;
  // Room that nobody wrote to takes no memory: a frame is far smaller than its bound.
  const std::size_t bound = ZSTD_compressBound(message.size());
  const auto frame = std::make_unique_for_overwrite<char[]>(bound);
  const std::size_t written =
      ZSTD_compress(frame.get(), bound, message.data(), message.size(), level);
  if (ZSTD_isError(written) != 0) return fail(ErrorCode::Internal, "manifest cannot be coded");
  object.append(frame.get(), written);
  return object;
}

Result<Manifest> parseManifest(std::span<const std::byte> object) {
  if (object.size() < kHeaderBytes ||
      std::memcmp(object.data(), kMagic.data(), kMagic.size()) != 0) {
    return broken("does not begin as a manifest");
  }
  const auto version = fieldAt<std::uint32_t>(object, 8);
  if (version > kManifestVersion) {
    return fail(ErrorCode::FormatTooNew,
                fmt::format("manifest has format {}, this program reads up to {}", version,
                            kManifestVersion));
  }
  const auto messageBytes = fieldAt<std::uint64_t>(object, 16);
  if (version == 0 || fieldAt<std::uint32_t>(object, 12) != 0 ||
      messageBytes > kMostManifestBytes) {
    return broken("its header is damaged");
  }
  const auto frame = object.subspan(kHeaderBytes);
  if (messageBytes > kFreeBytes + kMostShrinkage * frame.size()) {
    return broken(fmt::format("{} bytes claim to hold {}", frame.size(), messageBytes));
  }
  if (!isOneZstdFrame(frame) ||
      ZSTD_getFrameContentSize(frame.data(), frame.size()) != messageBytes) {
    return broken("its size does not match its header");
  }
  const Offsets offsets = version > 1 ? Offsets::Differences : Offsets::AsTheyAre;
  STRATA_TRY(Manifest manifest, readFrame(frame, messageBytes, offsets));
  if (manifest.formatVersion != version) return broken("format version is not its header's");
  STRATA_TRY(checkAll(manifest));
  return manifest;
}

float toThreeDigits(double number) noexcept {
  constexpr std::uint32_t kDroppedBits = 12;
  const auto bits =
      std::bit_cast<std::uint32_t>(static_cast<float>(number)) + (1U << (kDroppedBits - 1));
  return std::bit_cast<float>(bits & ~((1U << kDroppedBits) - 1));
}

Digest contentDigest(const Manifest& manifest) {
  ContentHash hash;
  for (const ManifestFile& file : manifest.files) {
    hash.add(file.path, file.byteCount, file.sha256.bytes);
  }
  return hash.finish();
}

std::uint64_t originalBytes(const Manifest& manifest) noexcept {
  std::uint64_t sum = 0;
  for (const ManifestFile& file : manifest.files) sum = saturatingAdd(sum, file.byteCount);
  return sum;
}

std::uint64_t storedBytes(const ManifestTensor& tensor) noexcept {
  std::uint64_t sum = 0;
  for (const ManifestPart& part : tensor.parts) {
    if (part.section) sum += part.section->byteCount;
  }
  return sum;
}

std::string codecNames(const ManifestTensor& tensor) {
  std::string names;
  for (const ManifestPart& part : tensor.parts) {
    const auto codec = codecFromStored(static_cast<std::uint32_t>(part.codec));
    const std::string_view one = codec ? name(*codec) : "?";
    if (names.find(one) != std::string::npos) continue;
    if (!names.empty()) names += '+';
    names += one;
  }
  return names;
}

}  // namespace strata
