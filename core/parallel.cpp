#include "core/parallel.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "core/first_failure.h"
#include "core/float_environment.h"

namespace strata {

std::size_t threadCount() noexcept {
  return tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
}

struct ThreadLimit::State {
  tbb::global_control control;
};

ThreadLimit::ThreadLimit(std::size_t count)
    : state_(new State{tbb::global_control(tbb::global_control::max_allowed_parallelism,
                                           std::max<std::size_t>(count, 1))}) {}
ThreadLimit::~ThreadLimit() = default;

Result<void> parallelFor(std::size_t count, const std::function<Result<void>(std::size_t)>& body) {
  if (threadCount() == 1) {
    const DefaultFloatEnvironment environment;
    for (std::size_t i = 0; i < count; ++i) STRATA_TRY(body(i));
    return {};
  }
  FirstFailure failure;
  tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
    if (failure.isAny()) return;
    const DefaultFloatEnvironment environment;
    Result<void> done = body(i);
    if (!done) failure.note(i, std::move(done).error());
  });
  return failure.take();
}

Result<void> orderedPipeline(std::size_t count, std::size_t slotCount,
                             const std::function<Result<void>(std::size_t, std::size_t)>& transform,
                             const std::function<Result<void>(std::size_t, std::size_t)>& consume) {
  if (threadCount() == 1) {
    const DefaultFloatEnvironment environment;
    for (std::size_t i = 0; i < count; ++i) {
      STRATA_TRY(transform(i, 0));
      STRATA_TRY(consume(i, 0));
    }
    return {};
  }
  slotCount = std::max<std::size_t>(slotCount, 1);
  std::vector<Result<void>> transformed(slotCount);
  std::atomic<bool> hasFailed = false;
  Result<void> outcome;
  std::size_t next = 0;
  // Items leave in order and at most slotCount are under way, so those are consecutive and
  // item % slotCount is theirs alone.
  tbb::parallel_pipeline(
      slotCount,
      tbb::make_filter<void, std::size_t>(tbb::filter_mode::serial_in_order,
                                          [&](tbb::flow_control& control) -> std::size_t {
                                            if (next == count || hasFailed) {
                                              control.stop();
                                              return 0;
                                            }
                                            return next++;
                                          }) &
          tbb::make_filter<std::size_t, std::size_t>(tbb::filter_mode::parallel,
                                                     [&](std::size_t item) {
                                                       const DefaultFloatEnvironment environment;
                                                       const std::size_t slot = item % slotCount;
                                                       transformed[slot] =
                                                           hasFailed ? Result<void>{}
                                                                     : transform(item, slot);
                                                       return item;
                                                     }) &
          tbb::make_filter<std::size_t, void>(
              tbb::filter_mode::serial_in_order, [&](std::size_t item) {
                if (hasFailed) return;
                const std::size_t slot = item % slotCount;
                outcome = transformed[slot] ? consume(item, slot) : std::move(transformed[slot]);
                if (!outcome) hasFailed = true;
              }));
  return outcome;
}

}  // namespace strata
