#include "core/archive/detail/manifest_places.h"

#include <fmt/format.h>

#include <vector>

#include "core/archive/layout.h"
#include "core/archive/pack.h"

namespace strata {
namespace {

/// Walks over all offsets of a manifest in the order of its fields, and knows where each is
/// expected.
class PlaceWalk {
 public:
  enum class Way { ToDifferences, FromDifferences };

  PlaceWalk(Manifest& manifest, Way way)
      : manifest_(manifest),
        way_(way),
        packEnds_(static_cast<std::size_t>(manifest.packs_size()), kPackHeaderBytes) {}

  Result<void> run() {
    for (archive::File& file : *manifest_.mutable_files()) {
      if (file.has_skeleton()) STRATA_TRY(section(*file.mutable_skeleton()));
    }
    std::uint32_t file = 0;
    std::uint64_t end = 0;
    for (archive::Tensor& tensor : *manifest_.mutable_tensors()) {
      if (tensor.file() != file) end = 0;
      file = tensor.file();
      const std::uint64_t offset = turn(tensor, end);
      STRATA_TRY(const TensorLayout layout, layoutWithoutParts(tensor));
      end = offset + layout.byteCount;
      STRATA_TRY(parts(tensor, offset, layout));
    }
    for (archive::Section& tables : *manifest_.mutable_tables()) STRATA_TRY(section(tables));
    return {};
  }

 private:
  /// Turns the offset of `place`, expected at `expected`; the offset as it is in the file.
  template <typename Place>
  std::uint64_t turn(Place& place, std::uint64_t expected) {
    const std::uint64_t given = place.offset();
    const bool isToDifferences = way_ == Way::ToDifferences;
    place.set_offset(isToDifferences ? given - expected : given + expected);
    return isToDifferences ? given : given + expected;
  }

  /// Behind the one before in its pack.
  Result<void> section(archive::Section& section) {
    if (section.pack() >= packEnds_.size()) {
      return fail(ErrorCode::CorruptData, fmt::format("manifest: section of pack {}, there are {}",
                                                      section.pack(), packEnds_.size()));
    }
    std::uint64_t& end = packEnds_[section.pack()];
    end = turn(section, end) + section.byte_count();
    return {};
  }

  /// Parts of a sample do not tile their tensor, those of a damaged manifest neither: each is where
  /// it would be if they did.
  Result<void> parts(archive::Tensor& tensor, std::uint64_t offset, const TensorLayout& layout) {
    const WordMatrix& matrix = layout.matrix;
    std::uint64_t row = 0;
    std::uint64_t column = 0;
    for (archive::Part& part : *tensor.mutable_parts()) {
      const std::uint64_t firstWord = row * matrix.columns + part.first_column();
      if (part.has_view()) {
        view(*part.mutable_view(), offset + firstWord * wordFormat(layout.type).bytes);
      }
      if (part.has_section()) STRATA_TRY(section(*part.mutable_section()));
      column += part.column_count() == 0 ? matrix.columns - column : part.column_count();
      if (column < matrix.columns) continue;
      column = 0;
      row += part.row_count() == 0 ? matrix.rows - row : part.row_count();
    }
    return {};
  }

  /// As far from the part's own place, `own`, as the view before was from its part's.
  void view(archive::View& view, std::uint64_t own) { drift_ = turn(view, own + drift_) - own; }

  Manifest& manifest_;
  const Way way_;
  std::vector<std::uint64_t> packEnds_;  ///< where the section before ends
  std::uint64_t drift_ = 0;              ///< of the view before, from its part's place
};

}  // namespace

Result<void> placesToDifferences(Manifest& manifest) {
  return PlaceWalk(manifest, PlaceWalk::Way::ToDifferences).run();
}

Result<void> placesFromDifferences(Manifest& manifest) {
  return PlaceWalk(manifest, PlaceWalk::Way::FromDifferences).run();
}

}  // namespace strata
