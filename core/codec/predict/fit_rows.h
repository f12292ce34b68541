#pragma once

#include "core/codec/codec.h"
#include "core/codec/predict/fit_step.h"
#include "core/codec/predict/predictor.h"

namespace strata {

/// Several steps fitted to a part row by row. A row of an embedding is reached by the gradients of
/// few steps. Where that was one step, both first moments tell its gradient, and the square of that
/// the second moment, but for a share that depends on which of the steps it was: rows of the same
/// step have the same. How far weights went is proportional to both moments over the roots of the
/// second ones, by rates that belong to that step, too.
///
/// `drift` is a step of UpdateForm::Drift (fitDrift()). Words of the sample lie row by row, all of
/// the part's: v0, v1, m0 and m1.
DecayedRows fitRowShares(const AdamStep& drift, const PartShape& shape, const StepSample& sample);
/// The same with w0 and w1, too.
ReplayedRowWeights fitRowWeights(const AdamStep& drift, const PartShape& shape,
                                 const StepSample& sample);

}  // namespace strata
