#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "core/match/detail/lines.h"
#include "core/match/detail/name_index.h"
#include "core/match/detail/plan.h"
#include "core/result.h"

namespace strata::match {

/// Finds parents for parts of one weight: grown and shrunk weights, merged ones (Q, K and V in one
/// matrix) and slices of merged ones, whichever way round either side lies; matrices that the other
/// side has stacked in one weight of three dimensions; and lines that were inserted or removed
/// anywhere.
class SegmentMatcher {
 public:
  /// `names` and `sampler` must outlive the matcher.
  SegmentMatcher(const NameIndex& names, ParentSampler& sampler, bool allowCasts);

  /// The cheapest plan found for `variant`: `known` if nothing beats it clearly.
  Result<Plan> improve(const VariantWeight& variant, Plan known);

 private:
  struct Segment {
    LineRun run;
    PartMatch part;
    double gain = 0;  ///< bits saved
    bool mixed = false;
  };

  /// Lines that may go together, and how alike the weights' names are.
  struct NamedPair {
    LinePair lines;
    double similarity = 0;
  };

  /// Whether so much was read or compared that only parents of the same name are worth more.
  bool exhausted() const noexcept;
  std::vector<std::size_t> parentsFor(const VariantWeight& variant, Axis axis);
  std::vector<NamedPair> pairsFor(const VariantWeight& variant, Axis axis);
  Result<std::vector<Segment>> segmentsOf(const VariantWeight& variant, const NamedPair& pair);
  Result<bool> addIfStacked(const VariantWeight& variant, PartMatch part,
                            std::vector<Segment>& segments);
  Result<void> addStackedParents(const VariantWeight& variant, std::vector<Segment>& segments);
  Result<void> addSliceOfStack(const VariantWeight& variant, std::vector<Segment>& segments);
  Result<Plan> bestCover(const VariantWeight& variant, Axis axis);
  Result<Plan> align(const VariantWeight& variant, const LinePair& pair);
  Result<Plan> improveByAlignment(const VariantWeight& variant, Plan known);

  const NameIndex& names_;
  ParentSampler& sampler_;
  bool allowCasts_;
  std::size_t readsBefore_;
  std::uint64_t pairCount_ = 0;     ///< looked at for their lines' length
  std::uint64_t measureCount_ = 0;  ///< of runs without the lead of a name
  /// Parents with lines of that length, ascending.
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> byLineLength_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> matrices_;  ///< by count of words
  std::unordered_map<std::size_t, std::uint64_t> nextSlice_;  ///< row of a parent, likely the next
};

}  // namespace strata::match
