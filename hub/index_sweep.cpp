#include "hub/index_sweep.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace strata::hub {
namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;

constexpr milliseconds kSweepLimit{30'000};
constexpr milliseconds kDeadAfter{90'000};
constexpr milliseconds kLookEvery{1'000};
/// Named in the index at once: some 70 kB.
constexpr std::size_t kMostDoomed = 1000;

/// Time that counts what the machine slept, too.
class Limit {
 public:
  Limit(HttpClock& clock, const std::stop_token& stop)
      : clock_(clock), stopped_(stop, [this] { late_.request_stop(); }) {}
  bool isOver() {
    return token().stop_requested() || clock_.now() - begun_ > kSweepLimit ||
           system_clock::now() - wallBegun_ > kSweepLimit;
  }
  /// Asks to stop when the time is over, so that a request ends that is being sent.
  std::stop_token token() const { return late_.get_token(); }

 private:
  HttpClock& clock_;
  milliseconds begun_ = clock_.now();
  system_clock::time_point wallBegun_ = system_clock::now();
  std::stop_source late_;
  std::stop_callback<std::function<void()>> stopped_;
  std::jthread timer_{[this](const std::stop_token& over) {
    systemClock().sleep(kSweepLimit, over);
    if (!over.stop_requested()) late_.request_stop();
  }};
};

/// Takes the marks of a sweep off; those of another one stay. Whether they were there.
Result<bool> endSweep(const IndexChange& change, std::uint64_t count) {
  bool wasOurs = false;  // also where a claim whose answer was lost had succeeded
  const auto edit = [&](RefIndex& index) {
    if (index.sweepCount != count || index.doomed.empty()) return Edit::Keep;
    wasOurs = true;
    index.doomed.clear();
    return Edit::Write;
  };
  // Without a token: who is told to stop must not leave the marks.
  STRATA_TRY(change(edit, {}));
  return wasOurs;
}

/// Makes the changes of a push in an index.
Edit applyPush(const RefPush& push, RefIndex& index) {
  if (push.endedSweeps && index.isSweptSince(*push.endedSweeps)) return Edit::Refuse;
  const std::map<std::string, RefText> before = index.refs;
  if (!index.apply(push.updates, push.before)) return Edit::Refuse;
  // Also where a claim whose answer was lost had succeeded.
  return index.refs == before ? Edit::Keep : Edit::Write;
}

}  // namespace

Result<RefOutcome> advanceIndex(const IndexChange& change, const RefPush& push,
                                const std::stop_token& stop) {
  Edit wish = Edit::Refuse;
  const auto edit = [&](RefIndex& index) { return wish = applyPush(push, index); };
  Result<RefOutcome> outcome = change(edit, stop);
  if (outcome || wish != Edit::Write) return outcome;
  bool isSeen = false;
  const auto look = [&](RefIndex& index) {
    isSeen = index.says(push.updates);
    return Edit::Keep;
  };
  // Without a token: who is told to stop must not call it undone.
  const Result<RefOutcome> looked = change(look, {});
  if (looked && isSeen) return RefOutcome::Advanced;
  if (looked) return outcome;
  return fail(outcome.error().code,
              outcome.error().message +
                  (isSeen ? "; others see it already" : "; others may see it") +
                  ", so run it again");
}

Result<Sweep> sweepIndex(const SweptRemote& remote, const RefListing& seen,
                         std::span<const Digest> objects, const std::stop_token& stop) {
  objects = objects.first(std::min(objects.size(), kMostDoomed));
  const std::uint64_t count = seen.endedSweeps + 1;
  Limit limit(remote.clock, stop);
  const auto begin = [&](RefIndex& index) {
    if (index.refs != seen.refs || index.isSweptSince(seen.endedSweeps)) return Edit::Refuse;
    index.sweepCount = count;
    index.doomed.insert(objects.begin(), objects.end());
    return Edit::Write;
  };
  STRATA_TRY(const RefOutcome begun, remote.change(begin, stop));
  Sweep sweep{begun};
  if (begun == RefOutcome::Lost) return sweep;
  Result<void> erased;
  while (sweep.erasedCount < objects.size() && !limit.isOver()) {
    erased = remote.erase(objects[sweep.erasedCount], limit.token());
    if (!erased) break;
    ++sweep.erasedCount;
  }
  const Result<bool> wasOurs = endSweep(remote.change, count);
  if (!wasOurs) {
    sweep.failure = wasOurs.error();
  } else if (!*wasOurs) {
    sweep.failure = Error{ErrorCode::Network,
                          remote.url +
                              ": deleting took so long that others took this program for dead; "
                              "remote verify tells whether they count on what went"};
  } else if (stop.stop_requested()) {
    sweep.failure = Error{ErrorCode::Cancelled, "cancelled"};
  } else if (!erased && erased.error().code != ErrorCode::Cancelled) {
    sweep.failure = erased.error();
  }
  return sweep;
}

Result<void> awaitIndexSweep(const SweptRemote& remote, const std::stop_token& stop) {
  HttpClock& clock = remote.clock;
  std::uint64_t seen = 0;
  milliseconds since = clock.now();
  while (!stop.stop_requested()) {
    std::uint64_t count = 0;
    const auto look = [&](RefIndex& index) {
      count = index.doomed.empty() ? 0 : index.sweepCount;
      return Edit::Keep;
    };
    STRATA_TRY(remote.change(look, stop));
    if (count == 0) return {};
    if (count != seen) {
      since = clock.now();
      if (remote.onWait) {
        remote.onWait(remote.url + ": a program deletes objects there, or died while it did",
                      std::chrono::duration_cast<std::chrono::seconds>(kDeadAfter));
      }
    }
    seen = count;
    if (clock.now() - since > kDeadAfter) {
      STRATA_TRY(endSweep(remote.change, count));
    } else {
      clock.sleep(kLookEvery, stop);
    }
  }
  return fail(ErrorCode::Cancelled, "cancelled");
}

}  // namespace strata::hub
