#include "core/archive/detail/manifest_offsets.h"

#include <fmt/format.h>

#include "core/archive/layout.h"
#include "core/archive/pack.h"

namespace strata {
namespace {

tl::unexpected<Error> tooManySources(const ManifestTensor& tensor, std::size_t further) {
  return fail(ErrorCode::CorruptData,
              fmt::format("manifest: tensor {}: part with {} views, expected at most {}",
                          tensor.name, further + 1, kMostPartSources));
}

}  // namespace

OffsetWalk::OffsetWalk(std::size_t packCount, Way way)
    : way_(way), packEnds_(packCount, kPackHeaderBytes) {}

Result<void> OffsetWalk::file(ManifestFile& file) {
  return file.skeleton ? section(*file.skeleton) : Result<void>{};
}

/// Parts of a sample do not tile their tensor, those of a damaged manifest neither: each is where
/// it would be if they did.
Result<void> OffsetWalk::tensor(ManifestTensor& tensor) {
  if (tensor.file != file_) end_ = 0;
  file_ = tensor.file;
  const std::uint64_t offset = turn(tensor, end_);
  STRATA_TRY(const TensorLayout layout, layoutWithoutParts(tensor));
  end_ = offset + layout.byteCount;
  const WordMatrix& matrix = layout.matrix;
  std::uint64_t row = 0;
  std::uint64_t column = 0;
  for (ManifestPart& part : tensor.parts) {
    const std::uint64_t firstWord = row * matrix.columns + part.firstColumn;
    const std::uint64_t own = offset + firstWord * wordFormat(layout.type).bytes;
    if (part.view) view(*part.view, own, 0);
    const std::span<FurtherView> further = part.furtherViews.items();
    if (further.size() >= kMostPartSources) return tooManySources(tensor, further.size());
    for (std::size_t i = 0; i < further.size(); ++i) view(further[i], own, i + 1);
    if (part.section) STRATA_TRY(section(*part.section));
    column += part.columnCount == 0 ? matrix.columns - column : part.columnCount;
    if (column < matrix.columns) continue;
    column = 0;
    row += part.rowCount == 0 ? matrix.rows - row : part.rowCount;
  }
  return {};
}

/// Behind the one before in its pack.
Result<void> OffsetWalk::section(PackSection& section) {
  if (section.pack >= packEnds_.size()) {
    return fail(ErrorCode::CorruptData, fmt::format("manifest: section of pack {}, there are {}",
                                                    section.pack, packEnds_.size()));
  }
  std::uint64_t& end = packEnds_[section.pack];
  end = turn(section, end) + section.byteCount;
  return {};
}

/// Turns the offset of `owner`, expected to be `expected`; the offset as it is in the file.
template <typename Owner>
std::uint64_t OffsetWalk::turn(Owner& owner, std::uint64_t expected) {
  const std::uint64_t given = owner.offset;
  const bool isToDifferences = way_ == Way::ToDifferences;
  owner.offset = isToDifferences ? given - expected : given + expected;
  return isToDifferences ? given : given + expected;
}

/// As far from the part's own offset, `own`, as the view before was from its part's.
void OffsetWalk::view(PartView& view, std::uint64_t own, std::size_t source) {
  std::uint64_t& drift = drifts_[source];
  drift = turn(view, own + drift) - own;
}

}  // namespace strata
