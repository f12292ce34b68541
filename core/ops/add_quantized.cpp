#include "core/ops/add_quantized.h"

namespace strata {
namespace {

constexpr double kNotMeasured = -1;

archive::Quality recorded(const char* data, const ScoreChange& change) {
  archive::Quality quality;
  quality.set_data(data);
  quality.set_metric(change.reference.metric);
  quality.set_reference(change.reference.score);
  quality.set_score(change.restored.score);
  quality.set_samples(change.reference.samples);
  quality.set_divergence(change.restored.divergence.value_or(kNotMeasured));
  quality.set_p_value(change.test ? change.test->pValue : kNotMeasured);
  return quality;
}

/// Whether there is anything to find out before the model is stored.
bool needsTuning(const TuneOptions& tune) {
  const SearchTarget& target = tune.plan.target;
  return tune.evaluator || target.bytes || target.error;
}

}  // namespace

Result<QuantizedAdd> addQuantized(Store& store, const ModelSource& model, AddOptions options,
                                  TuneOptions tune, MissedGate missed, std::stop_token stop,
                                  const ProgressSink& progress) {
  QuantizedAdd done;
  // Errors of lossy versions would add up along a chain.
  if (options.chain == ChainPolicy::Auto) options.chain = ChainPolicy::Never;
  options.gradients = tune.gradients;
  options.quantize = tune.plan.quantize;
  if (needsTuning(tune)) {
    tune.parent = options;
    STRATA_TRY(done.tune, tuneModel(store, model, tune, stop));
    const Trial* chosen = done.tune->chosen();
    const bool isMissed = !done.tune->meetsTarget() && missed == MissedGate::Refuse;
    if (chosen == nullptr || isMissed) return done;
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled: nothing was stored");
    options.quantize = chosen->settings;
    if (done.tune->choice) options.quality.push_back(recorded("choice", *done.tune->choice));
    if (done.tune->test) options.quality.push_back(recorded("test", *done.tune->test));
  }
  QualityPlan used = tune.plan;
  used.quantize = *options.quantize;
  options.quantizeText = qualityProfileText({}, used);
  STRATA_TRY(done.added, addVersion(store, model, options, std::move(stop), progress));
  return done;
}

}  // namespace strata
