#include "core/ops/runs/detail/snapshot_store.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/ops/quantize/add_quantized.h"
#include "core/progress_meter.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/objects/probe.h"
#include "core/store/run_tags.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

/// "step-500"; where no step is known, "snapshot-3" by the number in its name or of the version.
Result<std::string> tagOf(const Catalog& catalog, const std::string& run,
                          const CheckpointState& state, const fs::path& named) {
  if (state.step) return stepTag(*state.step);
  const fs::path clean = named.has_filename() ? named : named.parent_path();
  if (const auto number = numberInName(clean.filename().string())) return snapshotTag(*number);
  STRATA_TRY(const std::uint32_t last, catalog.lastNumber(run));
  return snapshotTag(std::uint64_t{last} + 1);
}

Result<AddReport> addLossy(Store& store, const ModelSource& model, const AddOptions& options,
                           const SnapshotOptions& snapshot, const std::stop_token& stop,
                           const ProgressSink& progress) {
  TuneOptions tune;
  tune.plan = *snapshot.plan;
  tune.modelPath = snapshot.path;
  STRATA_TRY(QuantizedAdd done,
             addQuantized(store, model, options, tune, MissedGate::Refuse, stop, progress));
  if (done.added) return std::move(*done.added);
  return fail(ErrorCode::Unsupported, "the target of the profile cannot be met");
}

/// Whether a version took the place of a snapshot of this content. `tag` is the snapshot's.
Result<bool> hasWeightsOf(const Store& store, const std::string& run, const std::string& tag,
                          const Digest& content) {
  for (const Place place : {Place::Live, Place::Trash}) {
    STRATA_TRY(const auto versions, store.catalog().versionsOf(run, place));
    for (const VersionEntry& one : versions) {
      const bool isOfTag = std::find(one.tags.begin(), one.tags.end(), tag) != one.tags.end();
      if (!isOfTag || !isWeightsOnly(one)) continue;
      const auto manifest = readManifest(store, one.manifestDigest, one.contentDigest);
      if (manifest && manifest->originalDigest == content) return true;
    }
  }
  return false;
}

/// Whether the run had this content, and it was deleted for good.
Result<bool> wasDeleted(const Store& store, const std::string& run, const Digest& content) {
  STRATA_TRY(const LastNumber last, store.refs().readLastNumber(run));
  const std::string digits = toHex(content).substr(0, LastNumber::kFormerDigits);
  return std::any_of(last.former.begin(), last.former.end(),
                     [&](const auto& former) { return former.second == digits; });
}

/// Whether a checkpoint that no version is was one before.
Result<bool> wasTakenBefore(const Store& store, const std::string& run, const std::string& tag,
                            const ModelSource& model) {
  STRATA_TRY(const auto newest, store.catalog().lastNumber(run));
  if (newest == 0) return false;
  STRATA_TRY(const Digest content, hashModel(model));
  STRATA_TRY(const bool isGone, wasDeleted(store, run, content));
  if (isGone) return true;
  return hasWeightsOf(store, run, tag, content);
}

}  // namespace

Result<std::optional<VersionEntry>> snapshotOf(const Catalog& catalog, const std::string& run,
                                               const ModelSource& model, bool isLossy) {
  std::vector<VersionEntry> alike;
  const std::uint64_t bytes = originalBytes(model.description());
  STRATA_TRY(const auto probed, catalog.withProbe(probeModel(model.description()), bytes));
  if (isLossy) {
    alike = probed;
  } else {
    // Hashing all of it is of use only where something may be equal. The trash has no probes.
    STRATA_TRY(const auto removed, catalog.versionsOf(run, Place::Trash));
    if (probed.empty() && removed.empty()) return std::nullopt;
    STRATA_TRY(const Digest content, hashModel(model));
    STRATA_TRY(alike, catalog.withContent(content));
  }
  for (VersionEntry& version : alike) {
    if (version.name == run && version.lossy == isLossy) return std::move(version);
  }
  return std::nullopt;
}

Result<SnapshotReport> storeSnapshot(Store& store, const ModelSource& model,
                                     const CheckpointState& state, const fs::path& named,
                                     const SnapshotOptions& options, const std::stop_token& stop,
                                     const ProgressSink& progress) {
  SnapshotReport report{.added = {}, .state = state};
  AddOptions add = options.add;
  add.chain = ChainPolicy::Always;
  STRATA_TRY(std::string tag, tagOf(store.catalog(), add.name, state, named));
  add.tags.push_back(tag);
  const bool isLossy = options.plan.has_value();
  STRATA_TRY(const auto taken, snapshotOf(store.catalog(), add.name, model, isLossy));
  STRATA_TRY(const auto newest, store.catalog().newest(add.name));
  // The newest one goes through addVersion(), which mends it where it is damaged.
  const bool isNewest = taken && newest && newest->number == taken->number;
  report.wasTaken = taken && (taken->place() == Place::Live || options.skipRemoved);
  if (!taken && options.skipRemoved) {
    STRATA_TRY(report.wasTaken, wasTakenBefore(store, add.name, tag, model));
    report.added.outcome = AddReport::Outcome::Unchanged;
    if (report.wasTaken) return report;
  }
  if (report.wasTaken && (isLossy || !isNewest)) {
    report.added.outcome = AddReport::Outcome::Unchanged;
    report.added.version = *taken;
    return report;
  }
  if (isLossy) {
    STRATA_TRY(report.added, addLossy(store, model, add, options, stop, progress));
  } else {
    STRATA_TRY(report.added, addVersion(store, model, add, stop, progress));
  }
  return report;
}

bool isOfSnapshot(ErrorCode code) noexcept {
  return code == ErrorCode::CorruptData || code == ErrorCode::BaseMismatch ||
         code == ErrorCode::NotFound;
}

}  // namespace strata
