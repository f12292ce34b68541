#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/archive/objects.h"
#include "core/archive/read/version_reader.h"
#include "core/archive/write/write_options.h"
#include "core/model/model_source.h"
#include "core/progress.h"
#include "core/result.h"

namespace strata {

/// What became of one version. Bytes stored count packs and manifest.
struct WriteReport {
  Digest manifestDigest;
  Digest contentDigest;
  std::uint64_t originalBytes = 0;
  std::uint64_t storedBytes = 0;
  std::uint64_t packBytes = 0;  ///< of those
  Manifest manifest;
  QuantizationError error = {};             ///< of the quantized tensors
  std::vector<std::string> keptExact = {};  ///< tensors that could not be quantized as wished
};

/// Writes `model` as packs and a manifest to `objects`, as a delta to `parent` where there is one
/// and that is smaller: exactly, or quantized as options.lossy says. Every section is decoded again
/// and compared with the model before the manifest is written; nothing is committed before that.
/// The digests are those of what the sections decode to.
///
/// The bytes written are the same for any number of threads.
/// Fails with Cancelled, NoSpace, Io (also where the model changed meanwhile), LimitExceeded, with
/// Internal if a section does not decode to what was put in, and with Device where a GPU was
/// insisted on and cannot do it.
Result<WriteReport> writeVersion(const ModelSource& model,
                                 std::shared_ptr<const VersionReader> parent,
                                 const WriteOptions& options, ObjectWriter& objects,
                                 std::stop_token stop, const ProgressSink& progress);

}  // namespace strata
