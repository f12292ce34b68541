#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/ops/care/unnamed_models.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/store/store_lock.h"

namespace strata {

struct RebuildReport {
  std::uint64_t versionCount = 0;  ///< bases included, the trash not
  std::uint64_t trashedCount = 0;
  std::uint64_t tagCount = 0;
  std::vector<std::string> problems;  ///< refs and manifests that could not be read, with reasons
  std::vector<std::string> rescued;   ///< labels of versions whose refs were written anew
  std::vector<UnnamedModel> unnamed;  ///< whole models that no ref and no old catalog names
  /// Versions and tags of a change that could not be read: done as the old catalog knew it.
  std::vector<std::string> finished = {};
  std::vector<std::filesystem::path> setAside = {};  ///< where files are now that cannot be read
  std::string lostHistory = {};  ///< why the log of operations begins anew; empty: it does not
};

/// Writes the catalog anew from refs and manifests. Works on a store whose catalog is missing or
/// unreadable, which Store::open refuses; an unreadable one is kept as `tmp/catalog.broken`. Tables
/// of a readable one that cannot be rebuilt (operation log, remotes) stay. So does the log of one
/// that is damaged elsewhere. Versions that the old
/// one knew and whose refs are missing or damaged get them anew, if it is sound or their manifests
/// are here; the others are problems.
/// Fails with NoStore, FormatTooNew, StoreLocked, Cancelled, NoSpace, Io.
Result<RebuildReport> rebuildCatalog(const std::filesystem::path& storeFolder, std::stop_token stop,
                                     const ProgressSink& progress, const LockWait& wait = {});

}  // namespace strata
