#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/config/config.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

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

/// Brings versions back under their old names and numbers. References look in the trash only.
/// Fails with NotFound, InvalidArgument (the parent is in the trash and not named), StoreLocked,
/// Io.
Result<TrashRestoreReport> restoreFromTrash(Store& store,
                                            const std::vector<std::string>& references);

/// What has to come back for `wanted` to come back: `wanted` and those of their parents that are in
/// the trash alone. A parent that is nowhere is left out.
Result<std::vector<VersionEntry>> withTrashedParents(const Catalog& catalog,
                                                     std::vector<VersionEntry> wanted);

struct EmptyTrashOptions {
  std::optional<std::int64_t> removedBeforeSeconds =
      {};  ///< only what was removed before that time
  bool dryRun = false;
};

struct EmptyTrashReport {
  std::vector<VersionEntry> versions;  ///< gone for good
  std::vector<std::string> kept;       ///< labels: another version is a difference to them
  std::uint64_t objectCount = 0;       ///< deleted
  std::uint64_t freedBytes = 0;
};

/// Deletes the trash and the objects that no version needs any more. What is in the trash and what
/// is needed is read from refs and manifests, not from the catalog.
/// Fails with CorruptData, and deletes nothing, if that cannot be told (NeededObjects::collect);
/// StoreLocked, Io.
Result<EmptyTrashReport> emptyTrash(Store& store, const EmptyTrashOptions& options);

}  // namespace strata
