#include "core/store/space_reserve.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <system_error>

#include "core/io/open_file.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

/// A reserve is a multiple of this; less is of no use.
constexpr std::uint64_t kStepBytes = std::uint64_t{1} << 16;

fs::path fileOf(const fs::path& storeFolder) { return storeFolder / "reserve"; }

std::uint64_t byteCountOf(const fs::path& file) {
  std::error_code status;
  const std::uintmax_t bytes = fs::file_size(file, status);
  return status ? 0 : bytes;
}

}  // namespace

void releaseReserve(const fs::path& storeFolder) { ::unlink(fileOf(storeFolder).c_str()); }

void fillReserve(const fs::path& storeFolder) {
  const fs::path file = fileOf(storeFolder);
  const std::uint64_t kept = byteCountOf(file);
  if (kept >= kReserveBytes) return;
  const OpenFile open(
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
  // One that is linked elsewhere, too, is somebody's file.
  struct stat info {};
  if (open.descriptor < 0 || ::fstat(open.descriptor, &info) != 0 || info.st_nlink != 1) return;
  for (std::uint64_t bytes = kReserveBytes; bytes > kept; bytes -= kStepBytes) {
    if (::posix_fallocate(open.descriptor, 0, static_cast<off_t>(bytes)) == 0) break;
  }
  if (byteCountOf(file) < kStepBytes) ::unlink(file.c_str());
}

}  // namespace strata
