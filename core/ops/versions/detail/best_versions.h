#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

/// One of several versions that none is better than, by a metric.
struct BestVersion {
  std::size_t at = 0;  ///< in the list that was given
  std::string metric;
  double score = 0;
  bool isMoreBetter = true;
};

/// For each metric that versions of a name have scores of, the best: of snapshots what their
/// trainer logged, of other versions what was measured when they were added. `newestFirst` are the
/// versions; of equal ones the newest is the best, but a score of its own step comes before one
/// that was logged earlier. `metric` is KeepRules::metric. More is better of what an evaluator
/// scored; of what was logged the trainer says it, else the name. Fails with InvalidArgument where
/// none has a score, or nothing says which way is better, and with CorruptData (a manifest with
/// scores).
Result<std::vector<BestVersion>> bestVersions(const Store& store,
                                              std::span<const VersionEntry> newestFirst,
                                              const std::string& metric);

}  // namespace strata
