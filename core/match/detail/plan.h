#pragma once

#include <vector>

#include "core/match/detail/sampling.h"

namespace strata::match {

/// One region of a weight that is to be coded against a parent.
struct PlannedPart {
  Region region;
  double bitsPerWord = 0;
  bool identical = false;  ///< by checksum
  bool own = false;        ///< `region.parent` is a weight of the variant itself
};

/// How one weight of the variant is to be coded. What no part covers has no parent; the parts are
/// disjoint bands of rows or disjoint bands of columns, in order.
struct Plan {
  std::vector<PlannedPart> parts;
  double bits = 0;     ///< estimate for the whole weight, uncovered words included
  bool mixed = false;  ///< lines have moved inside of a part
  bool sure = false;   ///< of the parent, whatever the estimate says
};

/// Parts that match nothing cost what the weight costs alone.
inline Plan planWithoutParent(const VariantWeight& variant) {
  return {{}, variant.alone.bitsPerWord * static_cast<double>(variant.wordCount()), false, false};
}

/// Adds a part and accounts for it.
inline void addPart(Plan& plan, const VariantWeight& variant, const PlannedPart& part) {
  plan.parts.push_back(part);
  plan.bits +=
      (part.bitsPerWord - variant.alone.bitsPerWord) * static_cast<double>(part.region.wordCount());
}

/// The whole of `variant` against the whole of a weight with as many words.
inline Region wholeRegion(const VariantWeight& variant, std::size_t parent, bool transposed) {
  const auto [rows, columns] = variant.matrix;
  return {0, rows, 0, columns, parent, 0, transposed ? rows : columns, transposed};
}

}  // namespace strata::match
