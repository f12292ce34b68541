#include "core/io/text_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "core/io/durable_folder.h"
#include "core/io/os_error.h"
#include "core/io/placed_file.h"
#include "core/io/store_modes.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

fs::path folderOf(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

bool writeAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(descriptor) == 0;
}

}  // namespace

Result<void> writeTextFile(const fs::path& file, std::string_view text, unsigned newMode) {
  std::error_code status;
  STRATA_TRY(makeDurableFolder(folderOf(file)));
  // A link is followed, so that settings kept elsewhere stay there.
  const fs::path target = fs::is_symlink(file, status) ? fs::weakly_canonical(file, status) : file;
  std::string temporary = target.string() + ".XXXXXX";
  const int descriptor = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) return fail(osError(file, "write", errno));
  struct stat old {};
  const mode_t mode =
      ::stat(target.c_str(), &old) == 0 ? old.st_mode & 07775 : newMode | groupFileMode(target);
  const bool isWritten = writeAll(descriptor, text) && ::fchmod(descriptor, mode) == 0;
  int reason = isWritten ? 0 : errno;
  ::close(descriptor);
  if (isWritten && ::rename(temporary.c_str(), target.c_str()) != 0) reason = errno;
  if (reason == 0) return syncPlaced(target);
  ::unlink(temporary.c_str());
  return fail(osError(file, "write", reason));
}

}  // namespace strata
