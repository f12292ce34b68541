#include "core/search/bound_search.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/search/kind_knobs.h"

namespace strata {

Result<void> searchBound(TrialLog& log, const SearchOptions& options) {
  const auto namesCodec = [](const QuantizeRule& rule) {
    return rule.codec && isLossy(*rule.codec);
  };
  const auto& rules = options.start.rules;
  if (std::any_of(rules.begin(), rules.end(), namesCodec)) return {};
  constexpr int kMostTrials = 5;
  constexpr double kBelow = 0.9;  // of the target is aimed at
  double bound = 1e-4;
  for (int i = 0; i < kMostTrials; ++i) {
    QuantizeSettings settings = options.start;
    settings.rules.insert(settings.rules.begin(),
                          QuantizeRule{.codec = CodecId::Bounded, .maxError = bound});
    STRATA_TRY(const Trial* trial, log.run(settings, fmt::format("bound {:.3g}", bound)));
    const double error = trial->measured.relativeError;
    // One that fits and is not far below is small enough.
    const bool isNear = error >= kBelow * kBelow * *options.target.error;
    if (error <= 0 || (trial->meetsTarget && isNear)) return {};
    bound = toFiveDigits(bound * kBelow * *options.target.error / error);
  }
  return {};
}

}  // namespace strata
