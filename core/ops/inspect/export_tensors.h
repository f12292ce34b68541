#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/io/models/plain_array.h"
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
  /// Reads the tensors of archives (PyTorch, npz), which are stored as their elements lie. Empty:
  /// they are written as they lie, in the shape that showVersion() says.
  ArrayLister arrays = {};
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
  std::vector<LeftOutTensor> leftOut;  ///< of those that match
};

/// Writes the tensors that match as NumPy files. Those of archives are written as PyTorch or NumPy
/// shows them: in their own shapes, and under each of their names. The archives are restored to a
/// scratch folder for that; nothing of other files is. Files are named after the tensors, '/' and
/// other awkward characters replaced by '_'. Fails with NotFound if nothing matches,
/// InvalidArgument if a target exists or lies inside a store; else as restoreVersion.
Result<ExportReport> exportTensors(const Store& store, const ExportOptions& options,
                                   std::stop_token stop, const ProgressSink& progress);

}  // namespace strata
