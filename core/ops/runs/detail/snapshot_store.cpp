#include "core/ops/runs/detail/snapshot_store.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/io/mapped_file.h"
#include "core/match/signature.h"
#include "core/model/trainer_state.h"
#include "core/ops/detail/parent_choice.h"
#include "core/ops/inspect/diff_models.h"
#include "core/ops/quantize/add_quantized.h"
#include "core/ops/quantize/setting_effects.h"
#include "core/ops/runs/detail/former_snapshots.h"
#include "core/ops/runs/detail/twin_snapshot.h"
#include "core/ops/runs/detail/weights_mending.h"
#include "core/ops/runs/run_versions.h"
#include "core/progress_meter.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/objects/awaited_packs.h"
#include "core/store/objects/lineage_check.h"
#include "core/store/objects/probe.h"
#include "core/store/run_tags.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

std::string nameOf(const fs::path& named) {
  return (named.has_filename() ? named : named.parent_path()).filename().string();
}

/// A checkpoint with what is recorded of it as a snapshot.
class RecordedModel final : public ModelSource {
 public:
  RecordedModel(const ModelSource& model, const CheckpointState& state, const std::string& name)
      : model_(model), description_(model.description()) {
    for (auto& entry : snapshotRecord(state.step, name)) {
      description_.metadata.push_back(std::move(entry));
    }
  }
  const ModelDescription& description() const noexcept override { return description_; }
  Result<void> checkUnchanged() const override { return model_.checkUnchanged(); }
  std::vector<ChecksumField> checksumFields() const override { return model_.checksumFields(); }
  /// Of one file in a lossy run: another one may have the same tensors.
  void recordTensors() {
    if (description_.files.size() != 1 || description_.tensors.empty()) return;
    description_.metadata.emplace_back(kRecordedTensors, tensorsDigest(description_));
  }

 private:
  const ModelSource& model_;
  ModelDescription description_;
};

/// "step-500"; where no step is known, "snapshot-3" by the number in its name or of the version.
Result<std::string> tagOf(const Catalog& catalog, const std::string& run,
                          const CheckpointState& state, const fs::path& named) {
  if (state.step) return stepTag(*state.step);
  if (const auto number = numberInName(nameOf(named))) return snapshotTag(*number);
  STRATA_TRY(const std::uint32_t last, catalog.lastNumber(run));
  return snapshotTag(std::uint64_t{last} + 1);
}

/// The version of `versions` that was made of this content: it restores to it, or is lossy and says
/// so in its manifest.
std::optional<VersionEntry> madeOf(const Store& store, std::vector<VersionEntry> versions,
                                   const Digest& content) {
  for (VersionEntry& version : versions) {
    if (version.contentDigest == content) return std::move(version);
    if (!version.lossy) continue;
    const auto manifest = readManifest(store, version.manifestDigest, version.contentDigest);
    if (manifest && manifest->originalDigest == content) return std::move(version);
  }
  return std::nullopt;
}

using Losses = std::vector<std::pair<std::uint64_t, double>>;

/// What a trainer of transformers has logged in a checkpoint.
Losses lossesOf(const fs::path& checkpoint) {
  const auto file = MappedFile::open(checkpoint / kTrainerStateFile);
  if (!file || file->bytes().size() > kMostTrainerStateBytes) return {};
  const auto bytes = file->bytes();
  return loggedLosses({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

/// Whether the last loss that a snapshot has logged is another one in what may come after it.
bool isOfOtherWay(const RunVersion& snapshot, const Losses& losses) {
  if (!snapshot.state || !snapshot.state->loss || !snapshot.state->lossStep) return false;
  bool isLogged = false;
  for (const auto& [step, loss] : losses) {
    if (step != *snapshot.state->lossStep) continue;
    const bool isNone = std::isnan(loss) && std::isnan(*snapshot.state->loss);
    if (isNone || loss == *snapshot.state->loss) return false;
    isLogged = true;
  }
  return isLogged;
}

/// Whether a lossy snapshot may be stored exactly after this: its settings are to blame, or what it
/// would stand on. Where it is the checkpoint, that fails exactly, too.
bool mayBeExactAfter(ErrorCode code) {
  return code == ErrorCode::Evaluator || code == ErrorCode::InvalidArgument || isOfSnapshot(code);
}

/// A restored snapshot is twice as near to the checkpoint as the one before it, by what the models
/// answer: else a training had better go on from that.
constexpr double kMostOfChange = 0.5;

std::string missedText(const TuneOptions& tune) {
  std::string text = "no settings that were tried reach " + targetText(tune.plan.target);
  if (!tune.evaluator) return text;
  return text + " and half of the divergence that what it would stand on has";
}

/// One call of storeSnapshot().
class SnapshotStoring {
 public:
  SnapshotStoring(Store& store, RecordedModel& model, const SnapshotOptions& options,
                  const std::stop_token& stop, const ProgressSink& progress)
      : store_(store),
        model_(model),
        options_(options),
        add_(options.add),
        stop_(stop),
        progress_(progress) {
    add_.chain = ChainPolicy::Always;
    add_.anyStands = true;
  }

  Result<SnapshotReport> run(const CheckpointState& state, const fs::path& named) {
    report_.state = state;
    STRATA_TRY(const std::string tag, tagOf(store_.catalog(), add_.name, state, named));
    STRATA_TRY(const auto newest, store_.catalog().newest(add_.name));
    // What a watched run began with is no matter for those that stand on the snapshot before.
    const bool isFurther = newest && options_.isWatched;
    if (isFurther && add_.baseChoice == BaseChoice::None) add_.baseChoice = BaseChoice::Auto;
    STRATA_TRY(auto taken, snapshotOf(store_, add_.name, model_, options_.plan.has_value()));
    // What a version without the optimizer has the place of lies in the trash, or is kept for
    // others.
    if (!taken || taken->place() != Place::Live) {
      STRATA_TRY(const bool isDone, mendWeights(tag));
      if (isDone) return std::move(report_);
    }
    if (taken && taken->place() != Place::Live && options_.isWatched) {
      STRATA_TRY(const Rest rest, restOf(store_, add_.name, tag, model_, stop_, progress_));
      report_.wasTaken = rest != Rest::None;  // of a damaged one, the trash has what mends it
      report_.added.outcome = AddReport::Outcome::Unchanged;
      bool isGivenUp = rest == Rest::Damaged && taken->isUnlisted;
      if (rest == Rest::None) {
        STRATA_TRY(isGivenUp, isPlaceDamaged(store_, add_.name, tag, stop_, progress_));
      }
      if (report_.wasTaken && !isGivenUp) return std::move(report_);
      if (isGivenUp) taken.reset();
    }
    if (!taken && state.step) {
      STRATA_TRY(const bool hasTwin, findTwin(*state.step));
      if (hasTwin) return std::move(report_);
    }
    if (taken) {
      STRATA_TRY(const bool isDone, keep(*taken));
      if (isDone) return std::move(report_);
    } else if (options_.isWatched) {
      STRATA_TRY(const Rest rest, restOf(store_, add_.name, tag, model_, stop_, progress_));
      report_.wasTaken = rest == Rest::Sound;
      report_.added.outcome = AddReport::Outcome::Unchanged;
      if (rest == Rest::None) {
        STRATA_TRY(report_.wasDeleted,
                   wasDeleted(store_, add_.name, model_, options_.plan.has_value()));
        report_.wasTaken = report_.wasDeleted;
      }
      if (report_.wasTaken) return std::move(report_);
    }
    if (!taken && !report_.wasTaken && options_.leastDrift) {
      STRATA_TRY(measureDrift(state.step, named));
    }
    if (report_.isTooNear()) return std::move(report_);
    STRATA_TRY(const auto inUse, store_.catalog().tag(add_.name, tag));
    // One that the run has leaves a tag where it is.
    if (!report_.wasTaken || !inUse) add_.tags.push_back(tag);
    if (!report_.wasTaken) fetchParent();
    STRATA_TRY(report_.added, store(named));
    return std::move(report_);
  }

 private:
  /// Where what it would be compared with cannot be read, it is stored.
  Result<void> measureDrift(std::optional<std::uint64_t> step, const fs::path& named) {
    STRATA_TRY(const auto before, snapshotBefore(step, named));
    if (!before) return {};
    const auto diff = diffModels({.store = &store_, .reference = before->label()},
                                 {.model = &model_, .label = "the checkpoint"}, {}, stop_, {});
    if (!diff && isOfSnapshot(diff.error().code)) return {};
    if (!diff) return fail(diff.error());
    report_.drift = diff->change.distance;
    const bool isNear = report_.drift && *report_.drift < *options_.leastDrift;
    if (isNear && isMeasured(*diff)) report_.nearTo = before->label();
    return {};
  }

  /// The one that this training went on from. Of its own step and later ones a run that went back
  /// has given up the way; so it has where another loss was logged for a step that both have.
  Result<std::optional<VersionEntry>> snapshotBefore(std::optional<std::uint64_t> step,
                                                     const fs::path& named) const {
    RunReader own(store_);
    RunReader& reader = options_.reader == nullptr ? own : *options_.reader;
    STRATA_TRY(const auto newest, store_.catalog().newest(add_.name));
    if (!newest) return std::nullopt;
    if (!step) return reader.read(*newest).isSnapshot ? newest : std::nullopt;
    STRATA_TRY(auto snapshots, runSnapshots(reader, add_.name));
    const auto losses = lossesOf(named);
    std::vector<VersionEntry> earlier;
    for (RunVersion& one : snapshots) {
      const bool isBefore = one.step && *one.step < *step && !isOfOtherWay(one, losses);
      if (isBefore) earlier.push_back(std::move(one.version));
    }
    if (earlier.empty()) return std::nullopt;
    return newestOf(earlier);  // of a run that went back, the way that it takes now
  }

  /// Whether the distance says how far all of it has moved.
  static bool isMeasured(const DiffReport& diff) {
    const ModelChange& change = diff.change;
    const bool isOfIntegers = change.integerCount * 2 > change.wordCount;
    const bool hasMovedIntegers = isOfIntegers && change.changedIntegers > 0;
    const bool isAllThere = std::ranges::all_of(diff.tensors, &TensorDiff::comparable);
    return diff.onlyInB.empty() && change.newWords == 0 && isAllThere && !hasMovedIntegers;
  }

  /// What it is to be a difference to. Where that cannot be had, storing says why.
  void fetchParent() {
    if (!options_.fetch) return;
    const auto choice =
        chooseParent(store_.catalog(), add_, makeSignature(model_.description()), std::nullopt);
    const bool isAwaited = choice && choice->parent && awaitedBy(store_, *choice->parent);
    if (isAwaited) static_cast<void>(options_.fetch(*choice->parent));
  }

  /// Mends a snapshot that lost its optimizer, and is damaged. True where that is all: who asks for
  /// one checkpoint wants its optimizer, too.
  Result<bool> mendWeights(const std::string& tag) {
    STRATA_TRY(
        auto mended,
        mendWeightsOnly(
            store_,
            {.run = add_.name, .tag = tag, .memoryBytes = add_.memoryBytes, .device = add_.device},
            model_, stop_, progress_));
    if (mended.empty() || !options_.isWatched) return false;
    report_.wasTaken = true;
    report_.added.outcome = AddReport::Outcome::Repaired;
    STRATA_TRY(report_.added.version, store_.resolve(mended.front()));
    report_.added.repaired = std::move(mended);
    return true;
  }

  /// Whether the run has its bytes, or what a lossy one is made of, under another name, and whole.
  Result<bool> findTwin(std::uint64_t step) {
    STRATA_TRY(auto twin, twinOf(store_, add_.name, model_, step, options_.plan.has_value()));
    if (!twin) return false;
    RunVersion& snapshot = twin->snapshot;
    STRATA_TRY(const bool isSound,
               LineageCheck(store_).isSound(snapshot.version, stop_, progress_));
    if (!isSound) return false;
    report_.wasTaken = true;
    report_.isTwinOfTensors = twin->isOfTensors;
    report_.twin = snapshot.checkpoint.empty() ? snapshot.version.label() : snapshot.checkpoint;
    report_.added.outcome = AddReport::Outcome::Unchanged;
    report_.added.version = std::move(snapshot.version);
    return true;
  }

  /// Whether nothing needs to be stored: the run has it, whole or in the trash. An exact one goes
  /// through addVersion(), which mends what is damaged.
  Result<bool> keep(const VersionEntry& taken) {
    const bool isLive = taken.place() == Place::Live;
    if (!isLive && !options_.isWatched) return false;
    bool isSettled = !isLive;
    if (isLive && taken.lossy) {
      STRATA_TRY(isSettled, LineageCheck(store_).isSound(taken, stop_, progress_));
      if (!isSettled) return false;
    }
    report_.wasTaken = true;
    report_.wasDeleted = taken.isUnlisted;      // others are differences to it
    if (options_.isWatched) add_.note.clear();  // it has the one that it was stored with
    isExact_ = !taken.lossy;
    if (!isSettled) return false;
    report_.added.outcome = AddReport::Outcome::Unchanged;
    report_.added.version = taken;
    return true;
  }

  Result<AddReport> store(const fs::path& named) {
    if (!options_.plan) return addSomehow();
    model_.recordTensors();
    if (isExact_) return addExact();
    const std::string signature = makeSignature(model_.description());
    STRATA_TRY(const ParentChoice choice,
               chooseParent(store_.catalog(), add_, signature, std::nullopt));
    if (choice.parent) return addLossy(named);
    report_.exactBecause =
        "a lossy snapshot is a difference, and nothing here is like this one; the next ones are "
        "lossy";
    return addExact();
  }

  Result<AddReport> addExact() {
    add_.profile = "exact";
    return addSomehow();
  }

  /// In full where nothing that it would stand on can be read: a trainer does not keep it for long.
  Result<AddReport> addSomehow() {
    auto added = addVersion(store_, model_, add_, stop_, progress_);
    if (added || !isOfSnapshot(added.error().code)) return added;
    const bool isOnOthers = add_.baseChoice == BaseChoice::Auto ||
                            (add_.baseChoice == BaseChoice::Reference && store_.resolve(add_.base));
    if (!isOnOthers) return added;
    report_.inFullBecause = added.error().message;
    add_.baseChoice = BaseChoice::None;
    return addVersion(store_, model_, add_, stop_, progress_);
  }

  Result<AddReport> addLossy(const fs::path& named) {
    TuneOptions tune;
    tune.plan = *options_.plan;
    tune.modelPath = fs::absolute(named);
    tune.evaluator = options_.evaluator;
    if (isSearched(tune.plan, tune.evaluator.has_value())) STRATA_TRY(beginNearLast(tune.plan));
    if (tune.evaluator) tune.plan.target.ofChange = kMostOfChange;
    auto done = addQuantized(store_, model_, add_, tune, MissedGate::Refuse, stop_, progress_);
    if (!done && !mayBeExactAfter(done.error().code)) return fail(std::move(done).error());
    if (done && done->added) {
      report_.tune = std::move(done->tune);
      return std::move(*done->added);
    }
    report_.exactBecause = done ? missedText(tune) : std::move(done).error().message;
    return addExact();
  }

  /// As Inshrinkerator has it: along a training settings change little, and what the snapshot
  /// before was stored with is tried first. A search of the whole grid is for the first one.
  Result<void> beginNearLast(QualityPlan& plan) const {
    STRATA_TRY(const auto last, settingsOfLast());
    if (last) plan.quantize = *last;
    const bool isOnGrid =
        plan.method == SearchMethod::Guided || plan.method == SearchMethod::Neighbourhood;
    if (isOnGrid) plan.method = last ? SearchMethod::Neighbourhood : SearchMethod::Guided;
    return {};
  }

  /// Of the newest snapshot that was stored with the same profile.
  Result<std::optional<QuantizeSettings>> settingsOfLast() const {
    STRATA_TRY(auto versions, store_.catalog().versionsOf(add_.name));
    sortByAge(versions);
    for (auto one = versions.rbegin(); one != versions.rend(); ++one) {
      if (!one->lossy || one->profile != add_.profile) continue;
      const auto manifest = readManifest(store_, one->manifestDigest, one->contentDigest);
      if (!manifest || manifest->settings.empty()) continue;
      const auto plan = parseQualityPlan(manifest->settings, "settings of " + one->label());
      if (plan) return plan->quantize;
    }
    return std::nullopt;
  }

  Store& store_;
  RecordedModel& model_;
  const SnapshotOptions& options_;
  AddOptions add_;
  const std::stop_token& stop_;
  const ProgressSink& progress_;
  bool isExact_ = false;  ///< the run has it exactly, whatever is asked for
  SnapshotReport report_;
};

}  // namespace

Result<std::optional<VersionEntry>> snapshotOf(const Store& store, const std::string& run,
                                               const ModelSource& model, bool mayBeLossy) {
  const std::uint64_t bytes = originalBytes(model.description());
  const auto cannotBe = [&](const VersionEntry& version) {
    return version.name != run || version.originalBytes != bytes || (version.lossy && !mayBeLossy);
  };
  STRATA_TRY(auto live, store.catalog().withProbe(probeModel(model.description()), bytes));
  STRATA_TRY(auto removed, store.catalog().versionsOf(run, Place::Trash));  // without probes
  std::erase_if(live, cannotBe);
  std::erase_if(removed, cannotBe);
  // Samples are no proof. All of it is hashed where something may be equal.
  if (live.empty() && removed.empty()) return std::nullopt;
  STRATA_TRY(const Digest content, hashModel(model));
  if (auto found = madeOf(store, std::move(live), content)) return found;
  return madeOf(store, std::move(removed), content);
}

Result<SnapshotReport> storeSnapshot(Store& store, const CheckpointTools& tools,
                                     const ModelSource& model, const CheckpointState& state,
                                     const fs::path& path, const SnapshotOptions& options,
                                     const std::stop_token& stop, const ProgressSink& progress) {
  RecordedModel recorded(model, state, nameOf(path));
  STRATA_TRY(SnapshotReport report,
             SnapshotStoring(store, recorded, options, stop, progress).run(state, path));
  if (!report.wasTaken && tools.doubts) report.doubts = tools.doubts(path);
  return report;
}

bool isOfSnapshot(ErrorCode code) noexcept {
  return code == ErrorCode::CorruptData || code == ErrorCode::BaseMismatch ||
         code == ErrorCode::NotFound;
}

}  // namespace strata
