#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/ops/exchange/detail/push/push_plan.h"

namespace strata {

/// The part of a push that mends what is on the remote: objects of versions that are listed there
/// already, and that are missing, have another size or, for PushOptions::repair, other bytes.
class RemoteMending {
 public:
  RemoteMending(const Store& store, Transport& remote, const PushOptions& options)
      : store_(store), remote_(remote), options_(options) {}

  /// Takes those objects out of `there` whose bytes on the remote are not what their names say.
  /// Reads all but those that it found sound before. Fails with what readBack fails with.
  Result<void> findDamaged(std::span<const RemoteObject> objects, ObjectsThere& there,
                           const std::stop_token& stop, const ProgressSink& progress);

  /// Finds what has to be sent again for the versions that the plan finds there, `there` being the
  /// objects that who pulls finds. A version that needs an object which is not sound here either
  /// becomes a failure of the plan. Fails with Cancelled.
  Result<void> plan(PushPlan& plan, const std::set<Digest>& there, const std::stop_token& stop);

  /// Objects to send again.
  const std::set<Digest>& objects() const noexcept { return wanted_; }

  /// Sends an object as it has to be: over damaged bytes, or as any other. Fails with CorruptData
  /// where it is lost or damaged in this store, saying so.
  Result<void> send(const RemoteObject& object, const std::stop_token& stop,
                    const TransferMeter& meter);

  /// What was sent need not be sent again while it is there.
  void noteSent(const Digest& digest);
  bool wasSent(const Digest& digest) const { return sent_.contains(digest); }

  /// Those could not be sent: their versions there become failures of the plan.
  void leaveOut(PushPlan& plan, const std::map<Digest, Error>& failures);

  /// Looks at what was sent again, once the refs have moved: a server may have kept its own bytes.
  /// The push is done by then: versions of which that cannot be said become failures of the plan.
  void confirm(PushPlan& plan, const std::stop_token& stop, const ProgressSink& progress);

  /// Versions and tags there that were or would be mended, as the remote calls them.
  std::vector<std::string> versionsOf(const PushPlan& plan) const;

 private:
  Result<void> sendFrom(const RemoteObject& object, const ObjectSource& source,
                        const std::stop_token& stop, const TransferMeter& meter);
  /// Those of `sent` that are not there as they should be, and why.
  Result<std::map<Digest, Error>> unconfirmed(const std::vector<RemoteObject>& sent,
                                              const std::stop_token& stop,
                                              const ProgressSink& progress);

  const Store& store_;
  Transport& remote_;
  const PushOptions& options_;
  std::map<Digest, std::string> damaged_;  ///< there, with what is wrong
  std::set<Digest> sound_;                 ///< there, by what was read back
  std::set<Digest> sent_;
  std::set<Digest> wanted_;
};

/// All objects that a plan needs on the remote, each once.
std::vector<RemoteObject> objectsOf(const PushPlan& plan);

}  // namespace strata
