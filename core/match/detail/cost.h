#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/match/detail/word_math.h"
#include "core/model/element_type.h"

namespace strata::match {

/// What coding a tensor without a parent is estimated to cost.
struct AloneCost {
  double bitsPerWord = 0;
  std::uint32_t zeroLowBits = 0;  ///< low mantissa bits that no sample uses
};

/// Estimates from sampled words: sign and mantissa raw, exponents (or bytes) at their entropy;
/// less where there are few values, nothing where there is one.
AloneCost estimateAlone(std::span<const Word> samples, WordFormat format);

/// What coding a part against a parent is estimated to cost.
struct DeltaCost {
  double bitsPerWord = 0;
  std::uint32_t sampleCount = 0;
  bool mixed = false;  ///< some stretches match well and others not at all: lines have moved
  bool keeps = false;  ///< many floats everywhere are the parent's to the bit, as in pruned weights
};

/// Collects the bit lengths of sampled differences, stretch by stretch.
class DeltaMeter {
 public:
  /// Lengths of one stretch of the parent follow.
  void startStretch() { stretches_.push_back({}); }

  /// `isKept`: the word is the parent's, and not one that is frequent, such as zero.
  void add(std::uint32_t differenceBits, bool isKept = false) {
    stretches_.back().kept += isKept ? 1 : 0;
    ++histogram_[differenceBits];
    ++stretches_.back().count;
    stretches_.back().bits += differenceBits;
    ++count_;
    bits_ += differenceBits;
  }

  /// Too far apart to be worth more samples.
  bool hopeless(WordFormat format) const noexcept;
  std::uint32_t sampleCount() const noexcept { return count_; }
  DeltaCost finish(double bitsPerWordAlone) const;

 private:
  struct Stretch {
    std::uint32_t count = 0;
    std::uint32_t kept = 0;
    std::uint64_t bits = 0;
  };
  std::uint32_t histogram_[65] = {};
  std::vector<Stretch> stretches_;
  std::uint32_t count_ = 0;
  std::uint64_t bits_ = 0;
};

}  // namespace strata::match
