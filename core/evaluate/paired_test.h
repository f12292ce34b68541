#pragma once

#include <cstdint>
#include <vector>

#include "core/result.h"

namespace strata {

/// Two models on the same samples: how many only one of them got right, and how likely a
/// difference of that size is by chance.
struct PairedTest {
  std::uint64_t onlyFirst = 0;   ///< samples that the first got right and the second did not
  std::uint64_t onlySecond = 0;  ///< the other way round
  /// Of McNemar's exact test, two-sided: how often samples on which the models differ, each falling
  /// to either side by a fair coin, part at least as unevenly. 1 where they never differ.
  double pValue = 1;
};

/// McNemar, Psychometrika 12 (1947); exact binomial form. Fails with InvalidArgument if the models
/// were scored on different numbers of samples.
Result<PairedTest> pairedTest(const std::vector<bool>& first, const std::vector<bool>& second);

/// By how many samples one model can be ahead, where they differ on `differing`, without the test's
/// p falling below `significance`, 0 to 1.
std::uint64_t mostInsignificantLead(std::uint64_t differing, double significance);

}  // namespace strata
