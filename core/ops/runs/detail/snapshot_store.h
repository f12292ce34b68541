#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>

#include "core/ops/runs/take_snapshot.h"

namespace strata {

/// Stores the checkpoint at `path`, which was found finished, unless the run has it. `path` is
/// named as the trainer named it. `model` is what tools.open() made of it.
Result<SnapshotReport> storeSnapshot(Store& store, const CheckpointTools& tools,
                                     const ModelSource& model, const CheckpointState& state,
                                     const std::filesystem::path& path,
                                     const SnapshotOptions& options, const std::stop_token& stop,
                                     const ProgressSink& progress);

/// The version of the run that was made of this model, live or else in the trash. All bytes count:
/// a lossy version is known by the digest of what it was made of. `mayBeLossy`: those count, too.
Result<std::optional<VersionEntry>> snapshotOf(const Store& store, const std::string& run,
                                               const ModelSource& model, bool mayBeLossy);

/// Whether a failure is one snapshot's: others may serve, or be worked on, all the same.
bool isOfSnapshot(ErrorCode code) noexcept;

}  // namespace strata
