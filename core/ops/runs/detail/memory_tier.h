#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/model/checkpoint.h"
#include "core/ops/runs/detail/checkpoint_scan.h"
#include "core/result.h"

namespace strata {

/// The checkpoints of a run that are finished and not in the store yet, in a folder in memory
/// (GEMINI's idea). Copying one there takes less time than storing it, so a training that crashes
/// meanwhile can go on from it. They outlive the process, and are gone with the machine's memory.
///
/// The folder is this user's alone. Its name follows from the store and the run. One process fills
/// it, the run's watcher; others read. What has its name in it is whole: it is made and deleted
/// under hidden names.
class MemoryTier {
 public:
  /// `memory` is a folder in memory; empty: /dev/shm. The tier takes `mostBytes` at most; with 0
  /// nothing is copied, and what lies there can be read.
  MemoryTier(const std::filesystem::path& memory, const std::filesystem::path& storeFolder,
             const std::string& run, std::uint64_t mostBytes);

  /// Copies a checkpoint that is one folder or one file, under its own name. False, and nothing is
  /// changed, where there is no room. Fails with Io also where the folder is another user's, or the
  /// checkpoint was written to meanwhile or is not finished; NotFound, NoSpace, Cancelled.
  Result<bool> copy(const CheckpointPlace& checkpoint, const CheckpointTools& tools,
                    const std::stop_token& stop) const;

  /// All of them, in the order of their steps; none where the folder is not this user's alone.
  std::vector<CheckpointPlace> waiting() const;
  /// Deletes one of them.
  void drop(const std::filesystem::path& checkpoint) const;
  /// Deletes what killed processes left, and the folder where nothing is in it. Of the only
  /// watcher.
  void clean() const;

  const std::filesystem::path& folder() const noexcept { return folder_; }

 private:
  Result<void> makeFolder() const;

  std::filesystem::path folder_;
  std::uint64_t mostBytes_;
};

}  // namespace strata
