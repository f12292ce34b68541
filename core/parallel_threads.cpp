// parallel.h with plain threads, compiled in place of parallel.cpp for ThreadSanitizer: it knows
// their order, and not that of TBB, which Debian builds without it.

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "core/first_failure.h"
#include "core/float_environment.h"
#include "core/parallel.h"

namespace strata {
namespace {

std::atomic<std::size_t> limitInForce = std::numeric_limits<std::size_t>::max();

/// Runs `work` on `count` threads, the caller's among them, and waits for all.
void onThreads(std::size_t count, const std::function<void()>& work) {
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < count; ++i) others.emplace_back(work);
  work();
}

/// See orderedPipeline(). All but the constants and functions is guarded by `mutex`.
struct Pipeline {
  Pipeline(std::size_t items, std::size_t slots, const PipelineStage& first,
           std::span<const PipelineStage> others)
      : count(items), slotCount(slots), transform(first), consumers(others), transformed(slots) {}

  const std::size_t count;
  const std::size_t slotCount;
  const PipelineStage& transform;
  const std::span<const PipelineStage> consumers;

  std::mutex mutex;
  std::condition_variable changed;
  std::size_t begun = 0;
  std::size_t consumed = 0;
  bool isConsuming = false;
  std::vector<std::optional<Result<void>>> transformed;  ///< by slot
  Result<void> outcome;

  bool isOver() const { return !outcome || begun == count; }

  void work() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return isOver() || begun < consumed + slotCount; });
      if (isOver()) return;
      const std::size_t item = begun++;
      lock.unlock();
      const DefaultFloatEnvironment environment;
      Result<void> done = transform(item, item % slotCount);
      lock.lock();
      transformed[item % slotCount] = std::move(done);
      if (!isConsuming) consumeReady(lock);
    }
  }

  void consumeReady(std::unique_lock<std::mutex>& lock) {
    isConsuming = true;
    while (outcome && consumed < begun && transformed[consumed % slotCount]) {
      const std::size_t item = consumed;
      const std::size_t slot = item % slotCount;
      Result<void> done = *std::move(transformed[slot]);
      transformed[slot].reset();
      if (done) {
        lock.unlock();
        for (const PipelineStage& consume : consumers) {
          if (done) done = consume(item, slot);
        }
        lock.lock();
      }
      outcome = std::move(done);
      ++consumed;
      changed.notify_all();
    }
    isConsuming = false;
  }
};

}  // namespace

std::size_t threadCount() noexcept {
  const std::size_t machine = std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
  return std::min(machine, limitInForce.load());
}

struct ThreadLimit::State {
  std::size_t before;
};

ThreadLimit::ThreadLimit(std::size_t count) : state_(new State{limitInForce.load()}) {
  limitInForce = std::min(state_->before, std::max<std::size_t>(count, 1));
}
ThreadLimit::~ThreadLimit() { limitInForce = state_->before; }

Result<void> parallelFor(std::size_t count, const std::function<Result<void>(std::size_t)>& body) {
  std::atomic<std::size_t> next = 0;
  FirstFailure failure;
  onThreads(std::min(threadCount(), count), [&] {
    for (std::size_t i = next++; i < count && !failure.isAny(); i = next++) {
      const DefaultFloatEnvironment environment;
      Result<void> done = body(i);
      if (!done) failure.note(i, std::move(done).error());
    }
  });
  return failure.take();
}

Result<void> orderedPipeline(std::size_t count, std::size_t slotCount,
                             const PipelineStage& transform,
                             std::span<const PipelineStage> consumers) {
  Pipeline pipeline(count, std::max<std::size_t>(slotCount, 1), transform, consumers);
  onThreads(std::min({threadCount(), pipeline.slotCount, count}), [&] { pipeline.work(); });
  return std::move(pipeline.outcome);
}

}  // namespace strata
