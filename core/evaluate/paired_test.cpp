#include "core/evaluate/paired_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace strata {
namespace {

/// Share of 2^tosses outcomes with at most `heads` heads. Sums from the largest term down, relative
/// to it, so that neither powers nor binomials overflow.
double tailShare(std::uint64_t tosses, std::uint64_t heads) {
  const auto n = static_cast<double>(tosses);
  const auto k = static_cast<double>(heads);
  double term = 1;
  double sum = 1;
  for (double i = k; i >= 1 && term > sum * 1e-18; --i) {
    term *= i / (n - i + 1);
    sum += term;
  }
  const double logLargest = std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
  return sum * std::exp(logLargest - n * std::log(2.0));
}

}  // namespace

Result<PairedTest> pairedTest(const std::vector<bool>& first, const std::vector<bool>& second) {
  if (first.size() != second.size()) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("paired test of {} and {} samples", first.size(), second.size()));
  }
  PairedTest test;
  for (std::size_t i = 0; i < first.size(); ++i) {
    test.onlyFirst += first[i] && !second[i] ? 1 : 0;
    test.onlySecond += second[i] && !first[i] ? 1 : 0;
  }
  const std::uint64_t differing = test.onlyFirst + test.onlySecond;
  const double tail = tailShare(differing, std::min(test.onlyFirst, test.onlySecond));
  test.pValue = std::min(1.0, 2 * tail);
  return test;
}

}  // namespace strata
