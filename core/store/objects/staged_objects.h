#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "core/archive/objects.h"
#include "core/io/folder_lock.h"
#include "core/result.h"

namespace strata {

/// Objects of a version that is being encoded. Encoding takes minutes and needs no write lock: the
/// objects wait, synced, in a folder of their own, until StoreWriter::take moves them to their
/// places. Nothing but that folder knows of them, so nothing is left in `objects/` when the encoder
/// fails or dies.
///
///     STORE/tmp/add-RANDOM/       the objects
///     STORE/tmp/add-RANDOM.lock   locked while the encoder lives
class StagedObjects final : public ObjectWriter {
 public:
  struct Object {
    Digest digest;
    std::filesystem::path file;
  };

  /// Fails with NoSpace or Io.
  static Result<std::unique_ptr<StagedObjects>> make(const std::filesystem::path& storeFolder);
  /// Deletes what was not taken.
  ~StagedObjects() override;
  StagedObjects(const StagedObjects&) = delete;
  StagedObjects& operator=(const StagedObjects&) = delete;

  Result<std::unique_ptr<NewObject>> createObject() override;

  /// Those that were committed, in that order.
  const std::vector<Object>& all() const noexcept { return objects_; }

  /// Deletes what encoders left that died. Only under the write lock.
  static void removeAbandoned(const std::filesystem::path& storeFolder);

 private:
  class StagedObject;
  StagedObjects(std::filesystem::path folder, FolderLock lock);

  std::filesystem::path folder_;
  FolderLock lock_;
  std::vector<Object> objects_;
};

}  // namespace strata
