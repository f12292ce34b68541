#include "core/io/folder_exchange.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "core/io/owned/owned_folder.h"
#include "core/io/placed_file.h"
#include "core/io/temp_file.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

bool isSameEntry(const fs::path& a, const fs::path& b) noexcept {
  struct stat first {};
  struct stat second {};
  return ::lstat(a.c_str(), &first) == 0 && ::lstat(b.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/// Holds a lock on a folder.
class HeldFolder {
 public:
  explicit HeldFolder(const fs::path& folder)
      : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
        isHeld_(descriptor_ >= 0 && lockEntry(descriptor_, folder)) {}
  ~HeldFolder() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  HeldFolder(const HeldFolder&) = delete;
  HeldFolder& operator=(const HeldFolder&) = delete;

  bool isHeld() const noexcept { return isHeld_; }

 private:
  int descriptor_;
  bool isHeld_;
};

bool holdsWorkingFolder(const fs::path& folder) {
  std::error_code status;
  const fs::path here = fs::current_path(status);
  if (status) return true;
  return std::mismatch(folder.begin(), folder.end(), here.begin(), here.end()).first ==
         folder.end();
}

/// Gives a new folder the rights of an old one.
bool takeRights(const fs::path& from, const fs::path& to) noexcept {
  struct stat old {};
  struct stat fresh {};
  if (::stat(from.c_str(), &old) != 0 || ::stat(to.c_str(), &fresh) != 0) return false;
  const bool isOthers = old.st_uid != fresh.st_uid || old.st_gid != fresh.st_gid;
  if (isOthers && ::chown(to.c_str(), old.st_uid, old.st_gid) != 0) return false;
  return ::chmod(to.c_str(), old.st_mode & 07777) == 0;
}

struct Entry {
  std::string name;  ///< relative
  bool isFolder = false;
};

/// All entries of a folder; false if it cannot be listed.
bool list(const fs::path& folder, std::vector<Entry>& out) {
  std::error_code status;
  fs::recursive_directory_iterator at(folder, status);
  for (; !status && at != fs::recursive_directory_iterator(); at.increment(status)) {
    const bool isFolder = at->symlink_status(status).type() == fs::file_type::directory;
    if (status) return false;
    out.push_back({at->path().lexically_relative(folder).generic_string(), isFolder});
  }
  return !status;
}

bool link(const fs::path& from, const fs::path& to) noexcept {
  return ::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), 0) == 0;
}

bool exchange(const fs::path& a, const fs::path& b) noexcept {
  return ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0;
}

/// Brings all that is to stay into `fresh`.
bool linkKept(const fs::path& fresh, const fs::path& folder, const KeptFiles& kept) {
  std::vector<Entry> entries;
  if (!takeRights(folder, fresh) || !list(folder, entries)) return false;
  for (const Entry& entry : entries) {
    std::error_code status;
    if (entry.isFolder) {
      const bool isThere = fs::is_directory(fs::symlink_status(fresh / entry.name, status));
      if (!isThere || !takeRights(folder / entry.name, fresh / entry.name)) return false;
      continue;
    }
    std::string name = entry.name;
    if (kept.replaced.contains(name)) {
      const auto backup = kept.backups.find(name);
      if (backup == kept.backups.end()) continue;
      name = backup->second;
    }
    if (!link(folder / entry.name, fresh / name)) return false;
  }
  return true;
}

Result<void> syncAll(const fs::path& folder) {
  std::vector<Entry> entries;
  list(folder, entries);
  for (const Entry& entry : entries) {
    if (entry.isFolder) STRATA_TRY(syncFolder(folder / entry.name));
  }
  return syncFolder(folder);
}

/// What came into the old folder, or was written anew there, after its files were linked. False if
/// something of it may still be there.
bool moveLatecomers(const fs::path& old, const fs::path& now, const KeptFiles& kept) {
  std::vector<Entry> entries;
  bool areMoved = list(old, entries);
  for (const Entry& entry : entries) {
    const fs::path place = now / entry.name;
    if (kept.replaced.contains(entry.name) || isSameEntry(old / entry.name, place)) continue;
    std::error_code status;
    if (entry.isFolder && fs::exists(fs::symlink_status(place, status))) continue;
    const bool isMoved =
        ::rename((old / entry.name).c_str(), place.c_str()) == 0 && syncPlaced(place).has_value();
    areMoved = isMoved && areMoved;
  }
  return areMoved;
}

/// The old folder under a name that nobody deletes.
Error keepAside(const fs::path& old, const fs::path& folder) {
  const fs::path aside = folder.string() + ".old-" + randomName();
  const bool isAside = ::rename(old.c_str(), aside.c_str()) == 0;
  return {ErrorCode::Io,
          fmt::format("{}: has the model now, but files that came into it meanwhile could not be "
                      "moved; they are in {}",
                      folder.string(), isAside ? aside.string() : old.string())};
}

}  // namespace

Result<bool> exchangeFolders(const fs::path& fresh, const fs::path& folder, const KeptFiles& kept) {
  // Until all is moved, nobody takes the old folder for one that a killed process left.
  const HeldFolder old(folder);
  if (!old.isHeld() || holdsWorkingFolder(folder) || !linkKept(fresh, folder, kept)) return false;
  STRATA_TRY(syncAll(fresh));
  if (!exchange(fresh, folder)) return false;
  const Result<void> synced = syncFolder(folder.parent_path());
  if (!synced) {
    if (exchange(fresh, folder)) return fail(synced.error());
    STRATA_TRY(syncPlaced(folder));
  }
  if (!moveLatecomers(fresh, folder, kept)) return fail(keepAside(fresh, folder));
  return true;
}

}  // namespace strata
