#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/archive/version_reader.h"
#include "core/device/device.h"
#include "core/io/mapped_file.h"
#include "core/io/scratch_folders.h"
#include "core/io/temp_file.h"
#include "core/model/model_source.h"
#include "core/progress.h"

namespace strata {

/// A stored version as a model on its way in, to be coded anew. Its files lie in a scratch folder,
/// restored and compared with their SHA-256. Its weights are where its manifest has them: no reader
/// of model formats is needed. Places in a graph are not known.
class StoredModel final : public ModelSource {
 public:
  /// `label` is how progress calls it. Fails with CorruptData, NoSpace, Device, Cancelled, Io.
  static Result<std::unique_ptr<StoredModel>> open(const VersionReader& version,
                                                   const std::string& label, Device* device,
                                                   const std::stop_token& stop,
                                                   const ProgressSink& progress);

  const ModelDescription& description() const noexcept override { return description_; }

 private:
  explicit StoredModel(ScratchFolders folders) : folders_(std::move(folders)) {}

  ScratchFolders folders_;
  std::vector<TempFile> files_;
  std::vector<MappedFile> mapped_;
  ModelDescription description_;
};

}  // namespace strata
