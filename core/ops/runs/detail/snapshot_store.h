#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>

#include "core/ops/runs/take_snapshot.h"

namespace strata {

/// Stores a checkpoint that was found finished, unless the run has it. `named` has the name that
/// the trainer gave it, for the tag where no step is known.
Result<SnapshotReport> storeSnapshot(Store& store, const ModelSource& model,
                                     const CheckpointState& state,
                                     const std::filesystem::path& named,
                                     const SnapshotOptions& options, const std::stop_token& stop,
                                     const ProgressSink& progress);

/// The version of the run that has this model, live or in the trash. A lossy version restores to
/// other bytes: it is known by the size and the probe of what it was made of.
Result<std::optional<VersionEntry>> snapshotOf(const Catalog& catalog, const std::string& run,
                                               const ModelSource& model, bool isLossy);

/// Whether a failure is one snapshot's: others may serve, or be worked on, all the same.
bool isOfSnapshot(ErrorCode code) noexcept;

}  // namespace strata
