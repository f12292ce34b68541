#include "core/io/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/io/os_error.h"
#include "core/io/store_modes.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

fs::path lockOf(const fs::path& folder) { return folder.string() + ".lock"; }

}  // namespace

Result<FolderLock> FolderLock::take(const fs::path& folder) {
  const fs::path file = lockOf(folder);
  STRATA_TRY(makeStoreFolder(folder.parent_path()));
  const int descriptor = openStoreFile(file, O_RDWR);
  if (descriptor < 0) return fail(osError(file, "open", errno));
  FolderLock lock(descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno != EWOULDBLOCK) return fail(osError(file, "lock", errno));
  return fail(ErrorCode::StoreLocked, folder.string() + ": another process is filling it");
}

bool FolderLock::isTaken(const fs::path& folder) {
  const int descriptor =
      ::open(lockOf(folder).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return false;
  // A shared lock conflicts with an owner's only.
  const bool taken = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(descriptor);
  return taken;
}

bool FolderLock::removeFree(const fs::path& folder) {
  const auto lock = take(folder);
  if (!lock) return false;
  std::error_code status;
  fs::remove_all(folder, status);
  if (!status) fs::remove(lockOf(folder), status);
  return !status;
}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace strata
