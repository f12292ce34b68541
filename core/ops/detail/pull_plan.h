#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/ops/detail/suspect_objects.h"
#include "core/ops/exchange/pull_versions.h"
#include "core/ops/exchange/version_matching.h"

namespace strata {

/// A version on its way in.
struct PlannedPull {
  const RemoteVersion* there = nullptr;
  std::optional<VersionEntry> here = {};     ///< the version here that it is, if any
  std::optional<VersionEntry> removed = {};  ///< the same, in the trash under another name
  std::vector<RemoteObject> missing = {};    ///< that this store lacks
  /// It is in the trash, restores, and comes back as it is coded here, whatever the remote has.
  bool staysAsCoded = false;
};

/// A base that is neither here nor on the remote, and the versions that need it.
struct NeededBase {
  BaseElsewhere base;
  std::vector<std::string> labels;
};

/// What a pull will do, given what the remote lists.
struct PullPlan {
  std::vector<PlannedPull> items;  ///< parents before their differences
  std::vector<VersionEntry> alreadyHere;
  std::vector<FailedTransfer> failed;
  std::vector<NeededBase> bases;  ///< of a dry run: that are fetched elsewhere
  /// Names there that were renamed here, with those that they have here. Only those whose new name
  /// the remote lacks. Their versions that are here are pulled again only where asked for by name.
  std::map<std::string, std::string> renamed;
  /// Labels there of snapshots that have no optimizer here any more (ReplacedSnapshots). They come
  /// only where asked for by name.
  std::vector<std::string> replaced;
  std::vector<std::string> modesElsewhere;  ///< as PullReport has them
};

/// Versions of the remote that are not to be pulled, and why; by label.
using LeftOut = std::map<std::string, Error>;

/// Those in `leftOut` and the differences to them are in `failed`. `library` must outlive the plan.
/// Fails with NotFound or InvalidArgument (references), Cancelled, Io.
Result<PullPlan> planPull(const Store& store, const RemoteLibrary& library,
                          const PullOptions& options, const LeftOut& leftOut,
                          const std::stop_token& stop, const ProgressSink& progress);

/// The same for one version alone, with its parents.
Result<PullPlan> planPullOf(const Store& store, const RemoteLibrary& library,
                            const RemoteVersion& version, const VersionMatching& matching,
                            const SuspectObjects& objects);

/// An object as a version lists it. Two versions may list one object with two sizes; one of them is
/// wrong then, and the other one is pulled.
using ListedObject = std::pair<Digest, std::uint64_t>;
inline ListedObject listed(const RemoteObject& object) { return {object.digest, object.byteCount}; }

/// For a plan that the disk has no room for: the versions that list objects with sizes that the
/// remote does not have, and those that no disk with `freeBytes` can take. Fails with Cancelled.
Result<LeftOut> unfitVersions(const PullPlan& plan, Transport& remote, std::uint64_t freeBytes,
                              const std::stop_token& stop);

/// The place of parts of objects.
std::filesystem::path partsFolder(const Store& store);

}  // namespace strata
