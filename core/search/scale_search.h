#pragma once

#include "core/search/search.h"
#include "core/search/trial_log.h"

namespace strata {

/// Our own search. One multiplier of all steps is fitted to the target by bisection. Then each kind
/// of tensor is varied alone, which gives its share of the bytes and of the divergence; steps are
/// set so that every kind gives up the same quality per byte. Ranks, factor steps, gains and dead
/// zones follow, each kept where it saves bytes at equal divergence; at last the multiplier is
/// fitted again. All of that climbs the divergence, which is smooth; the target is held by the
/// score.
///
/// Fails as TrialLog.
Result<void> searchScale(TrialLog& log, const SearchOptions& options);

}  // namespace strata
