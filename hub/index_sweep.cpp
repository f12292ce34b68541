#include "hub/index_sweep.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace strata::hub {
namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;

constexpr milliseconds kSweepLimit{30'000};
constexpr milliseconds kDeadAfter = kSweepDeadAfter;
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
  const bool isKnown = push.identity.empty() || index.identity.empty();
  if (!isKnown && index.identity != push.identity) return Edit::Refuse;
  const std::map<std::string, RefText> before = index.refs;
  if (!index.apply(push.updates, push.before)) return Edit::Refuse;
  if (index.identity.empty()) index.identity = push.identity;
  index.unseen.insert(push.unseen.begin(), push.unseen.end());
  while (index.unseen.size() > kMaxUnseen) index.unseen.erase(index.unseen.begin());
  const bool isFound =
      std::erase_if(index.unseen, [&](auto one) { return push.seenLists.contains(one); }) > 0;
  if (index.follows) index.follows = joinStamps(*std::move(index.follows), push.follows);
  if (push.above) {
    index.mendedAbove = *push.above;
    return Edit::Write;
  }
  // Also where a claim whose answer was lost had succeeded.
  return index.refs == before && !isFound ? Edit::Keep : Edit::Write;
}

}  // namespace

Result<RefOutcome> advanceIndex(const IndexChange& change, const RefPush& push,
                                const std::stop_token& stop) {
  Edit wish = Edit::Refuse;
  const auto edit = [&](RefIndex& index) { return wish = applyPush(push, index); };
  Result<RefOutcome> outcome = change(edit, stop);
  // Of a list that was mended it cannot be told whether it is there by what it says.
  if (outcome || wish != Edit::Write || push.above) return outcome;
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

namespace {

class Sweeping {
 public:
  Sweeping(const SweptRemote& remote, std::uint64_t count, std::span<const Digest> objects,
           const std::stop_token& stop)
      : remote_(remote),
        count_(count),
        objects_(objects),
        stop_(stop),
        limit_(remote.clock, stop) {}

  Result<RefOutcome> begin(const RefListing& seen) const {
    const auto edit = [&](RefIndex& index) {
      if (index.refs != seen.refs || index.isSweptSince(seen.endedSweeps)) return Edit::Refuse;
      if (index.unseen != seen.unseen) return Edit::Refuse;
      index.unseen.clear();
      index.sweepCount = count_;
      index.doomed.insert(objects_.begin(), objects_.end());
      return Edit::Write;
    };
    return remote_.change(edit, stop_);
  }

  /// After begin().
  Sweep run() {
    Sweep sweep;
    Result<void> done;
    if (remote_.takeAside) {
      std::size_t asideCount = 0;
      done = each(asideCount, objects_,
                  [&](const Digest& digest) { return remote_.takeAside(digest); });
      const std::span<const Digest> aside = objects_.first(asideCount);
      const Result<bool> isOurs = areMarksOurs();
      if (isOurs && *isOurs) {
        Result<void> erased = eraseEach(sweep.erasedCount, aside);
        if (done) done = std::move(erased);
      }
      // One that could not be taken aside may be there all the same.
      const std::size_t touched = std::min(asideCount + 1, objects_.size());
      for (const Digest& digest :
           objects_.subspan(sweep.erasedCount, touched - sweep.erasedCount)) {
        const Result<void> back = remote_.putBack(digest);
        if (!back && done) done = back;
      }
      if (isOurs && !*isOurs) sweep.failure = takenForDead("nothing was deleted, run it again");
      if (!isOurs) sweep.failure = isOurs.error();
    } else {
      done = eraseEach(sweep.erasedCount, objects_);
    }
    const Result<bool> wasOurs = endSweep(remote_.change, count_);
    if (sweep.failure) return sweep;
    if (!wasOurs) {
      sweep.failure = wasOurs.error();
    } else if (!*wasOurs && !remote_.takeAside) {
      sweep.failure = takenForDead("remote verify tells whether they count on what went");
    } else if (stop_.stop_requested()) {
      sweep.failure = Error{ErrorCode::Cancelled, "cancelled"};
    } else if (!done && done.error().code != ErrorCode::Cancelled) {
      sweep.failure = done.error();
    }
    return sweep;
  }

 private:
  /// Until one fails or the time is over; `count` is that of those that went well.
  template <typename Step>
  Result<void> each(std::size_t& count, std::span<const Digest> objects, const Step& step) {
    while (count < objects.size() && !limit_.isOver()) {
      STRATA_TRY(step(objects[count]));
      ++count;
    }
    return {};
  }

  Result<void> eraseEach(std::size_t& count, std::span<const Digest> objects) {
    return each(count, objects,
                [&](const Digest& digest) { return remote_.erase(digest, limit_.token()); });
  }

  /// Without a token: who is told to stop has objects to put back.
  Result<bool> areMarksOurs() const {
    bool areOurs = false;
    const auto look = [&](RefIndex& index) {
      areOurs = index.sweepCount == count_ && !index.doomed.empty();
      return Edit::Keep;
    };
    STRATA_TRY(remote_.change(look, {}));
    return areOurs;
  }

  Error takenForDead(std::string_view advice) const {
    return {ErrorCode::Network,
            remote_.url + ": deleting took so long that others took this program for dead; " +
                std::string(advice)};
  }

  const SweptRemote& remote_;
  std::uint64_t count_;
  std::span<const Digest> objects_;
  const std::stop_token& stop_;
  Limit limit_;
};

}  // namespace

Result<Sweep> sweepIndex(const SweptRemote& remote, const RefListing& seen,
                         std::span<const Digest> objects, const std::stop_token& stop) {
  Sweeping sweeping(remote, seen.endedSweeps + 1,
                    objects.first(std::min(objects.size(), kMostDoomed)), stop);
  STRATA_TRY(const RefOutcome begun, sweeping.begin(seen));
  if (begun == RefOutcome::Overtaken) return Sweep{begun};
  return sweeping.run();
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
