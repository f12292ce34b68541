#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/store/version_entry.h"

namespace strata {

/// Snapshots of a training run are versions with one of these tags: a name that has such a version
/// is a run. The step is the trainer's; a snapshot whose step nothing says has a number of its own.
std::string stepTag(std::uint64_t step);        ///< "step-500"
std::string snapshotTag(std::uint64_t number);  ///< "snapshot-3"

/// The step of a snapshot by its tag; the greatest where it has several.
std::optional<std::uint64_t> stepByTag(const VersionEntry& version);

bool isSnapshot(const VersionEntry& version);

}  // namespace strata
