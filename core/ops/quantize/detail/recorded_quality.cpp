#include "core/ops/quantize/detail/recorded_quality.h"

namespace strata {
namespace {

constexpr double kNotMeasured = -1;

}  // namespace

QualityScore recorded(const char* data, const ScoreChange& change) {
  QualityScore quality;
  quality.data = data;
  quality.metric = change.reference.metric;
  quality.reference = change.reference.score;
  quality.score = change.restored.score;
  quality.samples = change.reference.samples;
  quality.divergence = change.restored.divergence.value_or(kNotMeasured);
  quality.pValue = change.test ? change.test->pValue : kNotMeasured;
  return quality;
}

QualityScore recorded(const ProfileScore& score) {
  QualityScore quality;
  quality.data = score.data;
  quality.metric = score.metric;
  quality.reference = score.reference;
  quality.score = score.score;
  quality.samples = score.samples;
  quality.divergence = score.divergence.value_or(kNotMeasured);
  quality.pValue = score.pValue.value_or(kNotMeasured);
  return quality;
}

QualityScore unknownQuality(const char* data, const Evaluation& reference) {
  // Numbers with as many digits as scores have: they do not compress.
  QualityScore quality;
  quality.data = data;
  quality.metric = reference.metric;
  quality.reference = reference.score;
  quality.score = 0.73908513321516064;
  quality.samples = reference.samples;
  quality.divergence = 0.00271828182845905;
  quality.pValue = 0.31830988618379067;
  return quality;
}

}  // namespace strata
