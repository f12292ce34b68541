#include "core/quantize/tensor_choice.h"

#include <algorithm>
#include <cmath>

#include "core/codec/lossy/patterns_codec.h"
#include "core/parallel.h"
#include "core/quantize/exact_types.h"
#include "core/quantize/moment_choice.h"

namespace strata {
namespace {

/// Patterns have some words each, and embeddings none: steps below this, in units of the changes'
/// root mean square, would not make them any nearer. Levels have no such end.
constexpr double kFinestPatterns = 0.5;

/// Settings on their way from rule to rule.
struct Draft {
  CodecId codec = CodecId::Patterns;
  LossySettings settings = {};
};

void apply(const QuantizeRule& rule, Draft& draft) {
  if (rule.codec) draft.codec = *rule.codec;
  forEachLossySetting([&](const auto& setting) {
    if (const auto& value = rule.*setting.inRule) draft.settings.*setting.inCodec = *value;
  });
}

/// Vectors are few words and mean much: patterns would drown them, and the published codecs are for
/// matrices; their papers keep vectors whole.
CodecId codecOfVector(CodecId codec) {
  switch (codec) {
    case CodecId::Patterns:
      return CodecId::Levels;
    case CodecId::Exponent:
    case CodecId::Huffman:
    case CodecId::Rows:
    case CodecId::Sign:
    case CodecId::Index:
      return CodecId::Integer;
    default:
      return codec;
  }
}

std::optional<LossyChoice> choose(const TensorInfo& tensor, const QuantizeSettings& settings,
                                  double unit, const TensorSensitivity& sensitivity) {
  if (!canQuantize(tensor.type)) return std::nullopt;
  Draft draft;
  apply(startingRule(isMatrix(tensor)), draft);
  for (const auto& rules : {defaultRules(), settings.rules}) {
    for (const QuantizeRule& rule : rules) {
      if (rule.matches(tensor)) apply(rule, draft);
    }
  }
  if (!isMatrix(tensor)) draft.codec = codecOfVector(draft.codec);
  if (!isLossy(draft.codec)) return std::nullopt;
  LossySettings& s = draft.settings;
  const double scale = settings.stepScale * sensitivity.stepFactor;
  const bool isFine = isTooFineForPatterns(s.step * scale);
  if (isFine && draft.codec == CodecId::Patterns) draft.codec = CodecId::Levels;
  s.step *= scale * unit;
  s.patternLength = scaledPatternLength(s.patternLength, scale);
  s.seed = settings.seed;
  if (isMatrix(tensor)) s.weights = sensitivity.weights();
  // What comes into a convolution is not below 0 for the most part: errors that do not cancel out
  // in a row shift its channel everywhere.
  s.keepsRowSums = tensor.kind == TensorKind::Convolution;
  LossyChoice choice{draft.codec, s};
  if (draft.codec == CodecId::Index) choice.gradients = sensitivity.gradients;
  return choice;
}

}  // namespace

bool isTooFineForPatterns(double step) noexcept { return step < kFinestPatterns; }

bool isMatrix(const TensorInfo& tensor) {
  const WordMatrix matrix = wordMatrix(tensor.type, tensor.shape, tensor.byteCount);
  return matrix.rows >= 16 && matrix.columns >= 9;
}

QuantizeRule startingRule(bool isMatrix) {
  const LossySettings usual;
  return {.codec = isMatrix ? CodecId::Patterns : CodecId::Levels,
          .step = isMatrix ? 3.0 : 0.25,
          .deadZone = usual.deadZone,
          .gain = isMatrix ? 1.0 : 0.0,
          .patternLength = usual.patternLength,
          .rank = isMatrix ? 4U : 0U,
          .factorStep = usual.factorStep};
}

std::vector<QuantizeRule> defaultRules() {
  return {
      {.kind = TensorKind::Embedding, .patternLength = 0U, .rank = 4U},
      {.kind = TensorKind::Convolution, .patternLength = 32U, .rank = 8U, .factorStep = 0.7},
  };
}

std::vector<std::optional<LossyChoice>> chooseForTensors(
    const ModelDescription& model, const QuantizeSettings& settings, const ChangeScale& scale,
    std::span<const TensorSensitivity> sensitivities) {
  const TensorSensitivity alike;
  const MomentChoices moments(model, settings);
  std::vector<std::optional<LossyChoice>> choices;
  for (std::size_t t = 0; t < model.tensors.size(); ++t) {
    const TensorInfo& tensor = model.tensors[t];
    if (isOptimizerState(tensor.kind)) {
      choices.push_back(moments.choose(static_cast<std::uint32_t>(t)));
      continue;
    }
    const double unit =
        isMatrix(tensor) ? scale.matrices : std::max(scale.matrices, scale.tensors[t]);
    choices.push_back(
        choose(tensor, settings, unit, sensitivities.empty() ? alike : sensitivities[t]));
  }
  return choices;
}

Result<ChangeScale> measureChangeScale(const ModelDescription& model, const ModelPlan& plan,
                                       const PartEncoder& encoder) {
  std::vector<Change> changes(plan.parts.size());
  STRATA_TRY(parallelFor(plan.parts.size(), [&](std::size_t i) -> Result<void> {
    const PartPlan& part = plan.parts[i];
    if (part.isIdentical || !part.view || part.view->own) return {};
    const TensorInfo& tensor = model.tensors[part.tensor];
    if (!isQuantizable(wordFormat(tensor.type)) || isOptimizerState(tensor.kind)) return {};
    STRATA_TRY(changes[i], encoder.change(part));
    return {};
  }));
  const auto rms = [](const Change& change) {
    return change.words == 0
               ? 0.0
               : std::sqrt(change.differenceSquares / static_cast<double>(change.words));
  };
  std::vector<Change> tensors(model.tensors.size());
  Change matrices;
  Change all;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const std::uint32_t t = plan.parts[i].tensor;
    tensors[t].add(changes[i]);
    all.add(changes[i]);
    if (isMatrix(model.tensors[t])) matrices.add(changes[i]);
  }
  ChangeScale scale;
  scale.matrices = rms(matrices.differenceSquares > 0 ? matrices : all);
  for (const Change& change : tensors) scale.tensors.push_back(rms(change));
  for (const Change& change : changes) scale.partSquares.push_back(change.differenceSquares);
  return scale;
}

}  // namespace strata
