#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/config/config.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

class LineageCheck;

struct TrashReport {
  std::vector<VersionEntry> versions;  ///< last removed first; `tags` are those they had
  std::uint64_t freeableBytes = 0;     ///< of objects that only the trash needs
};

Result<TrashReport> listTrash(const Store& store);

/// Until when a removed version is kept: the setting trash.days after its removal. From then on it
/// goes with `trash empty --expired`; nothing goes by itself. Seconds since 1970, UTC.
std::int64_t keptUntil(const VersionEntry& removed, const Config& config);
/// For EmptyTrashOptions: what was removed before has been kept as long as the settings say.
std::int64_t expiredBefore(const Config& config);

struct TrashRestoreReport {
  std::vector<VersionEntry> versions;
  std::vector<std::string> lostTags;  ///< "sst2:prod": in use by another version by now
};

/// Brings versions back under their old names and numbers. References, with patterns, look in the
/// trash only. What the versions are differences to stays where it is.
/// Fails with NotFound, InvalidArgument (that is not in the store), StoreLocked, Io.
Result<TrashRestoreReport> restoreFromTrash(Store& store,
                                            const std::vector<std::string>& references);

struct EmptyTrashOptions {
  std::optional<std::int64_t> removedBeforeSeconds =
      {};                                    ///< only what was removed before that time
  std::vector<std::string> references = {};  ///< only these, with patterns; empty: all
  bool acceptLost = false;  ///< also those that mend what is damaged (EmptyTrashReport::held)
  bool dryRun = false;
  LineageCheck* check = nullptr;  ///< borrowed; what it has hashed is not hashed again
};

struct EmptyTrashReport {
  /// A snapshot that stays in the trash: it is what mends a version without its optimizer.
  struct Held {
    std::string label;
    std::string damaged;  ///< label of that version: "verify --repair" makes it anew
  };
  std::vector<VersionEntry> versions;  ///< gone for good
  std::vector<VersionEntry> needed;    ///< of them: others are differences to them, so models stay
  std::vector<Held> held = {};         ///< of those that were meant
  std::uint64_t objectCount = 0;       ///< deleted
  std::uint64_t freedBytes = 0;
};

/// Deletes the trash and the objects that no version needs any more. A version that others are
/// differences to loses its name alone; its model goes with the last of them. What is in the trash
/// and what is needed is read from refs and manifests, not from the catalog.
///
/// A snapshot whose optimizer was left out (dropOptimizer) is the only source of what took its
/// place. So it stays where that is damaged, unless the loss is accepted. The objects of such
/// versions are hashed.
/// Fails with NotFound (references; one that means only what was removed later); CorruptData, and
/// deletes nothing, if that cannot be told (NeededObjects::collect); StoreLocked, Cancelled, Io.
Result<EmptyTrashReport> emptyTrash(Store& store, const EmptyTrashOptions& options,
                                    const std::stop_token& stop = {},
                                    const ProgressSink& progress = {});

}  // namespace strata
