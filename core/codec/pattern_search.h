#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/codec/pattern_set.h"
#include "kernels/device_engine.h"

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
  /// A basis that may have the best pattern of a run.
  struct Candidate {
    std::uint32_t run;
    std::uint32_t basis;
  };

  std::span<const float> run(std::span<const float> runs, std::size_t number) const;
  /// Run `r` of the batch in whole numbers, as large as its transform in 16 bits takes.
  void round(std::span<const float> values, std::size_t r);
  void interleave(std::size_t runs);
  /// The bases whose sizes are so near the largest that rounding may have decided: the error of a
  /// sum of n rounded numbers has a spread of 0.29 sqrt(n), and seven spreads of the difference
  /// of two are 3 sqrt(n). None for a run of zeros.
  void findCandidates(std::size_t runs);
  void decide(std::span<const float> runs, std::span<PatternMatch> matches);
  /// The flipped words of a run as vector `c` of x_.
  void load(std::span<const float> values, std::uint32_t basis, std::size_t c);

  PatternSet set_;
  std::size_t entries_;  ///< of a run, filled up to a power of two
  std::vector<std::int16_t> flips_;
  std::vector<std::int16_t> runs_;  ///< rounded, one after the other
  std::vector<std::int16_t> interleaved_;
  std::vector<std::int16_t> scratch_;
  std::vector<std::int16_t> sizes_;
  std::vector<Candidate> candidates_;
  std::vector<float> x_;
};

}  // namespace strata
