#include "core/parallel.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>

#include <algorithm>

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
                             const PipelineStage& transform,
                             std::span<const PipelineStage> consumers) {
  if (threadCount() == 1) {
    const DefaultFloatEnvironment environment;
    for (std::size_t i = 0; i < count; ++i) {
      STRATA_TRY(transform(i, 0));
      for (const PipelineStage& consume : consumers) STRATA_TRY(consume(i, 0));
    }
    return {};
  }
  slotCount = std::max<std::size_t>(slotCount, 1);
  FirstFailure failure;
  std::size_t next = 0;
  // Items leave in order and at most slotCount are under way, so those are consecutive and
  // item % slotCount is theirs alone.
  const auto take = [&](tbb::flow_control& control) -> std::size_t {
    if (next < count && !failure.isAny()) return next++;
    control.stop();
    return 0;
  };
  const auto filter = [&](tbb::filter_mode mode, const PipelineStage& stage) {
    return tbb::make_filter<std::size_t, std::size_t>(mode, [&](std::size_t item) {
      if (failure.isAtOrBelow(item)) return item;
      const DefaultFloatEnvironment environment;
      Result<void> done = stage(item, item % slotCount);
      if (!done) failure.note(item, std::move(done).error());
      return item;
    });
  };
  auto stages = tbb::make_filter<void, std::size_t>(tbb::filter_mode::serial_in_order, take) &
                filter(tbb::filter_mode::parallel, transform);
  for (const PipelineStage& consume : consumers) {
    stages = stages & filter(tbb::filter_mode::serial_in_order, consume);
  }
  tbb::parallel_pipeline(slotCount, stages & tbb::make_filter<std::size_t, void>(
                                                 tbb::filter_mode::parallel, [](std::size_t) {}));
  return failure.take();
}

}  // namespace strata
