#pragma once

#include <cstdint>
#include <span>
#include <vector>

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

/// How levels are fitted to a sketch.
struct LevelFit {
  unsigned levelCount = 16;
  /// Share of the counts in the weights of the buckets; the rest is the share of their magnitudes.
  /// 1 gives the levels of least squared error.
  double countShare = 0.2;
  std::uint64_t seed = 1;
  unsigned rounds = 10;  ///< of Lloyd's iteration, at most
};

/// Non-uniform levels: weighted k-means over buckets, seeded by weighted k-means++ with the
/// distance itself, not its square (Inshrinkerator, arXiv 2306.11800, section 4). The weights are
/// `countShare * C + (1 - countShare) * |X|` with counts C and values X, each divided by its sum.
///
/// Ascending and distinct; as many levels as buckets where those are fewer. The same levels for the
/// same buckets and seed.
std::vector<float> fitLevels(std::span<const SketchBucket> buckets, const LevelFit& fit);

/// Evenly spaced levels from the least to the largest value: the quantizer of QD-Compressor (H. Jin
/// et al., ICCD 2021). Ascending; a single one where all values are alike.
std::vector<float> evenLevels(std::span<const SketchBucket> buckets, unsigned levelCount);

/// Where the nearest level changes: the means of neighbours, one fewer than there are levels. A
/// value on an edge belongs to the lower level (kernels: nearestLevels).
std::vector<float> levelEdges(std::span<const float> levels);

}  // namespace strata
