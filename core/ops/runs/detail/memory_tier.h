#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/model/checkpoint.h"
#include "core/ops/runs/detail/checkpoint_scan.h"
#include "core/ops/runs/detail/copied_files.h"
#include "core/result.h"

namespace strata {

/// The checkpoints of a run that are finished and not in the store yet, in a folder in memory
/// (GEMINI's idea). Copying one there takes less time than storing it, so a training that crashes
/// meanwhile can go on from it. They outlive the process, and are gone with the machine's memory.
///
/// The folder is this user's alone. Its name follows from the store and the run. One process fills
/// it, the run's watcher; others read. Each copy lies in a folder of its own with a list of its
/// files, which is written last: sizes and SHA-256. The folder gets its name after that. Who takes
/// a copy compares it with its list.
class MemoryTier {
 public:
  struct Copy {
    std::filesystem::path folder;  ///< of the copy and its list
    CheckpointPlace place;         ///< the copy itself, which may be gone
  };

  /// `memory` is a folder in memory; empty: /dev/shm. The tier takes `mostBytes` at most; with 0
  /// nothing is copied, and what lies there can be read.
  MemoryTier(const std::filesystem::path& memory, const std::filesystem::path& storeFolder,
             const std::string& run, std::uint64_t mostBytes);

  /// Copies a checkpoint that is one folder or one file, and notes its step in the name of the
  /// copy's folder. A copy of the same name stays beside it. False,
  /// and nothing is changed, where there is no room. Fails with Io also where the folder is another
  /// user's, or the checkpoint was written to meanwhile or is not finished; NotFound, NoSpace,
  /// Unsupported, Cancelled. One thread at a time.
  Result<bool> copy(const CheckpointPlace& checkpoint, const CheckpointTools& tools,
                    const std::stop_token& stop) const;

  /// Those to be stored, in the order of their steps, those of one step as they were copied. None
  /// where the folder is not this user's alone. Their files are not looked at.
  std::vector<Copy> waiting() const;
  /// What killed watchers did not copy to the end, and copies of earlier programs, without a list.
  std::vector<Copy> unfinished() const;
  /// Those that setAside() got.
  std::vector<Copy> aside() const;

  /// What was copied. Fails with CorruptData where the list is gone or damaged; Io.
  static Result<CopiedFiles> listed(const Copy& copy);
  /// Whether `files`, the copy or links to it, are what was copied. Fails with CorruptData, saying
  /// what is wrong; Io, Cancelled.
  static Result<void> check(const Copy& copy, const std::filesystem::path& files,
                            const std::stop_token& stop);

  /// Deletes one of them.
  void drop(const Copy& copy) const;
  /// Keeps one that is no use for going on with a training, until the user deletes it.
  Result<Copy> setAside(const Copy& copy) const;
  /// Puts one back among those to be stored.
  Result<void> takeBack(const Copy& copy) const;
  /// Deletes what was half deleted, what was set aside and is empty now, and the folder where
  /// nothing is in it. Of the only watcher.
  void clean() const;

  const std::filesystem::path& folder() const noexcept { return folder_; }

 private:
  Result<void> makeFolder() const;
  std::vector<std::filesystem::path> foldersNamed(std::string_view start) const;
  std::filesystem::path nextFolder(std::string_view start, std::optional<std::uint64_t> step) const;
  std::uint64_t usedBytes() const;

  std::filesystem::path folder_;
  std::uint64_t mostBytes_;
};

}  // namespace strata
