#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/ops/push_versions.h"

namespace strata {

/// A version on its way out.
struct PlannedPush {
  VersionEntry entry;
  RemoteVersion version;  ///< as the remote will list it
};

/// A version that the remote lists already, and whose objects have to be there.
struct VersionThere {
  RemoteVersion version;
  std::string label;  ///< as a report calls it
};

/// A version that is there already.
struct VersionMet {
  VersionEntry entry;
  std::string labelThere;
};

/// What a push will do, given what the remote lists.
struct PushPlan {
  std::vector<PlannedPush> items;  ///< parents before their differences
  std::vector<RefUpdate> tagUpdates;
  std::vector<VersionMet> alreadyThere;
  /// Whose objects have to be there: parents of `items` that the remote has, and `alreadyThere`
  /// with their parents, but not where all versions are pushed and some are new.
  std::vector<VersionThere> there;
  std::vector<FailedTransfer> failed;
  std::vector<std::string> tagsElsewhere;
  RefListing listing;  ///< the remote's, before

  /// Those of `items`, and the tags of versions that are or will be there; then the refs that have
  /// to stay, of `there` and of tags, with those of their objects that were sent again, `mended`.
  std::vector<RefUpdate> updates(const std::set<Digest>& mended) const;
  RefListing listingAfter() const;
};

/// The versions that the options name. Fails with NotFound or InvalidArgument.
Result<std::vector<VersionEntry>> versionsNamed(const Store& store, const PushOptions& options);

/// Those, with the parents of each, parents first. Fails with CorruptData or Io.
Result<std::vector<VersionEntry>> versionsToPush(const Store& store,
                                                 const std::vector<VersionEntry>& named,
                                                 const PushOptions& options);

/// Compares the versions with a remote's refs. Fails with CorruptData, NotFound (a ref or manifest
/// of this store), Io.
Result<PushPlan> planPush(const Store& store, const std::vector<VersionEntry>& versions,
                          const RefListing& listing, const PushOptions& options);

}  // namespace strata
