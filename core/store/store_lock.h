#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "core/result.h"

namespace strata {

/// Who writes to a store, or did when it died.
struct LockOwner {
  std::int64_t processId = 0;
  std::string host;
  std::string command;         ///< "strata add"
  std::int64_t startedAt = 0;  ///< seconds since 1970, UTC
  /// "PID 12 (strata add) since 2026-03-09 14:02", with the host if it is another one.
  std::string describe() const;
};

/// How long a writer waits for the one that has the lock, and whom it tells.
struct LockWait {
  std::chrono::milliseconds longest = std::chrono::seconds(10);  ///< 0: not at all
  /// Called once, before the wait, with who has the lock: "PID 12 (strata add) since …".
  std::function<void(const std::string& owner)> onWait = {};
};

/// The right to write to a store, held by one process at a time and given up by its death.
/// Move-only.
///
/// The file names its owner while the lock is held and is emptied on release, so a text in a lock
/// that nobody holds tells of a writer that died. So does a lock that is missing. Whoever removes
/// the file lets no second writer in: `refs` beside it is locked, too, where the file system can
/// lock folders. Elsewhere `check` notices.
class StoreLock {
 public:
  /// Calls `onHeld` once the lock is ours, before the file names us: the text takes some space.
  /// Fails with StoreLocked, naming the owner, if another one has it for longer than `wait` says;
  /// Cancelled, NoSpace, Io.
  static Result<StoreLock> acquire(const std::filesystem::path& file, std::string_view purpose,
                                   const LockWait& wait, const std::stop_token& stop,
                                   const std::function<void()>& onHeld = {});

  StoreLock(StoreLock&& other) noexcept;
  StoreLock& operator=(StoreLock&& other) noexcept;
  ~StoreLock();

  /// Before what cannot be taken back. Fails with StoreLocked if the file is no longer the one that
  /// was locked: another writer may be at work then.
  Result<void> check() const;

  /// The writer before this one died without release.
  bool previousOwnerDied() const noexcept { return previousOwnerDied_; }
  /// The text stays when the lock is released, so that the next writer cleans up; until clearMark.
  void leaveMark() noexcept { leavesMark_ = true; }
  void clearMark() noexcept { leavesMark_ = false; }
  bool leavesMark() const noexcept { return leavesMark_; }

 private:
  explicit StoreLock(std::filesystem::path file) noexcept : file_(std::move(file)) {}
  /// Whether it is ours now.
  Result<bool> tryOnce();
  std::string describeOther() const;
  void close() noexcept;

  std::filesystem::path file_;
  int descriptor_ = -1;
  int folder_ = -1;  ///< `refs`, locked
  bool previousOwnerDied_ = false;
  bool leavesMark_ = false;
};

/// What the lock file says, and whether its owner, or anybody, holds the lock.
struct LockState {
  std::optional<LockOwner> owner;
  bool held = false;

  /// A writer is at work or has died over it.
  bool isUnfinished() const noexcept { return owner.has_value() || held; }
};
/// Also where somebody has removed the file, and its owner holds `refs` alone.
LockState readLock(const std::filesystem::path& file);

}  // namespace strata
