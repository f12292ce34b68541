#include "core/transfer/detail/claim_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "core/io/store_modes.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

/// Of the open file, not of the process: two claims of one process keep each other out, too.
struct flock byteLock(std::int64_t id, short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = id;
  lock.l_len = 1;
  return lock;
}

}  // namespace

ClaimFile ClaimFile::open(const Store& store, Access access) {
  const fs::path folder = store.folder() / "partial";
  const fs::path file = folder / "claims";
  if (access == Access::Read) {
    return ClaimFile(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  }
  (void)makeStoreFolder(folder);  // without it there is no file, which is told
  return ClaimFile(openStoreFile(file, O_RDWR));
}

ClaimFile::ClaimFile(ClaimFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

ClaimFile& ClaimFile::operator=(ClaimFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

ClaimFile::~ClaimFile() {
  if (isOpen()) ::close(descriptor_);
}

bool ClaimFile::isTaken(std::int64_t id) const {
  struct flock lock = byteLock(id, F_WRLCK);
  return isOpen() && ::fcntl(descriptor_, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool ClaimFile::take(std::int64_t id) const {
  struct flock lock = byteLock(id, F_WRLCK);
  return isOpen() && ::fcntl(descriptor_, F_OFD_SETLK, &lock) == 0;
}

void ClaimFile::giveBack(std::int64_t id) const {
  struct flock lock = byteLock(id, F_UNLCK);
  if (isOpen()) ::fcntl(descriptor_, F_OFD_SETLK, &lock);
}

}  // namespace strata
