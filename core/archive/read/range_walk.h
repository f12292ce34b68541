#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/archive/read/stored_tensors.h"

namespace strata {

/// A run of a file's bytes that come from one place.
struct Segment {
  std::uint64_t offset = 0;  ///< in the file
  std::uint64_t byteCount = 0;
  std::optional<std::uint32_t> tensor;  ///< else skeleton bytes …
  std::uint64_t skeletonOffset = 0;     ///< … from here on
};

/// Bytes of a file that one skeleton, one part or one band of parts side by side gives.
struct Stretch {
  std::optional<std::uint32_t> tensor;  ///< else bytes of the skeleton
  std::uint32_t firstPart = 0;
  std::uint32_t endPart = 0;
  std::uint64_t offset = 0;  ///< in the skeleton, in the part, or of a band in the tensor
  std::uint64_t byteCount = 0;

  bool isBand() const noexcept { return endPart - firstPart > 1; }
};

/// Resolves a range of a file's bytes to the stretches that give them, in order. Processor and
/// device both go by it.
class RangeWalk {
 public:
  /// `segments` and `tensors` are a version's, and borrowed. The range lies in the file.
  RangeWalk(std::span<const Segment> segments, const StoredTensors& tensors, std::uint64_t offset,
            std::uint64_t byteCount) noexcept;

  /// None of them is empty. Nothing at the end of the range.
  std::optional<Stretch> next();

 private:
  std::span<const Segment> segments_;
  const StoredTensors& tensors_;
  std::uint64_t offset_;
  std::uint64_t end_;
};

}  // namespace strata
