#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/device/device.h"
#include "core/io/file_patch.h"
#include "core/io/models/plain_array.h"
#include "core/model/model_source.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

struct RestorePartialOptions {
  std::string reference = {};
  std::filesystem::path target =
      {};  ///< the file, which exists, or the index or graph that names it
  std::vector<std::string> globs = {};  ///< of tensor names, with * and ?
  ModelOpener open = {};                ///< reads the target
  ArrayLister arrays = {};              ///< says how tensors lie in a file
  ChecksumMender checksums = {};
  bool dryRun = false;
  Device* device = nullptr;  ///< borrowed; null: the CPU
};

struct RestorePartialReport {
  struct Tensor {
    std::string name;
    ElementType type = ElementType::Bytes;
    std::vector<std::uint64_t> shape;
    std::uint64_t byteCount = 0;
    bool isChanged = false;  ///< the file had other bytes; of a dry run false
  };
  VersionEntry version;
  std::filesystem::path file;   ///< that was written
  std::vector<Tensor> tensors;  ///< in the order of the file
  double seconds = 0;
};

/// Writes the tensors of a version that `globs` name into a checkpoint file that exists, and leaves
/// all its other bytes as they are: what a training has lost comes back, and the rest of it need
/// not go back (SCAR). A new file takes the place of the old one in one step; a kill leaves one of
/// them. The tensors come from a version's file of the same name where it has one, else from the
/// only one that has them all. The files of the version that they lie in are restored to a scratch
/// folder and compared with their SHA-256 first.
///
/// Fails with NotFound where the target is not there, a glob names no tensor of it, or the version
/// has not got one of those; with InvalidArgument where type, shape or layout differ, the tensors
/// lie in several files, or the target lies inside a store; with Io where the target changes
/// meanwhile; with what `open` fails with, and as restoreVersion().
Result<RestorePartialReport> restorePartial(const Store& store,
                                            const RestorePartialOptions& options,
                                            const std::stop_token& stop,
                                            const ProgressSink& progress);

}  // namespace strata
