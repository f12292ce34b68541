#include "core/io/open_file.h"

#include <sys/stat.h>

namespace strata {

bool isStillNamed(int descriptor, const std::filesystem::path& path) noexcept {
  struct stat held {};
  struct stat named {};
  return ::fstat(descriptor, &held) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

}  // namespace strata
