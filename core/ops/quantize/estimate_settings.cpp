#include "core/ops/quantize/estimate_settings.h"

#include "core/ops/quantize/detail/model_quantizer.h"
#include "core/progress_meter.h"
#include "core/store/objects/probe.h"

namespace strata {

struct SettingsEstimator::State {
  ModelQuantizer model;
  std::uint64_t originalBytes = 0;
  QualityPlan plan;
  VersionRecord record;  ///< but for the settings
};

SettingsEstimator::SettingsEstimator(std::unique_ptr<State> state) : state_(std::move(state)) {}
SettingsEstimator::~SettingsEstimator() = default;

Result<std::unique_ptr<SettingsEstimator>> SettingsEstimator::open(const Store& store,
                                                                   const ModelSource& model,
                                                                   const TuneOptions& options) {
  auto state = std::make_unique<State>();
  STRATA_TRY(state->model, openQuantizer(store, model, options));
  for (const ModelFile& file : model.description().files) {
    state->originalBytes += file.bytes.size();
  }
  state->plan = options.plan;
  state->record.profile = options.parent.profile;
  STRATA_TRY(state->record.original, hashModel(model));
  return std::unique_ptr<SettingsEstimator>(new SettingsEstimator(std::move(state)));
}

Result<EstimateReport> SettingsEstimator::estimate(const QuantizeSettings& settings,
                                                   const SampleSize& size,
                                                   const std::stop_token& stop) const {
  const Stopwatch watch;
  EstimateReport report{{}, state_->model.parentLabel, state_->originalBytes, 0};
  VersionRecord record = state_->record;
  record.settings = recordedSettings(state_->plan, settings);
  STRATA_TRY(report.estimate, state_->model.quantizer->estimate(settings, size, stop, record));
  report.seconds = watch.seconds();
  return report;
}

}  // namespace strata
