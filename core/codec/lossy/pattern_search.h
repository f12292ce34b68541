#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/codec/lossy/pattern_set.h"
#include "kernels/device_engine.h"
#include "kernels/pattern_kernels.h"

namespace strata {

using kernels::PatternMatch;

/// Finds the best pattern of each run of words.
///
/// Transforms of runs rounded to 16 bits tell which bases are near the best one; of these the
/// transforms in f32 decide.
class PatternSearch {
 public:
  explicit PatternSearch(const PatternSet& set);

  /// Adds the patterns of the runs of `block` to `out`; the last run may be shorter.
  void append(std::span<const float> block, std::vector<PatternMatch>& out);

 private:
  std::span<const float> run(std::span<const float> runs, std::size_t number) const;
  /// Lists bases whose sizes are so near the largest that rounding may have decided.
  void findCandidates(std::span<const float> runs, std::size_t count);
  void decide(std::span<const float> runs, std::span<PatternMatch> matches);
  /// The words of a run for x_: with zeros behind, where it is shorter than the others.
  const float* padded(std::span<const float> values);

  PatternSet set_;
  std::size_t entries_;  ///< of a run, filled up to a power of two
  std::vector<std::int16_t> flips_;
  std::vector<std::int16_t> runs_;  ///< rounded, one after the other
  std::vector<std::int16_t> interleaved_;
  std::vector<std::int16_t> scratch_;
  std::vector<std::int16_t> sizes_;
  std::vector<kernels::FlippedRun> candidates_;
  std::vector<float> x_;       ///< interleaved candidates
  std::vector<float> padded_;  ///< the last run
};

}  // namespace strata
