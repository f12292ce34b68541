#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ops/versions/remove_versions.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

/// Which versions of a name stay. A version that one rule keeps stays, whatever the others say.
struct KeepRules {
  std::optional<std::uint64_t> last = {};   ///< the newest so many
  std::optional<std::uint64_t> every = {};  ///< those whose number so much divides: v10, v20, …
  bool tagged = false;                      ///< those with a tag
  bool best = false;                        ///< for each metric, the one with the best stored score

  bool isEmpty() const noexcept { return !last && !every && !tagged && !best; }
};

struct PruneOptions {
  std::vector<std::string> names = {};  ///< with patterns, as `run*`
  KeepRules keep = {};
  bool dryRun = false;
};

struct PruneReport {
  struct Row {
    VersionEntry version;
    std::vector<std::string> reasons = {};  ///< "last 5", "tag prod"; none: it goes
  };
  std::vector<Row> rows;  ///< by name, the newest first
  RemoveReport removal;   ///< of those without a reason
};

/// Moves the versions that no rule keeps to the trash, all or none, as removeVersions does.
/// Fails with InvalidArgument (no rule; a rule of 0; `best` for a name without scores), NotFound,
/// StoreLocked, CorruptData (a manifest with scores), Io.
Result<PruneReport> pruneVersions(Store& store, const PruneOptions& options);

}  // namespace strata
