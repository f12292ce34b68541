#pragma once

#include <vector>

#include "core/model/model_source.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

/// A stored base and how well it would serve a new model.
struct BaseCandidate {
  VersionEntry version;
  double matchedShare = 0;    ///< share of the model's bytes that it has a like weight for
  double estimatedShare = 1;  ///< share of the model's bytes that would be stored
  bool serves = false;        ///< good enough for `add` to take it unasked
};

/// All bases of the store for `model`, the one that costs least first; the first that serves is
/// what `add` takes for a new name. Reads signatures only. Fails with CorruptData, Io.
Result<std::vector<BaseCandidate>> rankStoredBases(const Store& store, const ModelSource& model);

}  // namespace strata
