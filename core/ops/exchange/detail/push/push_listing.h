#pragma once

#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "core/ops/exchange/detail/push/push_plan.h"
#include "core/ops/exchange/push_versions.h"
#include "core/store/store.h"
#include "core/transfer/transport.h"

namespace strata {

/// The remote's list, as a push finds it, mends it and leaves it.
class PushListing {
 public:
  PushListing(const Store& store, Transport& remote, const PushOptions& options)
      : store_(store), remote_(remote), options_(options) {}

  /// Reads the list, and compares it with what was known before. Waits first until nobody deletes
  /// objects there, which must not be found then, but for a dry run. A remote that does not exist
  /// yet has no refs. Fails with what Transport::readRefs and checkStillThere fail with, and with
  /// NotFound or CorruptData where nothing can be mended.
  Result<RefListing> read(const std::stop_token& stop);
  /// The same after another pusher came first.
  Result<RefListing> readAgain(const std::stop_token& stop);
  /// What people are told of a list with a lower number than the one that was known.
  std::string olderText(const RefListing& listing) const;

  /// Fails as planPush and mendList.
  Result<PushPlan> planFor(const std::vector<VersionEntry>& versions,
                           const RefListing& listing) const;

  /// Has planFor() take what versions were recoded to here, where a mending push can send what they
  /// rest on there no more. `labels`: a plan's `lostThere`, once it was looked what is missing.
  /// False if no other plan comes of that.
  bool noteLost(const std::set<std::string>& labels);

  /// Keeps what was seen of the remote. Fails as keepFetched.
  Result<void> keepSeen(const RefListing& listing) const;
  /// Keeps what a push has made of it.
  Result<void> keepAfter(const PushPlan& plan, const std::stop_token& stop) const;

 private:
  Result<void> awaitSweep(const std::stop_token& stop) const;
  Result<RefListing> readRefs(const std::stop_token& stop) const;
  Result<void> checkPlace(const RefListing& listing) const;
  /// Whose list it is, and which lists were lost or are found again.
  PushPlan marked(PushPlan plan, const RefListing& listing) const;
  bool lacksAfter(const PushPlan& plan) const;
  /// Sets RefListing::confirmed where nothing tells whose a list was that cannot be read, and all
  /// objects there are of versions that this store knows: then it named no others.
  Result<void> confirmByStock(RefListing& listing, const std::stop_token& stop) const;
  Result<void> findCommon(const RefListing& listing, const std::stop_token& stop);
  bool mendsList() const { return options_.repair && options_.references.empty(); }
  bool writesListAnew() const { return mendsList() || options_.create; }

  const Store& store_;
  Transport& remote_;
  const PushOptions& options_;
  std::optional<RefListing> former_;  ///< what the remote listed before
  std::optional<RefListing> common_;  ///< commonList(), of who mends
  Result<void> doubts_;               ///< whether they were kept
  std::set<std::string> lost_;        ///< labels there
};

}  // namespace strata
