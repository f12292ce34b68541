#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/archive/manifest.h"
#include "core/model/element_type.h"
#include "core/model/model_source.h"
#include "core/ops/inspect/list_versions.h"
#include "core/ops/inspect/role_errors.h"
#include "core/result.h"
#include "core/store/catalog/tensor_state.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

struct ShowOptions {
  enum class Sort { File, Name, Original, Stored, Ratio, Change };
  std::string reference = {};
  bool tensors = true;  ///< fill `ShowReport::tensors`
  Sort sort = Sort::File;
  std::size_t limit = 0;  ///< of tensors; 0: all
};

struct TensorRow {
  std::string name;
  ElementType type = ElementType::Bytes;
  std::vector<std::uint64_t> shape;
  TensorKind kind = TensorKind::Unknown;
  TensorState state = TensorState::New;
  std::string codec;       ///< "integer", "planes", several joined by "+"
  std::string parentName;  ///< of the parent's tensor; empty if New
  std::string file;
  std::uint64_t originalBytes = 0;
  std::uint64_t storedBytes = 0;  ///< sections in packs; the manifest's share is not counted
  double changedShare = 0;        ///< of words, 0 to 1
  /// L2 norm of the difference / L2 norm of the parent's tensor; of types that have one alone
  /// (core/archive/word_values.h).
  double relativeChange = 0;

  double ratio() const noexcept {
    return storedBytes == 0 ? 0
                            : static_cast<double>(originalBytes) / static_cast<double>(storedBytes);
  }
};

struct FileRow {
  std::string path;
  FileKind kind = FileKind::Other;
  std::uint64_t byteCount = 0;
  Digest sha256;
  std::uint32_t mode = 0;  ///< permission bits; 0: those of a new file
};

struct ShowReport {
  VersionEntry version;
  std::string parentLabel;
  std::string baseLabel;
  AwaitedAmount awaited;
  std::optional<TakenBytes> taken;      ///< see ListRow
  std::vector<std::string> dependants;  ///< labels of versions that are differences to this one
  std::vector<FileRow> files;
  std::vector<TensorRow> tensors;
  std::uint64_t tensorCount = 0;  ///< before the limit
  std::uint64_t filePieces = 0;   ///< of those: bytes of other files, which are no tensors
  /// Of the integers that have a counterpart in the parent; nothing where there are none.
  std::optional<double> changedIntegers;
  /// The version's change counts integers as weights: an earlier program measured it.
  bool changeCountsIntegers = false;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::vector<Digest> packs;
  std::vector<QualityScore> quality;  ///< of a lossy version: what was measured when it was added
  double relativeError = 0;           ///< of a lossy version: of what differs from the parent
  std::vector<RoleError> roleErrors;  ///< of the moments that a lossy version quantized
};

/// One version in full. Reads the catalog and one manifest.
/// Fails with InvalidArgument, NotFound, CorruptData.
Result<ShowReport> showVersion(const Store& store, const ShowOptions& options);

/// One measured score in words: "accuracy 0.876 -> 0.873 on 872 samples (p = 0.71)".
std::string qualityText(const QualityScore& quality);

}  // namespace strata
