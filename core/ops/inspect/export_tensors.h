#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/progress.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

struct ExportOptions {
  std::string reference = {};
  std::vector<std::string> globs = {};  ///< of tensor names, with * and ?
  /// A file ending in ".npy" if exactly one tensor matches; else a folder, made if needed.
  std::filesystem::path target = {};
  bool force = false;
};

struct ExportedTensor {
  std::string name;
  std::filesystem::path path;
  std::string type;     ///< the tensor's
  std::string npyType;  ///< what the file holds: "<f4"; bf16 is widened, packed kinds are bytes
  std::uint64_t byteCount = 0;
};

struct ExportReport {
  VersionEntry version;
  std::vector<ExportedTensor> tensors;
};

/// Writes the tensors that match as NumPy files, without restoring the rest of the model. Files are
/// named after the tensors, '/' and other awkward characters replaced by '_'.
/// Fails with NotFound if nothing matches, InvalidArgument if a target exists or lies inside a
/// store; else as restoreVersion.
Result<ExportReport> exportTensors(const Store& store, const ExportOptions& options,
                                   std::stop_token stop, const ProgressSink& progress);

}  // namespace strata
