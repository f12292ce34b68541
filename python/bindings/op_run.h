#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "core/progress.h"
#include "python/bindings/errors.h"

namespace strata::python {

/// Runs `work` on a thread of its own, without the GIL, until it ends. Meanwhile the calling thread
/// calls `progress` (None: nobody) with what the work reports, and handles signals, so that Ctrl-C
/// and a callback that raises stop the work. The exception is thrown once it has ended.
void runInterruptibly(nb::handle progress,
                      const std::function<void(std::stop_token, const ProgressSink&)>& work);

/// Before the interpreter ends: stops what is under way in other threads, and waits for that. What
/// is called from then on throws.
void endRunning();
/// In a forked child: what was under way in its parent is not under way here.
void forgetRunning();

/// Runs an operation that gives a Result, and answers its value or throws.
template <typename Op>
auto runOp(nb::handle progress, Op op) {
  std::optional<std::invoke_result_t<Op, std::stop_token, const ProgressSink&>> result;
  runInterruptibly(progress, [&](std::stop_token stop, const ProgressSink& sink) {
    result.emplace(op(std::move(stop), sink));
  });
  return valueOrThrow(*std::move(result));
}

}  // namespace strata::python
