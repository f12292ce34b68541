#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>

#include "core/device/device.h"
#include "core/io/models/model_converter.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

struct RestoreConvertedOptions {
  std::string reference = {};
  std::filesystem::path target = {};  ///< the file to write
  TensorChoice choice = {};           ///< `weightsOnly` also leaves out files (isTrainingState)
  ModelConverter convert = {};
  bool force = false;        ///< replace a file that exists
  Device* device = nullptr;  ///< borrowed; null: the CPU
};

struct RestoreConvertedReport {
  VersionEntry version;
  ConvertedTensors written;
  double seconds = 0;
};

/// Writes the tensors of a version as one file of another format. The version is restored to a
/// scratch folder and compared with its SHA-256 first, so this needs the room of it twice. The file
/// gets its name once all of it is written and synced.
///
/// Fails with InvalidArgument (the target exists or lies inside a store), with what `convert` fails
/// with, and as restoreVersion().
Result<RestoreConvertedReport> restoreConverted(const Store& store,
                                                const RestoreConvertedOptions& options,
                                                const std::stop_token& stop,
                                                const ProgressSink& progress);

}  // namespace strata
