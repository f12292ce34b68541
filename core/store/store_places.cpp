#include "core/store/store_places.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <string>
#include <string_view>

#include "core/io/os_error.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr std::array kOwnFolders{"objects", "parity", "refs", "trash", "tmp", "partial", "remotes"};
constexpr std::array kFiles{"lock",
                            "asked.json",
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

/// As placeProblem(). `info` stays empty where nothing is.
Result<std::optional<std::string>> problemOf(const char* path, PlaceKind kind, struct stat& info) {
  if (::lstat(path, &info) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    return fail(osError(path, "look at", errno));
  }
  const bool isFolder = kind == PlaceKind::Folder;
  if (isFolder ? S_ISDIR(info.st_mode) : S_ISREG(info.st_mode)) return std::nullopt;
  return fmt::format("is {}, expected a {} of the store itself{}", kindOf(info.st_mode),
                     isFolder ? "folder" : "file",
                     S_ISLNK(info.st_mode) ? "; only a store as a whole may be a link" : "");
}

Result<void> check(const char* path, PlaceKind kind, struct stat& info) {
  STRATA_TRY(const auto problem, problemOf(path, kind, info));
  if (!problem) return {};
  return fail(ErrorCode::CorruptData, fmt::format("{}: {}", path, *problem));
}

Result<void> check(const fs::path& path, PlaceKind kind) {
  struct stat info {};
  return check(path.c_str(), kind, info);
}

/// No command opens the store until that is settled.
Result<void> checkPlace(const fs::path& path, PlaceKind kind) {
  Result<void> done = check(path, kind);
  if (done || done.error().code != ErrorCode::CorruptData) return done;
  done.error().message += "; put back what was there, or move it away, then \"strata verify\"";
  return done;
}

/// Where the path of a store's folder ends in the path of what lies in it; npos where the one does
/// not begin with the other as it is written, or names a folder in two ways.
std::size_t endOfStore(std::string_view store, std::string_view place) noexcept {
  const bool isBelow = !store.empty() && store.back() != '/' && place.size() > store.size() &&
                       place.starts_with(store) && place[store.size()] == '/';
  if (!isBelow) return std::string_view::npos;
  const std::string_view below = place.substr(store.size());
  const bool isPlain = below.find("/.") == below.npos && below.find("//") == below.npos;
  return isPlain && below.back() != '/' ? store.size() : std::string_view::npos;
}

}  // namespace

Result<void> checkPlaces(const fs::path& storeFolder) {
  for (const char* const name : kOwnFolders) {
    STRATA_TRY(checkPlace(storeFolder / name, PlaceKind::Folder));
  }
  for (const char* const name : kFiles) STRATA_TRY(checkPlace(storeFolder / name, PlaceKind::File));
  return {};
}

Result<std::optional<std::string>> placeProblem(const fs::path& path, PlaceKind kind) {
  struct stat info {};
  return problemOf(path.c_str(), kind, info);
}

Result<void> checkOwnFolder(const fs::path& storeFolder, const fs::path& folder) {
  const std::size_t end = endOfStore(storeFolder.native(), folder.native());
  if (end != std::string::npos) {  // nearly always, and thousands of times
    std::string place = folder.native();
    struct stat info {};
    for (std::size_t at = place.find('/', end + 1); at != place.npos;
         at = place.find('/', at + 1)) {
      place[at] = '\0';
      STRATA_TRY(check(place.c_str(), PlaceKind::Folder, info));
      place[at] = '/';
    }
    return check(place.c_str(), PlaceKind::Folder, info);
  }
  fs::path place = storeFolder;
  for (const fs::path& name : folder.lexically_relative(storeFolder)) {
    place /= name;
    STRATA_TRY(check(place, PlaceKind::Folder));
  }
  return {};
}

Result<void> checkOwnFile(const fs::path& storeFolder, const fs::path& file) {
  STRATA_TRY(ownFileSize(storeFolder, file));
  return {};
}

Result<std::optional<std::uint64_t>> ownFileSize(const fs::path& storeFolder,
                                                 const fs::path& file) {
  STRATA_TRY(checkOwnFolder(storeFolder, file.parent_path()));
  struct stat info {};
  STRATA_TRY(check(file.c_str(), PlaceKind::File, info));
  if (!S_ISREG(info.st_mode)) return std::nullopt;  // nothing is there
  return static_cast<std::uint64_t>(info.st_size);
}

}  // namespace strata
