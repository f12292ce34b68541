#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "core/result.h"

namespace strata {

/// How the steps of a change are undone, so that a change that fails half-way is not done at all.
class TakeBack {
 public:
  /// Called before the step that it undoes: what failed may have been done in part.
  void add(std::function<Result<void>()> undo) { undos_.push_back(std::move(undo)); }

  /// Undoes all steps, the last one first. Returns `cause`, and says so if a step stays done.
  Error run(Error cause) {
    for (auto undo = undos_.rbegin(); undo != undos_.rend(); ++undo) {
      const Result<void> undone = (*undo)();
      if (undone || !isComplete_) continue;
      isComplete_ = false;
      cause.message += "; it could not be taken back: " + undone.error().message +
                       "; the next command that writes finishes it or takes it back";
    }
    return cause;
  }

 private:
  std::vector<std::function<Result<void>()>> undos_;
  bool isComplete_ = true;
};

}  // namespace strata
