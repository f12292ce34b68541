#include "core/io/file_system_sync.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/io/os_error.h"

namespace strata {

Result<FileSystemSync> FileSystemSync::begin(const std::filesystem::path& folder) {
  auto opened =
      std::make_unique<OpenFile>(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened->descriptor < 0) return fail(osError(folder, "open", errno));
  return FileSystemSync(folder, std::move(opened));
}

Result<void> FileSystemSync::run() const {
  if (::syncfs(opened_->descriptor) == 0) return {};
  return fail(osError(folder_, "sync what was written below", errno));
}

}  // namespace strata
