#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/digest.h"
#include "core/io/owned/owned_folder.h"
#include "core/model/checkpoint.h"
#include "core/ops/runs/detail/checkpoint_scan.h"
#include "core/result.h"

namespace strata {

/// Begins the names of folders that a watcher makes beside checkpoints.
inline constexpr std::string_view kStagingPrefix = ".strata-watch";

/// The files of a checkpoint under names of our own, so that the trainer may delete it at any time.
/// They are hard links where the file system makes them, else copies. Move-only; gone at the end.
class StagedCheckpoint {
 public:
  /// Links into a new folder beside `source`; copies into one in `spare` where none can be made
  /// there. Fails with NotFound where the checkpoint, or a file of it, vanishes meanwhile; with Io
  /// where it has other files in the end; with Unsupported at what is neither file nor folder;
  /// NoSpace, Cancelled.
  ///
  /// What was staged is what `source.stamp` says, to the file: Io where another one took the place
  /// of a file since, so that files of two checkpoints never come to lie beside each other.
  static Result<StagedCheckpoint> make(const CheckpointPlace& source,
                                       const std::filesystem::path& spare,
                                       const std::stop_token& stop);

  /// What a watcher that was killed left in `folder`, one of its own: the checkpoint, where all of
  /// it got its names. Nothing of one that it did not come to the end of.
  static std::optional<CheckpointPlace> leftIn(const std::filesystem::path& folder);

  /// The file or folder, named as the trainer's; of several files a folder named as one.
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  StagedCheckpoint(OwnedFolder folder, std::filesystem::path path)
      : folder_(std::move(folder)), path_(std::move(path)) {}

  OwnedFolder folder_;
  std::filesystem::path path_;
};

/// Opens what was staged. That the trainer deletes its own names of the files, which changes the
/// times of ours, counts for nothing: the bytes are hashed at the beginning and, where anything
/// changed, at the end. Whether it is finished is to be looked at in between. A trainer that writes
/// into its files is told from that: Io.
Result<std::unique_ptr<ModelSource>> openStaged(const StagedCheckpoint& staged,
                                                const ModelOpener& open);

}  // namespace strata
