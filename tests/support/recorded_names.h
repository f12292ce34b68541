#pragma once

#include <filesystem>
#include <functional>
#include <set>

namespace strata::test {

/// While it lives: watches which folders got a new name in them (mkdir, rename, link) and were not
/// synced since. A power cut may take those names away. Those that end in .tmp do not count. One at
/// a time.
class RecordedNames {
 public:
  RecordedNames();
  ~RecordedNames();
  RecordedNames(const RecordedNames&) = delete;
  RecordedNames& operator=(const RecordedNames&) = delete;

  /// Canonical paths, those below `root` alone.
  std::set<std::filesystem::path> unsynced(const std::filesystem::path& root) const;
  /// The same at the last link(), before its own name.
  std::set<std::filesystem::path> unsyncedAtLink(const std::filesystem::path& root) const;
  /// Of files, folders and file systems.
  std::size_t syncCount() const;
};

/// While it lives: the files of the whole program lie on a worse disk. One at a time.
struct WorseDisk {
  WorseDisk();
  ~WorseDisk();
  WorseDisk(const WorseDisk&) = delete;
  WorseDisk& operator=(const WorseDisk&) = delete;

  bool hasNoLinks = false;     ///< it has no renames that replace nothing, either
  bool failsNextSync = false;  ///< once, after a link() to a lasting name
  std::function<void(const std::filesystem::path& from)> beforeRename = {};  ///< of each; may hang
  std::function<void(const std::filesystem::path& to)> afterRename = {};     ///< once
};

}  // namespace strata::test
