#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/match/detail/likeness_index.h"
#include "core/match/detail/name_index.h"
#include "core/match/detail/plan.h"
#include "core/result.h"

namespace strata::match {

/// Finds for whole weights the whole weights they were tuned from, over all of them at once: what
/// is like costs little, and names and still unused parents decide between likes.
class WholeMatcher {
 public:
  /// All must outlive the matcher. `allowCasts`: parents of other float types count, too.
  WholeMatcher(const VariantWeights& variants, const NameIndex& names, ParentSampler& sampler,
               bool allowCasts);

  /// A parent that an identical weight has taken is second choice for others.
  void markUsed(std::size_t parent) { used_[parent] = true; }

  /// Gives the variants numbered `open` plans, where a parent pays. `plans` has all variants'.
  Result<void> match(std::span<const std::size_t> open, std::span<std::optional<Plan>> plans);

 private:
  struct Candidate {
    double bitsPerWord = 0;
    double score = 0;  ///< share of the cost alone, less what a like name is worth
    std::uint32_t parent = 0;
    bool transposed = false;
    bool mixed = false;  ///< as DeltaCost has it
    bool keeps = false;
  };
  /// Candidates of one variant after the other: for most of a million there is one.
  using Candidates = std::deque<Candidate>;
  struct Choice {
    double bestScore = 0;
    std::uint32_t variant = 0;
    std::uint32_t count = 0;  ///< of its candidates
    std::size_t first = 0;    ///< of these
  };

  Result<std::vector<Candidate>> candidatesFor(const VariantWeight& variant);
  Result<std::vector<Candidate>> measureAll(const VariantWeight& variant,
                                            std::span<const std::size_t> parents);
  std::vector<std::size_t> proposedByName(const VariantWeight& variant) const;
  Result<std::vector<std::size_t>> proposedByWords(const VariantWeight& variant,
                                                   std::span<const std::size_t> parents);
  const Candidate& choose(const Candidates& candidates, const Choice& choice) const;
  void take(const Candidate& chosen, const VariantWeight& variant, std::optional<Plan>& out);

  const VariantWeights& variants_;
  const NameIndex& names_;
  ParentSampler& sampler_;
  bool allowCasts_;
  std::vector<bool> used_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> parentsByWordCount_;
  /// Of groups with many parents, by word count; made when first needed.
  std::unordered_map<std::uint64_t, std::unique_ptr<LikenessIndex>> likeness_;
};

}  // namespace strata::match
