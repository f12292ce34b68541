#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <stop_token>
#include <string>

#include "core/transfer/ref_index.h"
#include "core/transfer/transport.h"
#include "hub/http/http_clock.h"
#include "hub/http/wait_notice.h"

namespace strata::hub {

/// What becomes of an index that was looked at.
enum class Edit { Write, Keep, Refuse };

/// Edits the newest index of a remote until the edit is the newest one. Refuse becomes Overtaken.
using IndexChange = std::function<Result<RefOutcome>(const std::function<Edit(RefIndex&)>&,
                                                     const std::stop_token&)>;

/// Makes the changes of a push, as Transport::advanceRefs has it. After an error it looks whether
/// others see them all the same: then the push is done.
Result<RefOutcome> advanceIndex(const IndexChange& change, const RefPush& push,
                                const std::stop_token& stop);

/// A remote whose refs are generations (hub/generation.h), for who deletes objects there.
struct SweptRemote {
  std::string url;
  IndexChange change;
  /// Deletes an object. Ends soon once the token is asked to stop.
  std::function<Result<void>(const Digest&, const std::stop_token&)> erase;
  HttpClock& clock;
  WaitNotice onWait = {};
  /// Where objects can be taken aside: nobody finds one from then on, and it can be put back.
  /// `erase` then deletes what was taken aside. All three do nothing to an object that is not
  /// there.
  std::function<Result<void>(const Digest&)> takeAside = {};
  std::function<Result<void>(const Digest&)> putBack = {};
};

/// How long a sweep may take from its marks on: after that others take it for dead.
inline constexpr std::chrono::seconds kSweepDeadAfter{90};

/// Deletes objects. The index names them as doomed before the first goes. From then on no push can
/// end that found one of them there (RefIndex::isSweptSince). Who sweeps ends within half a minute.
/// After one and a half minutes others take it for dead; Sweep::failure says so if they did.
///
/// A call that hangs for longer may take its object away from a push that ended meanwhile. So
/// objects are taken aside first, where that can be done, and the index is looked at again before
/// the first is deleted: if others took this program for dead, all are put back.
Result<Sweep> sweepIndex(const SweptRemote& remote, const RefListing& seen,
                         std::span<const Digest> objects, const std::stop_token& stop);

/// Waits until the index names no doomed objects, and ends a deletion whose program died. Says so
/// first by `onWait`. Needs no `erase`.
Result<void> awaitIndexSweep(const SweptRemote& remote, const std::stop_token& stop);

}  // namespace strata::hub
