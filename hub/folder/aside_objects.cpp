#include "hub/folder/aside_objects.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <vector>

#include "core/io/failed_as.h"
#include "core/io/os_error.h"
#include "core/io/temp_file.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEnding = ".doomed";

}  // namespace

fs::path objectPath(const fs::path& remoteFolder, const Digest& digest) {
  const std::string hex = toHex(digest);
  return remoteFolder / "objects" / hex.substr(0, 2) / hex;
}

fs::path AsideObjects::asidePath(const Digest& digest) const {
  return folder_ / "tmp" / (toHex(digest) + kEnding);
}

Result<void> AsideObjects::take(const Digest& digest) const {
  const fs::path place = objectPath(folder_, digest);
  if (::rename(place.c_str(), asidePath(digest).c_str()) == 0 || errno == ENOENT) return {};
  return fail(osError(place, "take aside", errno));
}

Result<void> AsideObjects::putBack(const Digest& digest) const {
  const fs::path aside = asidePath(digest);
  const fs::path place = objectPath(folder_, digest);
  // Some file systems have neither of the two calls that replace nothing.
  if (::renameat2(AT_FDCWD, aside.c_str(), AT_FDCWD, place.c_str(), RENAME_NOREPLACE) == 0) {
    return syncFolder(place.parent_path());
  }
  if (errno == ENOENT) return {};
  std::error_code status;
  if (errno == EEXIST || fs::exists(place, status)) return erase(digest);
  if (::rename(aside.c_str(), place.c_str()) == 0) return syncFolder(place.parent_path());
  if (errno == ENOENT) return {};
  return fail(osError(aside, "put back", errno));
}

Result<void> AsideObjects::erase(const Digest& digest) const {
  std::error_code status;
  fs::remove(asidePath(digest), status);
  if (status) return fail(osError(asidePath(digest), "delete", status.value()));
  return {};
}

Result<void> AsideObjects::putAllBack() const {
  std::vector<Digest> left;
  std::error_code status;
  fs::directory_iterator entries(folder_ / "tmp", status);
  if (failedAs(status, std::errc::no_such_file_or_directory)) return {};
  for (; !status && entries != fs::directory_iterator(); entries.increment(status)) {
    const fs::path& file = entries->path();
    const auto digest = digestFromHex(file.stem().string());
    if (digest && file.extension() == kEnding) left.push_back(*digest);
  }
  if (status) return fail(osError(folder_ / "tmp", "list", status.value()));
  for (const Digest& digest : left) STRATA_TRY(putBack(digest));
  return {};
}

}  // namespace strata::hub
