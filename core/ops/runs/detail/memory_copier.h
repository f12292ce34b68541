#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/model/checkpoint.h"
#include "core/ops/runs/detail/checkpoint_scan.h"
#include "core/ops/runs/detail/memory_tier.h"
#include "core/ops/runs/detail/watch_looks.h"

namespace strata {

/// Copies to memory what becomes finished while the watcher is at work on something else, in a
/// thread of its own. The store is left alone. What was copied is told at the end.
class MemoryCopier {
 public:
  struct Plan {
    const MemoryTier& tier;        ///< borrowed; nobody else copies to it meanwhile
    const CheckpointTools& tools;  ///< borrowed
    std::filesystem::path folder;  ///< the trainer's
    std::chrono::milliseconds interval;
    WatchLooks looks;                   ///< what the watcher knows
    std::set<std::string> direct;       ///< paths of what is not to be copied
    WatchLooks::IsTooEarly isTooEarly;  ///< asked by the thread
    /// Called by the thread for each copy: `problem` where it could not be made.
    std::function<void(const CheckpointPlace&, const std::optional<Error>& problem)> onTried;
  };
  /// `stop` ends a copy that is being made, too.
  MemoryCopier(Plan plan, std::stop_token stop);

  /// Lets the copy that is being made come to its end, makes no other, and says which were made.
  std::vector<CheckpointPlace> finish();

 private:
  void run(const std::stop_token& finished);
  void lookOnce(const std::stop_token& finished);

  Plan plan_;
  std::stop_token stop_;
  std::vector<CheckpointPlace> copied_;  ///< of the thread, until it has ended
  std::jthread thread_;                  ///< the last one: all else is there when it begins
};

/// Whether a checkpoint is one that memory takes.
bool isForMemory(const CheckpointPlace& place);

/// What one that memory had no room for is told as.
Error noRoomFor(const CheckpointPlace& place);

}  // namespace strata
