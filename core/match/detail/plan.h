#pragma once

#include <vector>

#include "core/match/detail/sampling.h"

namespace strata::match {

/// How one weight of the variant is to be coded. Each part has a parent, and what no part covers
/// has none; the parts are disjoint bands of rows or disjoint bands of columns, in order.
struct Plan {
  std::vector<PartMatch> parts;
  double bits = 0;     ///< estimate for the whole weight, uncovered words included
  bool mixed = false;  ///< lines have moved inside of a part
  bool sure = false;   ///< of the parent, whatever the estimate says
};

/// Parts that match nothing cost what the weight costs alone.
inline Plan planWithoutParent(const VariantWeight& variant) {
  return {{}, variant.alone.bitsPerWord * static_cast<double>(variant.wordCount()), false, false};
}

/// Adds a part and accounts for it.
inline void addPart(Plan& plan, const VariantWeight& variant, const PartMatch& part) {
  plan.parts.push_back(part);
  plan.bits +=
      (part.bitsPerWord - variant.alone.bitsPerWord) * static_cast<double>(part.wordCount());
}

/// The whole of `variant` against as many words of a parent, which have no gaps.
inline PartMatch wholeMatch(const VariantWeight& variant, ParentRectangle from, bool transposed) {
  from.transposed = transposed;
  return {{0, variant.matrix.rows, 0, variant.matrix.columns}, from};
}

}  // namespace strata::match
