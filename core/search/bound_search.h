#pragma once

#include "core/search/search.h"
#include "core/search/trial_log.h"

namespace strata {

/// Reaches an error that no steps reach: with codec `bounded`, whose error follows its bound down
/// to the rounding of the words. Leaves settings alone that name a codec. Fails as TrialLog.
Result<void> searchBound(TrialLog& log, const SearchOptions& options);

}  // namespace strata
