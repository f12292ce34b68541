#include "core/archive/detail/own_sources.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "core/archive/layout.h"
#include "core/checked_math.h"

namespace strata {
namespace {

/// The tensor that all bytes of a range of a version's file belong to; nothing where there is none.
std::optional<std::uint32_t> tensorAround(const Manifest& manifest, std::uint32_t file,
                                          std::uint64_t offset, std::uint64_t byteCount) {
  std::size_t behind = 0;  // the first tensor that begins behind the offset
  for (std::size_t end = manifest.tensors.size(); behind < end;) {
    const std::size_t middle = behind + (end - behind) / 2;
    const ManifestTensor tensor = manifest.tensors[middle];
    if (std::pair(tensor.file, tensor.offset) > std::pair(file, offset)) {
      end = middle;
    } else {
      behind = middle + 1;
    }
  }
  if (behind == 0) return std::nullopt;
  const std::size_t index = behind - 1;
  const ManifestTensor tensor = manifest.tensors[index];
  const auto layout = layoutWithoutParts(tensor);
  if (!layout || tensor.file != file ||
      !rangeFits(offset - tensor.offset, byteCount, layout->byteCount)) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(index);
}

/// Visits each tensor behind all that it stands on. A circle is a way that never ends, and
/// kMostOwnLinks ends it.
class OwnSources {
 public:
  explicit OwnSources(const Manifest& manifest)
      : manifest_(manifest),
        ownLinks_(manifest.tensors.size()),
        isVisited_(manifest.tensors.size()) {}

  Result<void> run() {
    for (std::uint32_t t = 0; t < manifest_.tensors.size(); ++t) STRATA_TRY(visit(t, 0));
    return {};
  }

 private:
  /// `way`: own sources that lead here from where the walk began.
  Result<void> visit(std::uint32_t index, unsigned way) {
    if (isVisited_[index]) return {};
    const ManifestTensor tensor = manifest_.tensors[index];
    if (way > kMostOwnLinks) return damaged(tensor, "it stands on itself, or on too many others");
    STRATA_TRY(const TensorLayout layout, layoutOf(tensor));
    for (std::size_t p = 0; p < tensor.parts.size(); ++p) {
      STRATA_TRY(visitPart(index, tensor, p, layout.shapeOf(layout.parts[p]), way));
    }
    if (ownLinks_[index] > kMostOwnLinks) return damaged(tensor, "it stands on too many others");
    isVisited_[index] = true;
    return {};
  }

  Result<void> visitPart(std::uint32_t index, const ManifestTensor& tensor, std::size_t number,
                         const PartShape& shape, unsigned way) {
    const ManifestPart& part = tensor.parts[number];
    for (std::size_t s = 0; s < part.sourceCount(); ++s) {
      const PartView& view = part.source(s);
      if (!elementTypeFromStored(static_cast<std::uint32_t>(view.type))) {
        return damaged(tensor, "its view has words of an unknown type");
      }
      const auto extent = viewExtent(view, shape);
      if (!extent) return damaged(tensor, "its view is too large");
      if (!view.own) continue;
      const auto target = tensorAround(manifest_, view.file, view.offset, *extent);
      if (!target) return damaged(tensor, "its own view lies in no tensor");
      STRATA_TRY(visit(*target, way + 1));
      ownLinks_[index] = std::max(ownLinks_[index], ownLinks_[*target] + 1);
    }
    return {};
  }

  static tl::unexpected<Error> damaged(const ManifestTensor& tensor, std::string_view what) {
    return fail(ErrorCode::CorruptData, fmt::format("tensor {}: {}", tensor.name, what));
  }

  const Manifest& manifest_;
  std::vector<unsigned> ownLinks_;  ///< own sources one behind the other
  std::vector<bool> isVisited_;
};

}  // namespace

Result<void> checkOwnSources(const Manifest& manifest) { return OwnSources(manifest).run(); }

}  // namespace strata
