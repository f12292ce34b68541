#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/archive/objects.h"
#include "core/result.h"

namespace strata {

/// An object as it lies in the folder.
struct StoredObject {
  Digest digest;
  std::uint64_t byteCount = 0;
};

/// The objects of a store: `objects/ab/cdef…`, each named by the SHA-256 of its bytes. Objects are
/// written once and never change. Nothing is read, written or deleted through a link: functions
/// fail with CorruptData there (store_places.h). Safe to use from several threads.
class ObjectFolder {
 public:
  explicit ObjectFolder(const std::filesystem::path& storeFolder);

  /// Whether objects lie in a folder of this name, "ab".
  static bool isFolderName(std::string_view name) noexcept;

  /// Where the object lies, whether it exists or not.
  std::filesystem::path pathOf(const Digest& digest) const;

  /// The digest of the object that a file of this path is; nothing where it is no object's path.
  std::optional<Digest> digestOf(const std::filesystem::path& file) const;

  /// Fails with NotFound, naming the digest, or Io.
  Result<MappedFile> open(const Digest& digest) const;

  /// As it lies there. Fails with NotFound, naming the digest.
  Result<std::uint64_t> byteCount(const Digest& digest) const;

  /// All there are, sorted by digest. Files with other names are left out. Fails with Io.
  Result<std::vector<StoredObject>> list() const;

  /// A new object in `tmp/`, which its commit moves to its place, over an object of the same name
  /// if there is one: that has the same bytes or is damaged. Fails with NoSpace or Io.
  Result<std::unique_ptr<NewObject>> create() const;

  /// pathOf, with its folder made. Fails with NoSpace or Io.
  Result<std::filesystem::path> makePlace(const Digest& digest) const;

  /// Moves a synced file, whose bytes have this digest, to the object's place. Both must be on one
  /// file system. Fails with NoSpace or Io.
  Result<void> adopt(const std::filesystem::path& file, const Digest& digest) const;

  /// Deletes an object; it need not exist. Fails with Io.
  Result<void> remove(const Digest& digest) const;

 private:
  Result<void> listIn(const std::filesystem::path& folder,
                      std::vector<StoredObject>& objects) const;

  std::filesystem::path store_;
  std::filesystem::path objects_;
  std::filesystem::path temporary_;
};

}  // namespace strata
