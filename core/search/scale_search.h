#pragma once

#include "core/search/search.h"
#include "core/search/trial_log.h"

namespace strata {

/// Our own search, over one multiplier of all steps and knobs that are turned in notches: steps of
/// each kind of tensor, ranks, low rank or not, factor steps, gains, what is known of sensitivity.
///
/// Losses are noisy: each setting draws the rounding of all words anew, and the divergence of one
/// size differs by a quarter from draw to draw. So nothing is concluded from one trial. Logarithms
/// of bytes and divergence are taken to be linear in the multiplier and the knobs near the best
/// trial (LinearBelief), the divergence that the target allows is taken from all trials
/// (TrialGate), and each trial is the setting that should save most: the bytes that it would save
/// times the chance that it meets the target. Turned knobs and mere new draws compete on these
/// terms, and what is taken is a trial that did meet the target.
///
/// Fails as TrialLog.
Result<void> searchScale(TrialLog& log, const SearchOptions& options);

}  // namespace strata
