#pragma once

#include <vector>

#include "core/model/model_source.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

/// A stored version and how well it would serve a new model as its parent.
struct BaseCandidate {
  VersionEntry version;
  double matchedShare = 0;  ///< share of the model's bytes that it has a like weight for
  /// Share of the model's bytes that would be stored, at most: from samples, which see no low rank.
  double estimatedShare = 1;
  bool serves = false;  ///< good enough for `add` to take it unasked
};

/// Which versions may become a parent.
enum class BaseKinds {
  Bases,  ///< versions without a parent: lossy versions, and where chains are refused
  All
};

/// The versions of the store that serve `model` best, the one that costs least first; if that one
/// serves, it is what `add` takes for a new name. Reads signatures only: of 10,000 versions in less
/// than a second. Fails with CorruptData, Io.
Result<std::vector<BaseCandidate>> rankStoredBases(const Store& store, const ModelSource& model,
                                                   BaseKinds kinds = BaseKinds::All);

}  // namespace strata
