#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <vector>

#include "core/io/owned/owned_folder.h"
#include "core/result.h"

namespace strata {

/// Folders that models are written to for a while, and used again and again: in memory (/dev/shm)
/// where they fit there, else where temporary files go. Removed at the end; those of a process that
/// was killed are removed by the next one, which sees by a lock that nobody holds them. Safe to use
/// from several threads.
class ScratchFolders {
 public:
  /// `count` folders for `bytesOfEach` bytes; in `place` unless that is empty. Fails with NotFound
  /// (no such place), NoSpace or Io.
  static Result<ScratchFolders> make(std::uint64_t bytesOfEach, std::size_t count,
                                     std::filesystem::path place = {});

  ScratchFolders(ScratchFolders&& other) noexcept;
  ScratchFolders& operator=(ScratchFolders&&) = delete;

  /// A folder that nobody else uses, waiting for one. Give it back.
  std::filesystem::path take();
  void give(std::filesystem::path folder);

 private:
  ScratchFolders(OwnedFolder root, std::vector<std::filesystem::path> folders);

  OwnedFolder root_;
  std::mutex mutex_;  // guards free_
  std::condition_variable returned_;
  std::vector<std::filesystem::path> free_;
};

}  // namespace strata
