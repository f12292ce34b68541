#pragma once

#include <cstdint>
#include <vector>

#include "core/result.h"
#include "gui/jobs/job.h"
#include "gui/jobs/search_ops.h"
#include "gui/models/found_row.h"

namespace strata::gui {

/// What a search found, as the window keeps it from one run to the next: `found.json` in the
/// user's state folder, the last search only.
struct FoundList {
  static constexpr std::size_t kMostRows = 200;
  static constexpr qint64 kMostBytes = 1'000'000;  ///< of the file; a larger one is not read

  SearchRequest request = {};
  std::vector<FoundRow> rows = {};
  std::int64_t foundAt = 0;  ///< seconds since 1970, UTC; 0: nothing was ever found

  /// Empty where there is no such file, or one that is none. On a worker.
  static FoundList load();
  /// Keeps the first kMostRows. Fails with Io. On a worker.
  Result<void> save() const;
};

OpJob<FoundList>* loadFoundJob();
OpJob<bool>* keepFoundJob(const FoundList& list);

}  // namespace strata::gui
