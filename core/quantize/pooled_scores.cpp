#include "core/quantize/pooled_scores.h"

#include "core/quantize/tensor_choice.h"

namespace strata {
namespace {

Result<PooledScores> scoresOf(const PartEncoder& encoder, const PartPlan& part,
                              const TensorGradients& gradients) {
  STRATA_TRY(const PartEncoder::Sides sides, encoder.sides(part, gradients));
  PooledScores scores;
  scores.words.add(sides.words);
  std::vector<float> values = sides.words;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] -= sides.parent[i];
  scores.changes.add(values);
  for (std::size_t i = 0; i < sides.gradients.size(); ++i) {
    values[i] = sides.gradients[i] * sides.words[i];
  }
  if (!sides.gradients.empty()) scores.sensitivities.add(values);
  return scores;
}

}  // namespace

void PooledScores::add(const PooledScores& other) noexcept {
  words.add(other.words);
  sensitivities.add(other.sensitivities);
  changes.add(other.changes);
}

Result<std::map<TensorKind, PooledScores>> poolScores(
    const ModelDescription& model, const ModelPlan& plan, const PartEncoder& encoder,
    std::span<const TensorSensitivity> sensitivities) {
  std::map<TensorKind, PooledScores> pooled;
  for (const PartPlan& part : plan.parts) {
    const TensorInfo& tensor = model.tensors[part.tensor];
    if (!part.view || part.view->own || !isMatrix(tensor)) continue;
    if (!isQuantizable(wordFormat(tensor.type))) continue;
    const TensorGradients gradients =
        sensitivities.empty() ? TensorGradients{} : sensitivities[part.tensor].gradients;
    STRATA_TRY(const PooledScores scores, scoresOf(encoder, part, gradients));
    pooled[tensor.kind].add(scores);
  }
  return pooled;
}

void setThresholds(const PooledScores& scores, LossyChoice& choice) {
  LossySettings& s = choice.settings;
  const bool isIndex = choice.codec == CodecId::Index;
  if (!isIndex && (choice.codec != CodecId::Levels || s.levelCount == 0 || s.rank != 0)) return;
  const LevelSketch& sizes = isIndex ? scores.words : scores.changes;
  const bool hasSensitivities = isIndex && scores.sensitivities.count() != 0;
  if (s.pruneShare > 0) {
    const bool prunesBySensitivity = s.bySensitivity && hasSensitivities;
    s.pruneBelow =
        (prunesBySensitivity ? scores.sensitivities : sizes).pruneThreshold(s.pruneShare);
  }
  if (s.protectShare > 0) {
    s.protectAbove = sizes.protectThreshold(s.protectShare);
    if (hasSensitivities) {
      s.protectSensitivityAbove = scores.sensitivities.protectThreshold(s.protectShare);
    }
  }
}

}  // namespace strata
