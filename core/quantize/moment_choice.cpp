#include "core/quantize/moment_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/match/optimizer_pairs.h"

namespace strata {

MomentChoices::MomentChoices(const ModelDescription& model, const QuantizeSettings& settings)
    : model_(model), settings_(settings) {
  if (!asksForMoments()) return;
  std::vector<std::string> params;
  for (const OptimizerInfo& info : model.optimizers) {
    params.insert(params.end(), info.params.begin(), info.params.end());
  }
  for (const OptimizerPair& pair : pairOptimizer(model, params)) {
    secondOf_.emplace(pair.firstMoment, pair.secondMoment);
    if (pair.secondMoment) firstOf_.emplace(*pair.secondMoment, pair.firstMoment);
  }
}

bool MomentChoices::asksForMoments() const noexcept {
  return std::ranges::any_of(
      settings_.rules, [](const QuantizeRule& rule) { return rule.codec == CodecId::Moments; });
}

std::optional<LossyChoice> MomentChoices::choose(std::uint32_t tensor) const {
  const TensorInfo& info = model_.tensors[tensor];
  LossyChoice choice{.codec = CodecId::Integer};
  for (const QuantizeRule& rule : settings_.rules) {
    if (!rule.kind || !rule.matches(info)) continue;
    if (rule.codec) choice.codec = *rule.codec;
    if (rule.bits) choice.settings.bits = *rule.bits;
  }
  if (choice.codec != CodecId::Moments) return std::nullopt;
  choice.settings.areSquares = info.kind == TensorKind::SecondMoment;
  refuseOr(tensor, choice);
  return choice;
}

/// Gives a first moment its second one, or says why the tensor stays exact.
void MomentChoices::refuseOr(std::uint32_t tensor, LossyChoice& choice) const {
  const auto isF32 = [&](std::uint32_t t) { return model_.tensors[t].type == ElementType::F32; };
  const bool isSecond = choice.settings.areSquares;
  const auto first = secondOf_.find(tensor);
  if (!isF32(tensor)) {
    choice.refusal = fmt::format("has words of {}; moments are quantized in f32 alone",
                                 name(model_.tensors[tensor].type));
  } else if (isSecond ? !firstOf_.contains(tensor) : first == secondOf_.end()) {
    choice.refusal = "belongs to no weight of the model";
  } else if (!isSecond && first->second) {
    const std::uint32_t second = *first->second;
    if (!isF32(second)) {
      choice.refusal = fmt::format("has a second moment of {}; moments are quantized in f32 alone",
                                   name(model_.tensors[second].type));
    }
    choice.secondMoment = bytesOf(model_, model_.tensors[second]);
  }
}

}  // namespace strata
