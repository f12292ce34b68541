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

double pValueOf(std::uint64_t differing, std::uint64_t fewer) {
  return std::min(1.0, 2 * tailShare(differing, fewer));
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
  test.pValue =
      pValueOf(test.onlyFirst + test.onlySecond, std::min(test.onlyFirst, test.onlySecond));
  return test;
}

std::uint64_t mostInsignificantLead(std::uint64_t differing, double significance) {
  std::uint64_t fewer = 0;  // samples for the model behind: the fewest with p high enough
  std::uint64_t enough = differing / 2;  // p is 1 for these
  while (fewer < enough) {
    const std::uint64_t middle = (fewer + enough) / 2;
    if (pValueOf(differing, middle) < significance) {
      fewer = middle + 1;
    } else {
      enough = middle;
    }
  }
  return differing - 2 * fewer;
}

}  // namespace strata
