#pragma once

#include <span>
#include <vector>

#include "core/match/detail/lines.h"
#include "core/match/detail/plan.h"
#include "core/result.h"

namespace strata::match {

/// Finds parents for parts of one weight: grown and shrunk weights, merged ones (Q, K and V in one
/// matrix) and slices of merged ones, whichever way round either side lies; and lines that were
/// inserted or removed anywhere.
class SegmentMatcher {
 public:
  /// `sampler` must outlive the matcher.
  SegmentMatcher(ParentSampler& sampler, bool allowCasts)
      : sampler_(sampler), allowCasts_(allowCasts), readsBefore_(sampler.readCount()) {}

  /// The cheapest plan found for `variant`: `known` if nothing beats it clearly.
  Result<Plan> improve(const VariantWeight& variant, Plan known);

 private:
  struct Segment {
    LineRun run;
    PlannedPart part;
    double gain = 0;  ///< bits saved
    bool mixed = false;
  };

  /// Whether so much was read that only parents of the same name are worth more.
  bool exhausted() const noexcept;
  std::vector<LinePair> pairsFor(const VariantWeight& variant, Axis axis) const;
  Result<std::vector<Segment>> segmentsOf(const VariantWeight& variant, const LinePair& pair);
  Result<Plan> bestCover(const VariantWeight& variant, Axis axis);
  Result<Plan> align(const VariantWeight& variant, const LinePair& pair);
  Result<Plan> improveByAlignment(const VariantWeight& variant, Plan known);

  ParentSampler& sampler_;
  bool allowCasts_;
  std::size_t readsBefore_;
};

}  // namespace strata::match
