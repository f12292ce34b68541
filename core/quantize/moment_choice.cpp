#include "core/quantize/moment_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/quantize/exact_types.h"

namespace strata {
namespace {

bool isForMoments(CodecId codec) noexcept {
  return codec == CodecId::Moments || codec == CodecId::Levels;
}

}  // namespace

std::vector<OptimizerPair> MomentChoices::pairsOf(const ModelDescription& model) {
  std::vector<std::string> params;
  for (const OptimizerInfo& info : model.optimizers) {
    params.insert(params.end(), info.params.begin(), info.params.end());
  }
  return pairOptimizer(model, params);
}

MomentChoices::MomentChoices(const ModelDescription& model, const QuantizeSettings& settings)
    : model_(model), settings_(settings) {
  if (!asksForMoments()) return;
  for (const OptimizerPair& pair : pairsOf(model)) {
    secondOf_.emplace(pair.firstMoment, pair.secondMoment);
    if (pair.secondMoment) firstOf_.emplace(*pair.secondMoment, pair.firstMoment);
  }
}

bool MomentChoices::asksForMoments() const noexcept {
  return std::ranges::any_of(settings_.rules, [](const QuantizeRule& rule) {
    return rule.kind && isOptimizerState(*rule.kind) && rule.codec && isForMoments(*rule.codec);
  });
}

std::optional<LossyChoice> MomentChoices::choose(std::uint32_t tensor) const {
  const TensorInfo& info = model_.tensors[tensor];
  LossyChoice choice{.codec = CodecId::Integer};
  for (const QuantizeRule& rule : settings_.rules) {
    if (!rule.kind || !rule.matches(info)) continue;
    if (rule.codec) choice.codec = *rule.codec;
    if (rule.bits) choice.settings.bits = *rule.bits;
    if (rule.levelCount) choice.settings.levelCount = *rule.levelCount;
    if (rule.pruneBeta) choice.settings.pruneBeta = *rule.pruneBeta;
  }
  if (!isForMoments(choice.codec)) return std::nullopt;
  choice.settings.areSquares = info.kind == TensorKind::SecondMoment;
  choice.settings.zeroApart = true;
  choice.settings.gain = 0;
  refuseOr(tensor, choice);
  return choice;
}

/// Gives a first moment its second one, or says why the tensor stays exact.
void MomentChoices::refuseOr(std::uint32_t tensor, LossyChoice& choice) const {
  const auto typeOf = [&](std::uint32_t t) { return model_.tensors[t].type; };
  const bool isSecond = choice.settings.areSquares;
  const auto first = secondOf_.find(tensor);
  if (choice.codec == CodecId::Levels && choice.settings.levelCount == 0) {
    choice.refusal = "moments as levels need a number of levels";
  } else if (!canQuantize(typeOf(tensor))) {
    choice.refusal = fmt::format("has words of {}; moments are quantized in f32, f16 and bf16",
                                 name(typeOf(tensor)));
  } else if (isSecond ? !firstOf_.contains(tensor) : first == secondOf_.end()) {
    choice.refusal = "belongs to no weight of the model";
  } else if (!isSecond && first->second) {
    const std::uint32_t second = *first->second;
    if (!canQuantize(typeOf(second))) {
      choice.refusal =
          fmt::format("has a second moment of {}; moments are quantized in f32, f16 and bf16",
                      name(typeOf(second)));
    }
    choice.secondMoment = bytesOf(model_, model_.tensors[second]);
    choice.secondType = typeOf(second);
  }
}

}  // namespace strata
