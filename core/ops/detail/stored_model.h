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
/// restored and compared with their SHA-256. Its weights are where its manifest has them. A reader
/// of models reads the files for what the manifest does not say: where a graph uses its weights,
/// and which checksums of its weights an archive holds.
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

  /// The same for who quantizes the model. Archives then need the reader, which finds the checksums
  /// that change with the weights. Fails also with InvalidArgument where there is none, and with
  /// what it says of an archive.
  static Result<std::unique_ptr<StoredModel>> openToQuantize(
      const VersionReader& version, const std::string& label, Device* device,
      const ModelOpener& reader, const std::stop_token& stop, const ProgressSink& progress);

  const ModelDescription& description() const noexcept override { return description_; }
  /// Those that openToQuantize() found.
  std::vector<ChecksumField> checksumFields() const override { return checksums_; }

 private:
  StoredModel(ScratchFolders folders, std::filesystem::path folder)
      : folders_(std::move(folders)), folder_(std::move(folder)) {}
  void findPlaces(const ModelOpener& reader);
  Result<void> findChecksums(const ModelOpener& reader);

  ScratchFolders folders_;
  std::filesystem::path folder_;  ///< one of them, with the files
  std::vector<TempFile> files_;
  std::vector<MappedFile> mapped_;
  std::vector<ChecksumField> checksums_;
  ModelDescription description_;
};

}  // namespace strata
