#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/archive/write/part_encoder.h"
#include "core/match/optimizer_pairs.h"
#include "core/quantize/quantize_settings.h"

namespace strata {

/// How an optimizer's moments are quantized: by codec `moments` or by fitted levels, where a rule
/// names their kind and one of these, and exactly without such a rule. A rounded second moment
/// below 0, or a first one that is not 0 where the second is, would ruin the run that goes on from
/// them; that codec gives neither (core/codec/lossy/moments_codec.h), nor do levels of moments that
/// were pruned together (core/quantize/joint_pruning.h).
///
/// Moments that are not f32, f16 or bf16, and those that belong to no weight of the model, stay
/// exact whatever the rules say: their choice has a refusal, which names the reason.
class MomentChoices {
 public:
  /// Both are borrowed.
  MomentChoices(const ModelDescription& model, const QuantizeSettings& settings);

  /// For a tensor that an optimizer keeps. Nothing: exactly, as asked for.
  std::optional<LossyChoice> choose(std::uint32_t tensor) const;

  /// The weights of a model and their moments.
  static std::vector<OptimizerPair> pairsOf(const ModelDescription& model);

 private:
  bool asksForMoments() const noexcept;
  void refuseOr(std::uint32_t tensor, LossyChoice& choice) const;

  const ModelDescription& model_;
  const QuantizeSettings& settings_;
  /// The second moment of each first one that has a weight; nothing where there is none.
  std::unordered_map<std::uint32_t, std::optional<std::uint32_t>> secondOf_;
  std::unordered_map<std::uint32_t, std::uint32_t> firstOf_;  ///< of each such second moment
};

}  // namespace strata
