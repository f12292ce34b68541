#pragma once

#include <map>

#include "core/archive/write/part_encoder.h"
#include "core/codec/lossy/level_sketch.h"
#include "core/model/model_source.h"
#include "core/quantize/sensitivity.h"
#include "core/result.h"

namespace strata {

/// What the matrices of one kind of layer are pruned and protected by, all together: Inshrinkerator
/// has one threshold for each type of layer, not for each tensor (arXiv 2306.11800, section 4.2).
struct PooledScores {
  LevelSketch words;          ///< of `index`
  LevelSketch sensitivities;  ///< |gradient * word|, likewise; empty without gradients
  LevelSketch changes;        ///< word - parent: of `levels`

  void add(const PooledScores& other) noexcept;
};

/// The scores of all matrices with a parent, by kind. `sensitivities` is empty or has one entry for
/// each tensor. Fails as reading the parent does.
Result<std::map<TensorKind, PooledScores>> poolScores(
    const ModelDescription& model, const ModelPlan& plan, const PartEncoder& encoder,
    std::span<const TensorSensitivity> sensitivities);

/// Puts thresholds in place of the shares that the choice's codec would take of each part. `levels`
/// behind low rank keep their shares: what the factors leave is not known before.
void setThresholds(const PooledScores& scores, LossyChoice& choice);

}  // namespace strata
