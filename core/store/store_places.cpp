#include "core/store/store_places.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "core/io/os_error.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr std::array kOwnFolders{"objects", "refs", "trash", "tmp", "partial", "remotes"};
constexpr std::array kFiles{"lock",
                            "reserve",
                            "change.json",
                            "catalog.sqlite",
                            "catalog.sqlite-wal",
                            "catalog.sqlite-shm",
                            "catalog.sqlite-journal",
                            "partial/holds",
                            "partial/claims"};

std::string_view kindOf(mode_t mode) noexcept {
  switch (mode & S_IFMT) {
    case S_IFLNK:
      return "a link";
    case S_IFDIR:
      return "a folder";
    case S_IFREG:
      return "a file";
    case S_IFIFO:
      return "a fifo";
    case S_IFSOCK:
      return "a socket";
    default:
      return "a device";
  }
}

Result<void> check(const fs::path& path, PlaceKind kind) {
  STRATA_TRY(const auto problem, placeProblem(path, kind));
  if (!problem) return {};
  return fail(ErrorCode::CorruptData, fmt::format("{}: {}", path.string(), *problem));
}

/// No command opens the store until that is settled.
Result<void> checkPlace(const fs::path& path, PlaceKind kind) {
  Result<void> done = check(path, kind);
  if (done || done.error().code != ErrorCode::CorruptData) return done;
  done.error().message += "; put back what was there, or move it away, then \"strata verify\"";
  return done;
}

}  // namespace

Result<std::optional<std::string>> placeProblem(const fs::path& path, PlaceKind kind) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    return fail(osError(path, "look at", errno));
  }
  const bool isFolder = kind == PlaceKind::Folder;
  if (isFolder ? S_ISDIR(info.st_mode) : S_ISREG(info.st_mode)) return std::nullopt;
  return fmt::format("is {}, expected a {} of the store itself{}", kindOf(info.st_mode),
                     isFolder ? "folder" : "file",
                     S_ISLNK(info.st_mode) ? "; only a store as a whole may be a link" : "");
}

Result<void> checkPlaces(const fs::path& storeFolder) {
  for (const char* const name : kOwnFolders) {
    STRATA_TRY(checkPlace(storeFolder / name, PlaceKind::Folder));
  }
  for (const char* const name : kFiles) STRATA_TRY(checkPlace(storeFolder / name, PlaceKind::File));
  return {};
}

Result<void> checkOwnFolder(const fs::path& storeFolder, const fs::path& folder) {
  fs::path place = storeFolder;
  for (const fs::path& name : folder.lexically_relative(storeFolder)) {
    place /= name;
    STRATA_TRY(check(place, PlaceKind::Folder));
  }
  return {};
}

Result<void> checkOwnFile(const fs::path& storeFolder, const fs::path& file) {
  STRATA_TRY(checkOwnFolder(storeFolder, file.parent_path()));
  return check(file, PlaceKind::File);
}

}  // namespace strata
