#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/part_words.h"

namespace strata {

/// Values that a sketch does not tell apart.
struct SketchBucket {
  float value = 0;          ///< within one percent of each of them
  std::uint64_t count = 0;  ///< never 0
};

/// A histogram of values whose buckets grow with the magnitude: DDSketch (C. Masson, J. Rim, H.
/// Lee, PVLDB 12, 2019) without merging of buckets, with relative error 0.01.
///
/// Positives, negatives and zeros are kept apart; subnormal values count as zeros. The bucket of a
/// value does not depend on the machine's `log`: edges are products of one factor, and the top bits
/// of a float lead to the one edge that can part it from its neighbours. Two nanoseconds a
/// value. Sketches of shards add up to the sketch of the whole.
class LevelSketch {
 public:
  LevelSketch();

  void add(std::span<const float> values) noexcept;
  void add(const LevelSketch& other) noexcept;
  /// The same of a sketch that was made elsewhere from bins(): a number for each slot.
  void add(std::span<const std::uint32_t> counts) noexcept;
  static std::span<const kernels::SketchBin> bins() noexcept;
  static std::size_t slotCount() noexcept;

  /// Finite values counted.
  std::uint64_t count() const noexcept;
  /// Infinities and NaNs met; they are in no bucket.
  std::uint64_t nonFiniteCount() const noexcept;

  /// Buckets that hold values, ascending.
  std::vector<SketchBucket> buckets() const;
  /// The magnitude, within one percent, that `share` of the finite values do not exceed; 0 where
  /// there are none or `share` is 0.
  float magnitudeAt(double share) const;
  /// The largest magnitude to prune so that no more than `share` of the values goes, at the outer
  /// edge of its bucket; 0 for 0: zeros alone.
  float pruneThreshold(double share) const;
  /// The magnitude above which no more than `share` of the values lies; infinite for 0.
  float protectThreshold(double share) const;

 private:
  std::vector<std::uint64_t> counts_;  ///< two banks, so that runs of one value do not stall
};

}  // namespace strata
