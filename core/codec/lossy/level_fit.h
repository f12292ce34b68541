#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/codec/lossy/level_sketch.h"

namespace strata {

/// How levels are fitted to a sketch.
struct LevelFit {
  unsigned levelCount = 16;
  /// Share of the counts in the weights of the buckets; the rest is the share of their magnitudes.
  /// 1 gives the levels of least squared error.
  double countShare = 0.2;
  std::uint64_t seed = 1;
  unsigned rounds = 10;  ///< of Lloyd's iteration, at most
};

/// Weighted k-means in one dimension, with all that is drawn by lot.
struct CentreSearch {
  std::vector<float> values;    ///< ascending
  std::vector<double> weights;  ///< as many
  std::vector<double> draws;    ///< a number in [0, 1) for each centre; fewer than values
  unsigned rounds = 10;         ///< of Lloyd's iteration, at most
};

/// The values and weights of a fit: `countShare * C + (1 - countShare) * |X|` with counts C and
/// values X, each divided by its sum.
CentreSearch centreSearch(std::span<const SketchBucket> buckets, const LevelFit& fit);

/// Ascending centres, one for each draw: seeded by weighted k-means++ with the distance itself, not
/// its square (Inshrinkerator, arXiv 2306.11800, section 4), then moved by Lloyd's iteration.
std::vector<double> centresOf(const CentreSearch& search);

/// Evenly spaced levels from the least to the largest value: the quantizer of QD-Compressor (H. Jin
/// et al., ICCD 2021). Ascending; a single one where all values are alike.
std::vector<float> evenLevels(std::span<const SketchBucket> buckets, unsigned levelCount);

/// Where the nearest level changes: the means of neighbours, one fewer than there are levels. A
/// value on an edge belongs to the lower level (kernels: nearestLevels).
std::vector<float> levelEdges(std::span<const float> levels);

}  // namespace strata
