#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/device/device.h"
#include "core/model/element_type.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

/// A tensor of a stored version, and the caller's memory that it is to fill.
struct TensorTarget {
  std::string name = {};  ///< as the version has it: showVersion() lists them
  ElementType type = ElementType::F32;
  std::vector<std::uint64_t> shape = {};  ///< empty for a scalar
  /// The caller's, for as long as the call takes. As many bytes as `type` and `shape` ask for; it
  /// is filled row by row, little-endian, as the tensor lies in its file. Needs no alignment.
  std::span<std::byte> out = {};
};

struct RestoreTensorsOptions {
  std::string reference = {};  ///< "sst2:v2"
  std::vector<TensorTarget> tensors = {};
  Device* device = nullptr;  ///< borrowed; null: the CPU
};

struct RestoreTensorsReport {
  VersionEntry version;
  std::uint64_t restoredBytes = 0;  ///< of the tensors that were asked for
  double seconds = 0;
};

/// Decodes tensors of a version into memory of the caller, without writing a file: for programs
/// that load weights from a store. Of each file only the pieces that hold such tensors are decoded.
///
/// Names, types and shapes are compared before anything is written. The bytes are checked as those
/// of restoreVersion() are: each block, and the checksums of the pieces of the file that they lie
/// in. A file without such checksums (below 256 KiB, or stored by an old program) is decoded whole
/// and its SHA-256 compared.
///
/// Fails with NotFound (the version, or no tensor of exactly this name), InvalidArgument (type,
/// shape or bytes are others than the version's; several files have the name), CorruptData (naming
/// the damage), Cancelled, Device (a GPU was insisted on), Io. After a failure the memory holds
/// unspecified bytes.
Result<RestoreTensorsReport> restoreTensors(const Store& store,
                                            const RestoreTensorsOptions& options,
                                            std::stop_token stop, const ProgressSink& progress);

}  // namespace strata
