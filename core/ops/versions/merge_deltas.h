#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "core/archive/manifest.h"
#include "core/device/device.h"
#include "core/ops/quantize/tune_model.h"
#include "core/profile/profile.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

struct MergeOptions {
  std::string reference = {};  ///< the newest version of its name, a lossy one
  /// Nothing: the settings that the version was stored with. Those of one with a target of size or
  /// error are searched first, as recodeLossy() does.
  std::optional<Profile> profile = {};
  bool dryRun = false;  ///< code and compare, write nothing
  std::uint64_t memoryBytes = 512'000'000;
  Device* device = nullptr;  ///< borrowed; null: the CPU
  ModelOpener reader = {};   ///< as recodeLossy() takes it
};

struct MergeReport {
  bool isMerged = false;  ///< false: one difference leads to `parentLabel`, or a target was missed
  VersionEntry former;    ///< in the trash now
  VersionEntry now;       ///< what has its place; of a dry run what would have
  std::string parentLabel;
  std::uint32_t differences = 0;  ///< that became one
  std::uint64_t bytesBefore = 0;  ///< of all these: what a restore read, but for the base
  std::uint64_t bytesAfter = 0;
  std::optional<double> relativeError;  ///< against what `former` restores to, as AddReport has it
  double summedError = 0;               ///< what is recorded: that and the error of `former`
  std::optional<TuneReport> tune;       ///< where settings were searched
  double seconds = 0;

  bool isMissed() const noexcept { return tune && !tune->meetsTarget(); }
};

/// Makes one difference of the lossy ones that lead to a lossy version, as LC-Checkpoint does with
/// its own (arXiv 2009.13003): a restore then reads this one and their common parent. That is the
/// newest version of the line that is exact, has another name or is a difference to nothing.
///
/// Sums of floats depend on their order, and what is stored is quantized again. So what it restores
/// to is another content: a new version, which takes the place of the former one with its tags,
/// note and date. It is recorded to be made of the same model, and its errors are summed
/// (core/archive/write/summed_errors.h). The former version goes to the trash.
///
/// Nothing is changed before what was coded was decoded and compared. A failure, a missed target or
/// a cancellation leaves the version as it was.
///
/// Fails with InvalidArgument for an exact version, for one that is not the newest of its name, and
/// where nothing of the change would be left. Fails with NotFound, StoreLocked, NoSpace,
/// CorruptData (damage), Device, Cancelled and Io.
Result<MergeReport> mergeDeltas(Store& store, const MergeOptions& options,
                                const std::stop_token& stop, const ProgressSink& progress);

}  // namespace strata
