#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/device/device.h"
#include "core/io/models/model_sink.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

struct RestoreOptions {
  std::string reference = {};
  /// A file if the model has one file, else a folder. A one-file model given a folder that holds
  /// something is written into that folder under its own name. What was added as a folder of one
  /// file is a folder again, unless `target` exists or ends as the file does. Into a fifo or a
  /// device the bytes of a one-file model are written as they come; into a block device only with
  /// `force` or `backup`.
  std::filesystem::path target = {};
  bool force = false;   ///< replace files that exist; other files of a folder stay
  bool backup = false;  ///< as force, but files that exist are renamed to NAME.bak, NAME.bak2, …
  /// Compare the SHA-256 before a file gets its name, too. Checksums of pieces always are.
  bool verify = false;
  bool dryRun = false;
  /// Leave out what is there for going on with the training alone (isTrainingState).
  bool weightsOnly = false;
  Device* device = nullptr;  ///< borrowed; null: the CPU
};

struct RestoreReport {
  VersionEntry version;
  std::vector<std::filesystem::path> files;    ///< written, or to be written
  std::vector<std::filesystem::path> backups;  ///< where replaced files are now
  bool comparedSha256 =
      false;  ///< of every file; else checksums of pieces were, where there are any
  std::uint64_t writtenBytes = 0;
  std::uint64_t freeBytes = 0;  ///< at the target, before
  /// The files have the permission bits that the version was added with. Else what said them is
  /// damaged, and the files are their owner's alone.
  bool modesAreKnown = true;
  double seconds = 0;
};

/// Rebuilds a version's files. They appear under their names only when all bytes are written,
/// synced and match what their manifest says of them (FileCheck); a failure or cancellation leaves
/// the target as it was. What a fifo or device got before a failure is no model: each block was
/// checked, the whole was not. Fails with InvalidArgument (the target exists or lies inside a
/// store, or weightsOnly leaves nothing), NotFound, CorruptData (naming the object), NoSpace,
/// Cancelled, Device (a GPU was insisted on), Io.
Result<RestoreReport> restoreVersion(const Store& store, const RestoreOptions& options,
                                     std::stop_token stop, const ProgressSink& progress);

/// Writes the only file of a version to `sink` (a pipe), each block checked before it is given out,
/// pieces and with `verify` the SHA-256 at their end. What `sink` got before a failure is no model.
/// Of the options, `reference`, `verify` and `device` count. Fails with InvalidArgument if the
/// version has several files; else as restoreVersion.
Result<RestoreReport> restoreToSink(const Store& store, const RestoreOptions& options,
                                    ByteSink& sink, std::stop_token stop,
                                    const ProgressSink& progress);

}  // namespace strata
