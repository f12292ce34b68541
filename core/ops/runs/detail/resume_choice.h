#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ops/runs/run_versions.h"

namespace strata {

/// Whether a reference names one version, such as "run:v3", "run~1" or "@HASH", and not all of a
/// name. Fails with InvalidArgument, as parseReference() does.
Result<bool> namesOneVersion(std::string_view reference);

/// The snapshots of `snapshots`, those of one run, the newest first, that could be meant. With
/// `only` it is that version alone. Of a step the one that has the step's tag is the first: what
/// "run:step-20" means in a reference is what `--step 20` means.
///
/// Fails with NotFound where there is none, and with InvalidArgument where `only` is of another
/// step.
Result<std::vector<RunVersion>> snapshotsMeant(const std::vector<RunVersion>& snapshots,
                                               const std::optional<VersionEntry>& only,
                                               std::optional<std::uint64_t> step);

/// "steps 30, 20, 10"; labels where no step is known.
std::string listedSnapshots(const std::vector<RunVersion>& snapshots);

}  // namespace strata
