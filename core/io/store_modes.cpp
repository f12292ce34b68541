#include "core/io/store_modes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "core/io/open_file.h"
#include "core/io/os_error.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kOwnersFolder = 0755;
constexpr mode_t kOwnersFile = 0644;
constexpr mode_t kGroupsFolder = S_ISGID | 0070;
constexpr mode_t kGroupsFile = 0060;
constexpr mode_t kReadable = 0444;

fs::path parentOf(const fs::path& place) {
  return place.has_parent_path() ? place.parent_path() : fs::path(".");
}

/// The mode of a folder that is a group's.
std::optional<mode_t> groupMode(const fs::path& folder) noexcept {
  struct stat info {};
  if (::stat(folder.c_str(), &info) != 0) return std::nullopt;
  const bool isGroups = (info.st_mode & S_ISGID) != 0 && (info.st_mode & S_IWGRP) != 0;
  return isGroups ? std::optional(info.st_mode & 07777) : std::nullopt;
}

mode_t sharedMode(const struct stat& info, Sharing sharing) noexcept {
  const mode_t mode = info.st_mode & 07777;
  if (S_ISDIR(info.st_mode)) {
    return sharing == Sharing::Group ? (mode & ~mode_t{S_IWOTH}) | kGroupsFolder
                                     : mode & kOwnersFolder;
  }
  // Objects stay read-only.
  const mode_t writable = (mode & S_IWUSR) != 0 ? kGroupsFile : kGroupsFile & kReadable;
  return sharing == Sharing::Group ? (mode & ~mode_t{S_IWOTH}) | writable : mode & kOwnersFile;
}

/// In a folder of a group others may put a link in the place of a file at any time.
Result<void> share(const fs::path& place, Sharing sharing, gid_t group) {
  if (place.extension() == ".upload") return {};
  const OpenFile file(::open(place.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  const bool isOpen = file.descriptor >= 0 && ::fstat(file.descriptor, &info) == 0;
  if (!isOpen && (errno == ELOOP || errno == EACCES || errno == ENOENT || errno == ENXIO)) {
    return {};  // a link, another user's, gone meanwhile, or no file
  }
  if (!isOpen) return fail(osError(place, "look at", errno));
  if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) return {};
  const bool isOthers = sharing == Sharing::Group && info.st_gid != group;
  if (isOthers && ::fchown(file.descriptor, static_cast<uid_t>(-1), group) == 0) {
    (void)::fstat(file.descriptor, &info);  // it may have lost a bit
  }
  const mode_t wanted = sharedMode(info, sharing);
  if (wanted == (info.st_mode & 07777) || ::fchmod(file.descriptor, wanted) == 0) return {};
  if (errno == EPERM || errno == ENOENT) return {};  // another user's, or gone meanwhile
  return fail(osError(place, "change the mode of", errno));
}

}  // namespace

mode_t groupFileMode(const fs::path& file) noexcept {
  return groupMode(parentOf(file)) ? kGroupsFile : 0;
}

int openStoreFile(const fs::path& file, int flags) noexcept {
  const int descriptor =
      ::open(file.c_str(), flags | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, kOwnersFile);
  if (descriptor < 0) return descriptor;
  struct stat info {};
  const bool isKnown = ::fstat(descriptor, &info) == 0;
  if (isKnown && !S_ISREG(info.st_mode)) {
    ::close(descriptor);
    errno = ENXIO;
    return -1;
  }
  if (groupFileMode(file) == 0) return descriptor;
  const bool isLacking = isKnown && (info.st_mode & kGroupsFile) != kGroupsFile;
  // Another user's file stays as it is.
  if (isLacking) (void)::fchmod(descriptor, (info.st_mode & 07777) | kGroupsFile);
  return descriptor;
}

Result<bool> makeStoreFolder(const fs::path& folder) {
  for (bool isAgain = false; ::mkdir(folder.c_str(), kOwnersFolder) != 0; isAgain = true) {
    const int reason = errno;
    std::error_code status;
    if (reason == EEXIST && fs::is_directory(folder, status)) return false;
    // Another thread may have made the one above since. Some folders that are there, as those of
    // /proc, answer the same.
    const bool hasParent = fs::exists(parentOf(folder), status);
    if (reason != ENOENT || isAgain) return fail(osError(folder, "create", reason));
    if (!hasParent) STRATA_TRY(makeStoreFolder(parentOf(folder)));
  }
  const auto inherited = groupMode(parentOf(folder));
  if (inherited && ::chmod(folder.c_str(), *inherited) != 0) {
    return fail(osError(folder, "change the mode of", errno));
  }
  return true;
}

Result<void> makeReadOnly(int descriptor, const fs::path& file) {
  struct stat info {};
  const bool isDone =
      ::fstat(descriptor, &info) == 0 && ::fchmod(descriptor, info.st_mode & kReadable) == 0;
  if (!isDone) return fail(osError(file, "change the mode of", errno));
  return {};
}

Result<void> makeReadOnly(const fs::path& file) {
  const OpenFile open(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  const bool isDone = open.descriptor >= 0 && ::fstat(open.descriptor, &info) == 0 &&
                      ::fchmod(open.descriptor, info.st_mode & kReadable) == 0;
  if (isDone || errno == EPERM) return {};
  return fail(osError(file, "change the mode of", errno));
}

Result<void> shareFolder(const fs::path& folder, Sharing sharing) {
  struct stat info {};
  if (::stat(folder.c_str(), &info) != 0) return fail(osError(folder, "look at", errno));
  STRATA_TRY(share(folder, sharing, info.st_gid));
  std::error_code status;
  fs::recursive_directory_iterator entry(folder, status);
  for (; !status && entry != fs::recursive_directory_iterator(); entry.increment(status)) {
    STRATA_TRY(share(entry->path(), sharing, info.st_gid));
  }
  if (status) return fail(osError(folder, "list", status.value()));
  return {};
}

}  // namespace strata
