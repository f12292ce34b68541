#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "core/ops/quantize/tune_model.h"
#include "core/quantize/estimate.h"

namespace strata {

struct EstimateReport {
  SampledEstimate estimate;
  std::string parentLabel;  ///< what the model is a difference to
  std::uint64_t originalBytes = 0;
  double seconds = 0;  ///< of the estimate, without opening

  /// As AddReport::isFurtherThanParent.
  bool isFurtherThanParent() const noexcept {
    return !parentLabel.empty() && strata::isFurtherThanParent(estimate.relativeError.value);
  }
};

/// Judges settings for one model from samples of it: one set after the other, while a person turns
/// knobs. Holds the model and its parent open; nothing is written to the store. Safe to use from
/// several threads.
class SettingsEstimator {
 public:
  /// `options` says what the model is a difference to, and the gradients; `store`, `model` and
  /// the gradients must outlive the estimator. Compares every weight with its parent's, once. Fails
  /// as tuneModel().
  static Result<std::unique_ptr<SettingsEstimator>> open(const Store& store,
                                                         const ModelSource& model,
                                                         const TuneOptions& options);
  ~SettingsEstimator();

  /// Sizes are those of a version with the profile of `options.parent`. Fails with
  /// InvalidArgument, Cancelled, CorruptData (a damaged parent).
  Result<EstimateReport> estimate(const QuantizeSettings& settings, const SampleSize& size,
                                  const std::stop_token& stop) const;

 private:
  struct State;
  explicit SettingsEstimator(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace strata
