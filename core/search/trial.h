#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/digest.h"
#include "core/evaluate/answer.h"
#include "core/evaluate/paired_test.h"
#include "core/quantize/quantize_settings.h"
#include "core/result.h"

namespace strata {

/// What one set of settings gives, as it was measured.
struct Measured {
  std::uint64_t storedBytes = 0;
  std::map<TensorKind, std::uint64_t> kindBytes = {};  ///< as QuantizedCandidate::kindBytes
  double relativeError = 0;                            ///< as QuantizedCandidate::relativeError
  std::optional<Evaluation> evaluation = {};           ///< nothing where it was not asked for
  Digest contentDigest = {};                           ///< of the model that was scored
};

/// Where a search gets its measurements from: a model and an evaluator, or a landscape of a test.
/// Safe to use from as many threads as parallelism() says.
class TrialSource {
 public:
  virtual ~TrialSource() = default;

  /// Measurements that pay at the same time.
  virtual std::size_t parallelism() const noexcept = 0;
  /// The score of the unquantized model; null where no quality can be measured.
  virtual const Evaluation* reference() const noexcept = 0;
  /// Fails with Evaluator if these settings could not be scored: the search goes on. Each other
  /// failure ends it.
  virtual Result<Measured> measure(const QuantizeSettings& settings, bool wantsScore,
                                   const std::stop_token& stop) = 0;
};

/// What a trial is called whose settings keep nothing of the change: the parent's own weights.
inline constexpr std::string_view kNoChange = "no change";

/// One set of settings that a search has tried.
struct Trial {
  unsigned number = 0;    ///< from 1, in the order of trying
  std::string what = {};  ///< why it was tried: "step scale 1.4"
  QuantizeSettings settings = {};
  Measured measured = {};
  /// Points of score that were lost against the unquantized model; negative for a gain.
  std::optional<double> loss = {};
  std::optional<PairedTest> test = {};  ///< of the unquantized model and this one
  /// Points that other samples are likely to lose (LossForecast); nothing where that is not known.
  std::optional<double> likelyLoss = {};
  std::optional<double> mostLoss = {};  ///< other samples lose more one time in ten at most
  bool meetsTarget = false;  ///< a target of quality on other samples, too, as far as is known
  std::string failure = {};  ///< why there is no score; empty where all went well
};

}  // namespace strata
