#pragma once

#include <set>
#include <stop_token>

#include "core/digest.h"
#include "core/ops/runs/detail/watch_notes.h"
#include "core/ops/runs/drop_optimizer.h"
#include "core/progress.h"
#include "core/store/store.h"

namespace strata {

/// Leaves the optimizer out of a watched run's older snapshots, again after each new one.
class OlderOptimizers {
 public:
  /// `options` are those of each call, but for what was passed over before.
  OlderOptimizers(Store& store, DropOptimizerOptions options, WatchNotes& notes)
      : store_(store), options_(std::move(options)), notes_(notes) {}

  /// Says what was done, and once why something was not.
  void leaveOut(const std::stop_token& stop, const ProgressSink& progress);

  /// No other snapshot is to lose its optimizer; false before the first call.
  bool isSettled() const noexcept { return isSettled_; }
  /// Whether snapshots have an optimizer that should go, but for an end that was asked for.
  bool isLeftOut() const noexcept { return isLeftOut_; }

 private:
  void say(const DropOptimizerReport& report);

  Store& store_;
  DropOptimizerOptions options_;
  WatchNotes& notes_;
  bool isAnyKept_ = false;  ///< an older snapshot has its optimizer all the same
  bool isSettled_ = false;
  bool isLeftOut_ = true;
};

}  // namespace strata
