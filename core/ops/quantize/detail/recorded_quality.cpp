#include "core/ops/quantize/detail/recorded_quality.h"

namespace strata {
namespace {

constexpr double kNotMeasured = -1;

}  // namespace

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

archive::Quality recorded(const ProfileScore& score) {
  archive::Quality quality;
  quality.set_data(score.data);
  quality.set_metric(score.metric);
  quality.set_reference(score.reference);
  quality.set_score(score.score);
  quality.set_samples(score.samples);
  quality.set_divergence(score.divergence.value_or(kNotMeasured));
  quality.set_p_value(score.pValue.value_or(kNotMeasured));
  return quality;
}

archive::Quality unknownQuality(const char* data, const Evaluation& reference) {
  // Numbers with as many digits as scores have: they do not compress.
  archive::Quality quality;
  quality.set_data(data);
  quality.set_metric(reference.metric);
  quality.set_reference(reference.score);
  quality.set_score(0.73908513321516064);
  quality.set_samples(reference.samples);
  quality.set_divergence(0.00271828182845905);
  quality.set_p_value(0.31830988618379067);
  return quality;
}

}  // namespace strata
