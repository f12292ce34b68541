#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/version_entry.h"

namespace strata {

/// Snapshots of a training run are versions with one of these tags: a name that has such a version
/// is a run. The step is the trainer's; a snapshot whose step nothing says has a number of its own.
std::string stepTag(std::uint64_t step);        ///< "step-500"
std::string snapshotTag(std::uint64_t number);  ///< "snapshot-3"

/// Whether a tag is of that kind.
bool isSnapshotTag(std::string_view tag);

/// The step of a snapshot by its tag; the greatest where it has several.
std::optional<std::uint64_t> stepByTag(const VersionEntry& version);

bool isSnapshot(const VersionEntry& version);

/// The profile of versions that took the place of a snapshot: without the files of its optimizer,
/// all other files byte for byte. They are lossy, and have the snapshot's tags and date. No other
/// version has it.
inline constexpr std::string_view kWeightsOnly = "weights-only";

bool isWeightsOnly(const VersionEntry& version);

/// Sorts the versions of one name from the oldest to the newest. That is by number. But the number
/// of a version without its optimizer says when that was left out, and not how old the snapshot is:
/// with one of these all are sorted by date, then by step.
void sortByAge(std::vector<VersionEntry>& versions);

/// The newest of them in that order; there is one at least. This decides what a bare name means, in
/// lists, references and the choice of a parent alike. What was trained furthest is another matter
/// (core/ops/runs/run_versions.h).
const VersionEntry& newestOf(std::span<const VersionEntry> versions);
/// The same of those that were added last, where all of the name are sorted by date.
const VersionEntry& newestOfDate(std::span<const VersionEntry> versions);

}  // namespace strata
