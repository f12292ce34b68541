#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/io/file_system_sync.h"
#include "core/result.h"

namespace strata {

/// Files of refs that get their names together. Many of them are synced at once. Files that have no
/// name yet go with the batch. Move-only.
class RefBatch {
 public:
  /// For `count` files of a store. Fails with Io.
  static Result<RefBatch> begin(const std::filesystem::path& storeFolder, std::size_t count);

  RefBatch(RefBatch&& other) noexcept = default;
  RefBatch& operator=(RefBatch&& other) noexcept;
  ~RefBatch();

  /// Writes one under a temporary name. Fails with CorruptData (a link or something else than a
  /// file is in the way), NoSpace, Io.
  Result<void> write(const std::filesystem::path& target, std::string_view text);
  /// Brings the bytes of all to the disk. Fails with NoSpace or Io.
  Result<void> sync();
  /// Gives all their names, over files that have them, for which no more space is needed.
  /// Fails with Io.
  Result<void> place();

 private:
  struct File {
    std::filesystem::path written;
    std::filesystem::path target;
  };

  RefBatch(std::filesystem::path storeFolder, std::optional<FileSystemSync> sync)
      : store_(std::move(storeFolder)), sync_(std::move(sync)) {}
  Result<void> makeFolder(const std::filesystem::path& folder) const;
  void discard() noexcept;

  std::filesystem::path store_;
  std::optional<FileSystemSync> sync_;  ///< of many
  std::vector<File> files_;
};

}  // namespace strata
