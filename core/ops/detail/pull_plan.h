#pragma once

#include <optional>
#include <vector>

#include "core/ops/pull_versions.h"

namespace strata {

/// A version on its way in.
struct PlannedPull {
  const RemoteVersion* there = nullptr;
  std::optional<VersionEntry> here;   ///< the version of this name with its content, if any
  std::vector<RemoteObject> missing;  ///< that this store lacks
};

/// What a pull will do, given what the remote lists.
struct PullPlan {
  std::vector<PlannedPull> items;  ///< parents before their differences
  std::vector<VersionEntry> alreadyHere;
  std::vector<FailedTransfer> failed;
};

/// `library` must outlive the plan. Fails with NotFound or InvalidArgument (references), Io.
Result<PullPlan> planPull(const Store& store, const RemoteLibrary& library,
                          const PullOptions& options);

/// The place of parts of objects.
std::filesystem::path partsFolder(const Store& store);

}  // namespace strata
