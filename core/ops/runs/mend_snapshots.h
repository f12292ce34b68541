#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "core/progress.h"
#include "core/result.h"
#include "core/store/store.h"

namespace strata {

struct MendedSnapshots {
  /// A damaged version without its optimizer, and the snapshot in the trash that it was made of.
  struct Pair {
    std::string label;
    std::string from;
    std::string why = {};  ///< of one that failed
  };
  std::vector<Pair> mended;
  std::vector<Pair> failed;
};

/// Mends versions that took the place of a snapshot and lack its optimizer (dropOptimizer), where
/// they are damaged and the snapshot still lies sound in the trash. They stay without their
/// optimizer, and the snapshot stays where it is. Fails as LineageCheck and with what the catalog
/// fails with; what else fails is reported, and the others are mended all the same.
Result<MendedSnapshots> mendSnapshots(Store& store, const std::stop_token& stop,
                                      const ProgressSink& progress);

}  // namespace strata
