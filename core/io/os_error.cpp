#include "core/io/os_error.h"

#include <cerrno>
#include <cstring>
#include <string>

namespace strata {
namespace {

ErrorCode codeOf(int reason) noexcept {
  switch (reason) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return ErrorCode::NoSpace;
    case ENOENT:
    case ENOTDIR:
      return ErrorCode::NotFound;
    default:
      return ErrorCode::Io;
  }
}

}  // namespace

Error osError(const std::filesystem::path& path, std::string_view action, int reason) {
  return {codeOf(reason),
          path.string() + ": cannot " + std::string(action) + ": " + std::strerror(reason)};
}

}  // namespace strata
