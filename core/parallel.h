#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "core/result.h"

namespace strata {

/// Threads that loops use: the limit in force, else the machine's.
std::size_t threadCount() noexcept;

/// Lets parallel loops of the whole program use at most `count` threads while it lives: `--jobs N`.
class ThreadLimit {
 public:
  explicit ThreadLimit(std::size_t count);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Calls `body(i)` for all i < count, in any order, on several threads. Once one call fails, calls
/// that have not begun are left out. The error is that of the lowest i among those that failed.
/// Bodies run under DefaultFloatEnvironment, and so do transforms below.
Result<void> parallelFor(std::size_t count, const std::function<Result<void>(std::size_t)>& body);

/// What a pipeline does with an item, in a slot that is the item's own.
using PipelineStage = std::function<Result<void>(std::size_t item, std::size_t slot)>;

/// Work on items 0 … count - 1 in several stages: `transform` in any order on several threads, then
/// each of `consumers`, of which there is at least one: its items in order, one at a time, while
/// other threads run other stages. At most `slotCount` items are between the start of the first
/// stage and the end of the last, each with a slot of its own below slotCount, so that a caller
/// keeps slotCount buffers. Ends at the first item that fails, with its error: no stage of a later
/// item follows, those of earlier ones are all run.
Result<void> orderedPipeline(std::size_t count, std::size_t slotCount,
                             const PipelineStage& transform,
                             std::span<const PipelineStage> consumers);

}  // namespace strata
