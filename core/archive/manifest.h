#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/archive/manifest_tensor.h"
#include "core/archive/tensor_list.h"
#include "core/digest.h"
#include "core/model/model_source.h"
#include "core/model/rare_text.h"
#include "core/result.h"

namespace strata {

/// Version of manifests whose parts have one source, and whose own views lie before their tensors.
inline constexpr std::uint32_t kPlainManifestVersion = 2;
/// Version of those with parts that have several sources.
inline constexpr std::uint32_t kManySourcesManifestVersion = 3;
/// Version of those without such parts that have own views behind their tensors: the newest that
/// this program reads. It reads older ones, too.
inline constexpr std::uint32_t kManifestVersion = 4;

/// The table of one stored version: all that restoring needs. docs/FORMAT.md §3 explains each
/// field; core/archive/manifest.proto is its form on disk.

/// How the bytes of a file outside of its tensors are coded. Stored in manifests.
enum class SkeletonCodec : std::uint8_t {
  Raw = 0,
  Zstd = 1,  ///< one frame, the parent's skeleton being the dictionary where there is one
  Same = 2,  ///< the parent's skeleton
};

/// XXH3, 128 bits, of a piece of a restored file (docs/FORMAT.md, "Pieces").
using PieceChecksum = std::array<std::byte, 16>;

struct ManifestFile {
  std::string path;
  std::uint64_t byteCount = 0;
  Digest sha256;
  std::optional<PackSection> skeleton;  ///< all bytes outside of tensors, in order
  std::uint64_t skeletonBytes = 0;      ///< decoded
  std::uint64_t skeletonChecksum = 0;   ///< XXH3-64 of the decoded bytes
  /// The decoder's dictionary: the skeleton of that file of the parent.
  std::optional<std::uint32_t> skeletonParent;
  std::uint32_t mode = 0;  ///< permission bits, 0777 at most; 0: those of a new file
  SkeletonCodec skeletonCodec = SkeletonCodec::Raw;
  FileKind kind = FileKind::Other;
  std::vector<PieceChecksum> pieceChecksums;  ///< empty: sha256 alone says what the file is
  RareText unknown = {};

  friend bool operator==(const ManifestFile&, const ManifestFile&) = default;
};

/// A score of the restored model beside that of the original, on the same samples.
struct QualityScore {
  std::string data;      ///< "choice": the settings were chosen on it; "test": they were not
  std::string metric;    ///< "accuracy", "f1", "correlation", "agreement"; as the evaluator says
  double reference = 0;  ///< of the original
  double score = 0;      ///< of the restored model
  std::uint64_t samples = 0;  ///< 0: not known
  double divergence = 0;      ///< mean, to the original's outputs; negative: not measured
  double pValue = 0;          ///< of the paired test; negative: not tested
  RareText unknown = {};

  friend bool operator==(const QualityScore&, const QualityScore&) = default;
};

/// What the model says of itself.
struct MetadataEntry {
  std::string key;
  std::string value;
  RareText unknown = {};

  friend bool operator==(const MetadataEntry&, const MetadataEntry&) = default;
};

struct Manifest {
  std::uint32_t formatVersion = kManifestVersion;  ///< of one that was read: its own
  Digest contentDigest;                            ///< over paths, sizes and digests of the files
  std::optional<Digest> parentDigest;  ///< content digest of the parent; a base has none
  std::uint32_t depth = 0;             ///< parents to decode before this one
  std::string format;                  ///< "onnx", "safetensors", "folder"
  std::string effort;                  ///< "fast", "default", "best"
  std::string profile;                 ///< its name
  std::vector<Digest> packs;
  std::vector<ManifestFile> files;
  TensorList tensors;
  std::vector<PackSection> tables;  ///< shared tables of the entropy coder
  std::vector<MetadataEntry> metadata;
  bool lossy = false;
  std::optional<Digest> originalDigest;  ///< lossy: content digest of what was added
  std::vector<QualityScore> quality;     ///< lossy: measured scores
  std::string settings;                  ///< lossy: the quantization, as TOML, for people
  float relativeError = 0;  ///< lossy: L2 norm of (restored - original) / of (original - parent)
  /// L2 norm of the difference / of the parent's words, over all weights that have a counterpart
  /// there (core/archive/write/change.h); 0 also where an earlier program wrote the manifest.
  float relativeChange = 0;
  /// Words with a counterpart that are in neither norm: integers, fill values and, beside weights,
  /// the state of an optimizer. 0 also where an earlier program wrote the manifest, and counted
  /// them as weights.
  std::uint64_t changeLeftOut = 0;
  RareText unknown = {};

  friend bool operator==(const Manifest&, const Manifest&) = default;
};

/// The version that the manifest is written as.
std::uint32_t neededVersion(const Manifest& manifest) noexcept;

/// The manifest object's bytes: a header and the zstd-coded message, whatever version the manifest
/// was read from. Fails with LimitExceeded, and with CorruptData where tensors
/// make no sense.
Result<std::string> serializeManifest(const Manifest& manifest);

/// Reads a manifest object and checks everything in it that can be checked without packs: ranges,
/// order, digests' lengths, paths. Offsets are as in version 1: from the start of files and packs.
/// Fails with CorruptData, FormatTooNew, and LimitExceeded for one whose entries would fill the
/// memory.
Result<Manifest> parseManifest(std::span<const std::byte> object);

/// All fields as text, for people: that of protobuf.
std::string manifestText(const Manifest& manifest);

/// A number for people as lossy manifests have it: three digits do, and what is dropped is a good
/// part of so small a file.
float toThreeDigits(double number) noexcept;

/// Content digest of a model: SHA-256 over its files, sorted by path, each as
/// `path NUL size(8 bytes, little-endian) sha256(32 bytes)`.
Digest contentDigest(const Manifest& manifest);

/// Sum of the files' sizes.
std::uint64_t originalBytes(const Manifest& manifest) noexcept;

/// Bytes of the sections that one tensor holds in packs, without the manifest's share.
std::uint64_t storedBytes(const ManifestTensor& tensor) noexcept;

/// Of the library that prints manifests (manifestText), such as "3.21.12".
std::string protobufVersion();

/// Words that people know the tensor's parts by: "same", "integer", "planes", several joined by
/// "+".
std::string codecNames(const ManifestTensor& tensor);

}  // namespace strata
