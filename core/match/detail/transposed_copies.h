#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/match/detail/sampling.h"

namespace strata::match {

/// Finds weights of a model that hold the words of an earlier one the other way round, as tied
/// input and output embeddings do in many exports.
class TransposedCopies {
 public:
  /// `weights` must outlive this.
  explicit TransposedCopies(const VariantWeights& weights);

  /// The first weight before `index` that it seems to be a transposed copy of, by some hundred
  /// words.
  std::optional<std::size_t> originalOf(std::size_t index) const;

 private:
  struct Entry {
    std::uint64_t key = 0;  ///< of some words
    std::uint32_t weight = 0;
  };

  const VariantWeights& weights_;
  std::vector<Entry> entries_;  ///< in order
};

}  // namespace strata::match
