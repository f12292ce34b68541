#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/archive/read/version_reader.h"
#include "core/device/device.h"
#include "core/io/mapped_file.h"
#include "core/io/owned/scratch_folders.h"
#include "core/io/temp_file.h"
#include "core/model/model_source.h"
#include "core/progress.h"

namespace strata {

/// A stored version as a model on its way in, to be coded anew. Its files lie in a scratch folder,
/// restored and compared with their SHA-256. Its weights are where its manifest has them. Where
/// they stand in a graph the graph says, which is among the files: a reader of models reads it.
class StoredModel final : public ModelSource {
 public:
  using IsWanted = std::function<bool(const ManifestFile&)>;

  /// `label` is how progress calls it. Without `reader`, or of a graph that it cannot read, places
  /// are not known: then names alone lead to the parent's weights. Without `isWanted` all files are
  /// a part of it.
  /// Fails with CorruptData, NoSpace, Device, Cancelled, Io.
  static Result<std::unique_ptr<StoredModel>> open(const VersionReader& version,
                                                   const std::string& label, Device* device,
                                                   const ModelOpener& reader,
                                                   const std::stop_token& stop,
                                                   const ProgressSink& progress,
                                                   const IsWanted& isWanted = {});

  const ModelDescription& description() const noexcept override { return description_; }

 private:
  explicit StoredModel(ScratchFolders folders) : folders_(std::move(folders)) {}
  void findPlaces(const std::filesystem::path& folder, const ModelOpener& reader);

  ScratchFolders folders_;
  std::vector<TempFile> files_;
  std::vector<MappedFile> mapped_;
  ModelDescription description_;
};

}  // namespace strata
