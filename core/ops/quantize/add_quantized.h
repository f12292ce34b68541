#pragma once

#include <optional>
#include <stop_token>

#include "core/ops/quantize/tune_model.h"
#include "core/ops/versions/add_version.h"

namespace strata {

/// What to do with a model whose target cannot be met.
enum class MissedGate { Refuse, Store };

struct QuantizedAdd {
  std::optional<TuneReport> tune = {};  ///< where something was searched or measured
  std::optional<AddReport> added = {};  ///< nothing where the target was missed, or stopped early
};

/// Stores `model` quantized. Settings are those of tune.plan; where an evaluator is given, or the
/// target needs none, they are searched and measured first, and what was measured is recorded. A
/// target of quality without an evaluator is left out: its settings are taken as they are.
/// `options` decides the parent; its quantize, quality and codec are set here. Fails as tuneModel()
/// and addVersion().
Result<QuantizedAdd> addQuantized(Store& store, const ModelSource& model, AddOptions options,
                                  TuneOptions tune, MissedGate missed, std::stop_token stop,
                                  const ProgressSink& progress);

/// Stores `model` as a profile says: exactly without a plan, else as addQuantized() without an
/// evaluator. Fails with Unsupported, naming it, where the plan's target cannot be met, and as
/// addVersion() and addQuantized().
Result<AddReport> addByPlan(Store& store, const ModelSource& model, const AddOptions& options,
                            const std::optional<QualityPlan>& plan, std::stop_token stop,
                            const ProgressSink& progress);

}  // namespace strata
