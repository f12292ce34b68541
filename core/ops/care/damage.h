#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/digest.h"

namespace strata {

/// Something in the store that is not as it was written.
struct Damage {
  /// Parent: the content that versions are differences to and that no version is.
  /// Place: a link, or something else that is not the store's, where its file or folder should be.
  /// Folder: it is missing, with all that was in it.
  /// Remote: what the store keeps of a remote, `remote`, to tell what others did there since.
  /// Parity: a file of it; what it protects is not damaged by that.
  enum class Kind {
    Pack,
    ManifestObject,
    Ref,
    Catalog,
    Version,
    Parent,
    Place,
    Folder,
    Remote,
    Parity
  };
  Kind kind = Kind::Pack;
  Digest digest = {};                      ///< of a pack or manifest, or of content
  std::filesystem::path path = {};         ///< in the store
  std::uint64_t byteCount = 0;             ///< it should have; 0 if not known
  std::string reason = {};                 ///< "missing", "does not match its hash", …
  std::string remote = {};                 ///< its name, for fetch; empty: its URL is all it had
  std::vector<std::string> versions = {};  ///< labels of the versions that cannot be restored

  /// Whether it is of an object of the store.
  bool isObject() const noexcept { return kind == Kind::Pack || kind == Kind::ManifestObject; }
};

/// "pack", "manifest", …
std::string_view name(Damage::Kind kind) noexcept;

}  // namespace strata
