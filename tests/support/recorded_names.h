#pragma once

#include <filesystem>
#include <set>

namespace strata::test {

/// While it lives: watches which folders got a new name in them (mkdir, rename, link) and were not
/// synced since. A power cut may take those names away. One at a time.
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
};

}  // namespace strata::test
