#pragma once

#include "core/search/search.h"
#include "core/search/trial_log.h"

namespace strata {

/// Guided exhaustive search of Inshrinkerator (arXiv 2306.11800, section on the first checkpoint):
/// the diagonal of the grid is tried, the boxes below and above its first feasible point are
/// decided by monotonicity, the mixed ones are searched in turn, those whose cheapest corner cannot
/// beat the best so far are left out. Once per prune score. Fails as TrialLog.
Result<void> searchGuided(TrialLog& log, const SearchOptions& options);

/// Delta-neighbourhood search of the same paper: from the last version's settings the other prune
/// score is tried, then the points one step away that are not more aggressive, the smallest first,
/// in rounds of as many as there are evaluators, until a round has a feasible one. Else guided.
Result<void> searchNeighbourhood(TrialLog& log, const SearchOptions& options);

}  // namespace strata
