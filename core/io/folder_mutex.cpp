#include "core/io/folder_mutex.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "core/io/os_error.h"

namespace strata {

Result<FolderMutex> FolderMutex::take(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return fail(osError(folder, "open", errno));
  FolderMutex lock(descriptor);
  while (::flock(descriptor, LOCK_EX) != 0 && errno == EINTR) {
  }
  return lock;
}

FolderMutex::~FolderMutex() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace strata
