#include "core/progress_meter.h"

namespace strata {
namespace {

constexpr std::chrono::milliseconds kInterval{100};

}  // namespace

void ProgressMeter::add(std::uint64_t bytes, std::string_view item) {
  doneBytes_ += bytes;
  if (sink_) report(item, false);
}

void ProgressMeter::finish(std::string_view item) {
  if (sink_) report(item, true);
}

void ProgressMeter::report(std::string_view item, bool always) {
  // A call of the sink under way is as good as one of ours.
  std::unique_lock<std::mutex> lock(mutex_, std::defer_lock);
  if (always) {
    lock.lock();
  } else if (!lock.try_lock()) {
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  if (!always && now - last_ < kInterval) return;
  last_ = now;
  sink_({phase_, std::string(item), doneBytes_, totalBytes_});
}

}  // namespace strata
