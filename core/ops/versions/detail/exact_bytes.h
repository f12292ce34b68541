#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>

#include "core/archive/read/version_reader.h"
#include "core/model/model_source.h"
#include "core/ops/versions/add_version.h"
#include "core/progress.h"

namespace strata {

/// What a model takes that is coded exactly, with the effort, memory and device of `options`.
/// Nothing where that is more than `mostBytes`. Fails as writeVersion.
Result<std::optional<std::uint64_t>> exactBytesWithin(const ModelSource& model,
                                                      std::shared_ptr<const VersionReader> parent,
                                                      const AddOptions& options,
                                                      std::uint64_t mostBytes,
                                                      const std::stop_token& stop,
                                                      const ProgressSink& progress);

}  // namespace strata
