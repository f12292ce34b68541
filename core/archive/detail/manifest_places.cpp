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
      STRATA_TRY(const TensorLayout layout, layoutOf(tensor));
      end = offset + layout.byteCount;
      for (std::size_t p = 0; p < layout.parts.size(); ++p) {
        archive::Part& part = *tensor.mutable_parts(static_cast<int>(p));
        if (part.has_view()) view(*part.mutable_view(), offset, layout, layout.parts[p]);
        if (part.has_section()) STRATA_TRY(section(*part.mutable_section()));
      }
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

  /// As far from the part's own place as the view before was from its part's.
  void view(archive::View& view, std::uint64_t tensorOffset, const TensorLayout& layout,
            const PartLayout& part) {
    const std::uint64_t firstWord = part.firstRow * layout.matrix.columns + part.firstColumn;
    const std::uint64_t own = tensorOffset + firstWord * wordFormat(layout.type).bytes;
    drift_ = turn(view, own + drift_) - own;
  }

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
