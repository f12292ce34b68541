#pragma once

#include <map>
#include <stop_token>
#include <vector>

#include "core/ops/exchange/detail/push/push_plan.h"
#include "core/ops/exchange/detail/push/remote_mending.h"
#include "core/progress.h"
#include "core/store/store.h"
#include "core/transfer/transport.h"

namespace strata {

/// A remote without space is trouble of the remote: what frees this store's disk does not help.
Error ofRemote(Error error);

/// Packs that this store was to pull and has not, of versions that are to go. Fails as the catalog.
Result<std::map<Digest, Error>> awaitedPacksOf(const Store& store, const PushPlan& plan);

/// Takes versions out of a plan that lack one of these objects, and those that are differences to
/// them: they become failures.
void leaveOut(PushPlan& plan, const std::map<Digest, Error>& failures);

/// Sends objects, the largest first; those that were sent stay in `objects`. Gives what failed.
/// Fails with Cancelled.
Result<std::map<Digest, Error>> sendObjects(RemoteMending& mending,
                                            std::vector<RemoteObject>& objects,
                                            std::uint64_t byteCount, unsigned parallel,
                                            const std::stop_token& stop,
                                            const ProgressSink& progress);

/// Sends the objects with signatures that the refs of a plan name. Fails as Transport::put.
Result<void> sendSignatures(Transport& remote, const PushPlan& plan, unsigned parallel,
                            const std::stop_token& stop);

}  // namespace strata
