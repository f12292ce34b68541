#include "core/ops/runs/detail/watch_looks.h"

namespace strata {

bool mayPass(ErrorCode code) noexcept {
  return code == ErrorCode::StoreLocked || code == ErrorCode::NoSpace || code == ErrorCode::Io ||
         code == ErrorCode::LimitExceeded || code == ErrorCode::Device;
}

WatchLooks::Found WatchLooks::look(const CheckpointPlace& place, const CheckpointTools& tools,
                                   bool isOnce, const IsTooEarly& isTooEarly) {
  const std::string name = place.path.string();
  if (const auto known = settled_.find(name); known != settled_.end()) {
    if (known->second == place.stamp) return {};
    settled_.erase(known);
  }
  if (mustRest(place)) return {};
  // Two looks may be milliseconds apart.
  const auto now = Clock::now();
  Seen& seen = seen_.try_emplace(name, Seen{place.stamp, now}).first->second;
  if (seen.stamp != place.stamp) seen = {place.stamp, now};
  const bool isStill = isOnce || (now > seen.at && now - seen.at >= interval_);
  if (isTooEarly(place.step)) {
    settle(place);
    return {};
  }
  // Several files are a checkpoint once they are side by side under names of ours.
  const auto state =
      place.files.empty() ? tools.check(place.path) : Result<CheckpointState>({.mayGrow = true});
  if (!state && state.error().code == ErrorCode::NotFound) return {};  // deleted meanwhile
  if (!state) return {.problem = state.error()};
  // One that is being written is no news. It is one if nobody goes on.
  if (!state->isFinished() && !isStill) return {};
  if (!state->isFinished()) {
    return {.problem = Error{ErrorCode::Unsupported, "is not finished: " + state->unfinished}};
  }
  if (state->mayGrow && !isStill) return {};
  if (isTooEarly(state->step)) {
    settle(place);
    return {};
  }
  return {.isReady = true, .step = state->step ? state->step : place.step};
}

void WatchLooks::rest(const CheckpointPlace& place) {
  failed_[place.path.string()] = {place.stamp, Clock::now()};
}

bool WatchLooks::mustRest(const CheckpointPlace& place) {
  const auto failed = failed_.find(place.path.string());
  if (failed == failed_.end()) return false;
  if (failed->second.stamp == place.stamp && Clock::now() - failed->second.at < kRest) return true;
  failed_.erase(failed);
  return false;
}

void WatchLooks::keepOnly(const std::set<std::string>& paths) {
  const auto isGone = [&](const auto& one) { return !paths.contains(one.first); };
  std::erase_if(settled_, isGone);
  std::erase_if(seen_, isGone);
  std::erase_if(failed_, isGone);
}

}  // namespace strata
