#pragma once

#include <filesystem>

#include "core/digest.h"
#include "core/result.h"

namespace strata::hub {

/// Objects of a remote in a folder that are about to be deleted: each has the name
/// `tmp/SHA256.doomed` first, where nobody looks for it. A deletion that hangs there takes nothing
/// away that others count on. Folders stay on one file system, so a rename is enough.
class AsideObjects {
 public:
  explicit AsideObjects(std::filesystem::path remoteFolder) : folder_(std::move(remoteFolder)) {}

  /// All three do nothing to what is not there, and fail with Io.
  Result<void> take(const Digest& digest) const;
  /// Where the object was sent again since, what was taken aside goes.
  Result<void> putBack(const Digest& digest) const;
  Result<void> erase(const Digest& digest) const;

  /// Puts back what a program left that died before it deleted it. For who found that nobody
  /// deletes objects there.
  Result<void> putAllBack() const;

 private:
  std::filesystem::path asidePath(const Digest& digest) const;

  std::filesystem::path folder_;
};

/// Where a remote in a folder keeps an object.
std::filesystem::path objectPath(const std::filesystem::path& remoteFolder, const Digest& digest);

}  // namespace strata::hub
