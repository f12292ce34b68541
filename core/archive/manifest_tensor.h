#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/archive/rare_list.h"
#include "core/codec/codec_id.h"
#include "core/model/model_source.h"
#include "core/model/part_geometry.h"
#include "core/model/rare_text.h"

namespace strata {

/// `unknown` in each struct holds the fields that a newer program wrote within the same version of
/// the format, as they came. They are written again with the struct.

/// A run of bytes in a pack.
struct PackSection {
  std::uint64_t offset = 0;  ///< from the start of the pack
  std::uint64_t byteCount = 0;
  std::uint32_t pack = 0;  ///< index into Manifest::packs
  RareText unknown = {};

  friend bool operator==(const PackSection&, const PackSection&) = default;
};

/// A source of a part beside its first one.
struct FurtherView : PartView {
  RareText unknown = {};

  friend bool operator==(const FurtherView&, const FurtherView&) = default;
};

/// Most views of a part.
inline constexpr std::size_t kMostPartSources = 4;

/// A rectangle of a tensor seen as rows x columns, and how it is coded.
struct ManifestPart {
  std::uint64_t rowCount = 0;  ///< 0: all rows that are left
  std::uint64_t firstColumn = 0;
  std::uint64_t columnCount = 0;            ///< 0: all columns that are left
  std::optional<PartView> view = {};        ///< absent: no parent
  RareList<FurtherView> furtherViews = {};  ///< what a predictor takes beside `view`, in its order
  std::optional<PackSection> section = {};  ///< absent for codec `same`
  RareText unknown = {};                    ///< of the view, too
  CodecId codec = CodecId::Raw;

  std::size_t sourceCount() const noexcept { return view ? 1 + furtherViews.size() : 0; }
  /// Source `index`, which is there.
  const PartView& source(std::size_t index) const noexcept {
    return index == 0 ? *view : furtherViews.view()[index - 1];
  }

  friend bool operator==(const ManifestPart&, const ManifestPart&) = default;
};

/// One tensor of a manifest, as it is read and written. A manifest keeps its tensors in a list of
/// another form (core/archive/tensor_list.h).
struct ManifestTensor {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::vector<ManifestPart> parts;  ///< in the order of their rows
  std::uint64_t offset = 0;         ///< in its file
  std::uint64_t checksum = 0;       ///< XXH3-64 of the tensor's bytes
  RareText parentName;              ///< of the tensor that most parts are a delta to, if another
  RareText unknown = {};
  std::uint32_t file = 0;    ///< index into Manifest::files
  float changed = 0;         ///< share of words that differ from the parent's, 0 to 1
  float relativeChange = 0;  ///< L2 norm of the difference / L2 norm of the parent's tensor
  float relativeError = 0;   ///< lossy: L2 norm of (restored - original) / of (original - parent)
  ElementType type = ElementType::Bytes;
  TensorKind kind = TensorKind::Unknown;

  friend bool operator==(const ManifestTensor&, const ManifestTensor&) = default;
};

}  // namespace strata
