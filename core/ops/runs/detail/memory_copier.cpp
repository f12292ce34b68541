#include "core/ops/runs/detail/memory_copier.h"

#include <condition_variable>
#include <mutex>
#include <utility>

namespace strata {

MemoryCopier::MemoryCopier(Plan plan, std::stop_token stop)
    : plan_(std::move(plan)),
      stop_(std::move(stop)),
      thread_([this](const std::stop_token& finished) { run(finished); }) {}

std::vector<CheckpointPlace> MemoryCopier::finish() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  return std::exchange(copied_, {});
}

void MemoryCopier::run(const std::stop_token& finished) {
  std::mutex mutex;  // for the wait alone
  while (!finished.stop_requested() && !stop_.stop_requested()) {
    lookOnce(finished);
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait_for(lock, finished, plan_.interval, [] { return false; });
  }
}

void MemoryCopier::lookOnce(const std::stop_token& finished) {
  CheckpointScan scan(plan_.folder);
  const auto places = scan.look();
  if (!places) return;  // the watcher says so at its next look
  for (CheckpointPlace place : *places) {
    if (finished.stop_requested() || stop_.stop_requested()) return;
    if (!isForMemory(place) || plan_.direct.contains(place.path.string())) continue;
    const auto found = plan_.looks.look(place, plan_.tools, false, plan_.isTooEarly);
    if (!found.isReady) continue;
    place.step = found.step;
    const auto copied = plan_.tier.copy(place, plan_.tools, stop_);
    if (copied && *copied) {
      plan_.looks.settle(place);
      copied_.push_back(place);
      plan_.onTried(place, std::nullopt);
    } else if (copied || copied.error().code != ErrorCode::Cancelled) {
      plan_.onTried(place, copied ? noRoomFor(place) : copied.error());
      return;  // those after it wait, so that none is stored before it
    }
  }
}

bool isForMemory(const CheckpointPlace& place) { return place.files.empty(); }

Error noRoomFor(const CheckpointPlace& place) {
  return {ErrorCode::NoSpace, "memory has no room for " + place.path.filename().string()};
}

}  // namespace strata
