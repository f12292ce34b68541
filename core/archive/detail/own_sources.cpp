#include "core/archive/detail/own_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/archive/layout.h"
#include "core/checked_math.h"

namespace strata {
namespace {

/// Visits each tensor behind all that it stands on. A tensor counts 0 until its number is known, so
/// a circle is a way that never ends, and kMostOwnSteps ends it.
class StepCount {
 public:
  StepCount(const Manifest& manifest, const ParentSteps& ofParent)
      : manifest_(manifest),
        ofParent_(ofParent),
        steps_(manifest.tensors.size()),
        ownSteps_(manifest.tensors.size()) {}

  Result<std::vector<std::uint32_t>> run() {
    for (std::uint32_t t = 0; t < manifest_.tensors.size(); ++t) STRATA_TRY(visit(t, 0));
    return std::move(steps_);
  }

 private:
  /// `way`: own sources that lead here from where the walk began.
  Result<void> visit(std::uint32_t index, unsigned way) {
    const ManifestTensor& tensor = manifest_.tensors[index];
    if (steps_[index] != 0) return {};
    if (way > kMostOwnSteps) return damaged(tensor, "it stands on itself, or on too many others");
    STRATA_TRY(const TensorLayout layout, layoutOf(tensor));
    std::uint32_t most = 0;
    for (std::size_t p = 0; p < tensor.parts.size(); ++p) {
      STRATA_TRY(const std::uint32_t steps,
                 stepsOf(index, tensor.parts[p], layout.shapeOf(layout.parts[p]), way));
      most = std::max(most, steps);
    }
    if (ownSteps_[index] > kMostOwnSteps) return damaged(tensor, "it stands on too many others");
    steps_[index] = most;
    return {};
  }

  Result<std::uint32_t> stepsOf(std::uint32_t index, const ManifestPart& part,
                                const PartShape& shape, unsigned way) {
    const ManifestTensor& tensor = manifest_.tensors[index];
    std::uint32_t steps = 1;
    for (std::size_t s = 0; s < part.sourceCount(); ++s) {
      const PartView& view = part.source(s);
      if (!elementTypeFromStored(static_cast<std::uint32_t>(view.type))) {
        return damaged(tensor, "its view has words of an unknown type");
      }
      const auto extent = viewExtent(view, shape);
      if (!extent) return damaged(tensor, "its view is too large");
      if (view.own) {
        const auto target = tensorAround(manifest_, view.file, view.offset, *extent);
        if (!target) return damaged(tensor, "its own view lies in no tensor");
        STRATA_TRY(visit(*target, way + 1));
        ownSteps_[index] = std::max(ownSteps_[index], ownSteps_[*target] + 1);
        steps += steps_[*target];
      } else if (ofParent_) {
        steps += ofParent_(view, *extent);
      }
      // Four sources of as many steps at most: the sum fits.
      if (steps > kMostSteps) return damaged(tensor, "too many others have to be read for it");
    }
    return steps;
  }

  static tl::unexpected<Error> damaged(const ManifestTensor& tensor, std::string_view what) {
    return fail(ErrorCode::CorruptData, fmt::format("tensor {}: {}", tensor.name, what));
  }

  const Manifest& manifest_;
  const ParentSteps& ofParent_;
  std::vector<std::uint32_t> steps_;
  std::vector<unsigned> ownSteps_;  ///< own sources one behind the other
};

}  // namespace

std::optional<std::uint32_t> tensorAround(const Manifest& manifest, std::uint32_t file,
                                          std::uint64_t offset, std::uint64_t byteCount) {
  const auto place = std::pair(file, offset);
  const auto behind = std::partition_point(
      manifest.tensors.begin(), manifest.tensors.end(),
      [&](const ManifestTensor& tensor) { return std::pair(tensor.file, tensor.offset) <= place; });
  if (behind == manifest.tensors.begin()) return std::nullopt;
  const ManifestTensor& tensor = *std::prev(behind);
  const auto layout = layoutWithoutParts(tensor);
  if (!layout || tensor.file != file ||
      !rangeFits(offset - tensor.offset, byteCount, layout->byteCount)) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(std::prev(behind) - manifest.tensors.begin());
}

Result<std::vector<std::uint32_t>> countSteps(const Manifest& manifest,
                                              const ParentSteps& ofParent) {
  return StepCount(manifest, ofParent).run();
}

}  // namespace strata
