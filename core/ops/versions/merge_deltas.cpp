#include "core/ops/versions/merge_deltas.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/archive/write/discarded_objects.h"
#include "core/archive/write/version_writer.h"
#include "core/io/free_space.h"
#include "core/ops/detail/coding_anew.h"
#include "core/ops/detail/lineage.h"
#include "core/ops/detail/lineage_reach.h"
#include "core/ops/detail/missed_size.h"
#include "core/ops/detail/replacing_version.h"
#include "core/ops/detail/stored_model.h"
#include "core/ops/exchange/asked_lists.h"
#include "core/progress_meter.h"
#include "core/quantize/quantizer.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/objects/staged_objects.h"
#include "core/store/objects/version_chain.h"
#include "core/store/run_tags.h"
#include "core/store/store_writer.h"

namespace strata {
namespace {

/// What a search does not know of the manifest: that its errors are sums.
constexpr std::uint64_t kBytesOfSum = 64;

/// One call of mergeDeltas.
class Merging {
 public:
  Merging(Store& store, const MergeOptions& options) : store_(store), options_(options) {}

  Result<MergeReport> run(const std::stop_token& stop, const ProgressSink& progress) {
    STRATA_TRY(former_, store_.resolveChecked(options_.reference));
    report_.former = report_.now = former_;
    STRATA_TRY(manifest_, readManifest(store_, former_.manifestDigest, former_.contentDigest));
    STRATA_TRY(checkServes(store_.catalog()));
    STRATA_TRY(findParent());
    if (report_.differences < 2) return std::move(report_);
    STRATA_TRY(chooseSettings());
    auto source = openVersion(store_, former_);
    if (!source) return fail(source.error());
    STRATA_TRY(const auto model,
               StoredModel::openToQuantize(**source, former_.label(), options_.device,
                                           options_.reader, stop, progress));
    STRATA_TRY(search(*model, stop));
    if (report_.isMissed()) return std::move(report_);
    STRATA_TRY(encode(*model, stop, progress));
    noteSize();
    if (report_.isMissed()) return std::move(report_);
    report_.isMerged = true;
    report_.relativeError = written_.error.relative();
    report_.summedError = written_.manifest.relativeError;
    describe();
    if (!options_.dryRun) STRATA_TRY(conclude(*model, stop));
    return std::move(report_);
  }

 private:
  /// A new version gets the next number, which says that it is the newest.
  Result<void> checkServes(const Catalog& catalog) const {
    if (!former_.lossy) {
      return fail(ErrorCode::InvalidArgument,
                  "is exact, and stays so: recode --base codes it against another version; only "
                  "lossy differences become one");
    }
    STRATA_TRY(const auto newest, catalog.newest(former_.name));
    if (!newest || newest->number == former_.number) return {};
    return fail(ErrorCode::InvalidArgument,
                "is not the newest of its name, which is " + newest->label());
  }

  /// The lossy differences of the name that end in `former_`, and what they stand on.
  Result<void> findParent() {
    STRATA_TRY(const Lineage lineage, Lineage::load(store_.catalog()));
    const std::vector<const VersionEntry*> line = lineage.lineOf(former_);
    std::size_t count = 0;
    for (; count + 1 < line.size(); ++count) {
      const VersionEntry& one = ofName(lineage, *line[count]);
      STRATA_TRY(const bool isLossy, isLossyDifference(one));
      if (one.name != former_.name || !isLossy) break;
      STRATA_TRY(const std::uint64_t bytes, objectBytesOf(store_.catalog(), *line[count]));
      report_.bytesBefore += bytes;
    }
    const VersionEntry& parent = ofName(lineage, *line[count]);
    const bool isAll = count + 1 == line.size();
    if (isAll && parent.parentDigest) {
      return fail(ErrorCode::NotFound, "what it is a difference to is not here");
    }
    if (count == 0) {
      return fail(ErrorCode::InvalidArgument,
                  isAll ? "is stored in full: no difference leads to it"
                        : "lacks its optimizer alone: its weights are exact, and stay so");
    }
    report_.parentLabel =
        parent.isUnlisted ? lineage.labelOf(parent.contentDigest) : parent.label();
    report_.differences = static_cast<std::uint32_t>(count);
    parentContent_ = parent.contentDigest;
    isParentListed_ = parent.place() == Place::Live;
    return {};
  }

  /// Of versions with this content the one of the name: others may have been made of it.
  const VersionEntry& ofName(const Lineage& lineage, const VersionEntry& version) const {
    const auto& all = lineage.versions();
    const auto own = std::ranges::find_if(all, [&](const VersionEntry& one) {
      return one.contentDigest == version.contentDigest && one.name == former_.name;
    });
    return own == all.end() ? version : *own;
  }

  /// One without its optimizer may have the weights of an exact snapshot.
  Result<bool> isLossyDifference(const VersionEntry& version) const {
    if (!version.lossy || version.isBase()) return false;
    if (!isWeightsOnly(version)) return true;
    STRATA_TRY(const Manifest manifest,
               readManifest(store_, version.manifestDigest, version.contentDigest));
    return !manifest.settings.empty();
  }

  Result<void> chooseSettings() {
    if (options_.profile) {
      plan_ = options_.profile->plan;
      profile_ = options_.profile->name;
      return {};
    }
    if (manifest_.settings.empty()) {
      return fail(ErrorCode::InvalidArgument,
                  "was stored without settings of a lossy profile; --profile says what to take");
    }
    STRATA_TRY(plan_, parseQualityPlan(manifest_.settings, "settings of " + former_.label()));
    profile_ = former_.profile;
    return {};
  }

  /// For a target of size or error. One of quality needs a program that scores.
  Result<void> search(const ModelSource& model, const std::stop_token& stop) {
    if (!plan_.target.bytes && !plan_.target.error) return {};
    if (!options_.profile) return {};  // what it was stored with was found by its search
    if (!isParentListed_) {
      return fail(ErrorCode::InvalidArgument,
                  report_.parentLabel +
                      " was removed, and settings are searched against versions "
                      "that are listed; a profile without a target serves");
    }
    TuneOptions tune;
    tune.parent = {.name = former_.name,
                   .baseChoice = BaseChoice::Reference,
                   .base = report_.parentLabel,
                   .chain = ChainPolicy::Never,
                   .profile = profile_,
                   .memoryBytes = options_.memoryBytes,
                   .device = options_.device};
    tune.plan = plan_;
    if (auto& bytes = tune.plan.target.bytes) *bytes -= std::min(*bytes, kBytesOfSum);
    STRATA_TRY(report_.tune, tuneModel(store_, model, tune, stop));
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled: nothing was stored");
    if (const Trial* const chosen = report_.tune->chosen()) plan_.quantize = chosen->settings;
    return {};
  }

  /// What was written decides whether a target of size is met.
  void noteSize() {
    report_.bytesAfter = written_.storedBytes;
    const auto& most = plan_.target.bytes;
    if (report_.tune && most && written_.storedBytes > *most) {
      missBySize(report_.tune->search, written_.storedBytes);
    }
  }

  Result<void> encode(const ModelSource& model, const std::stop_token& stop,
                      const ProgressSink& progress) {
    auto parent = openVersion(store_, parentContent_);
    if (!parent) return fail(parent.error().within(report_.parentLabel));
    STRATA_TRY(const auto quantizer,
               Quantizer::open(model, *parent, nullptr, options_.memoryBytes, options_.device));
    STRATA_TRY(WriteOptions write, quantizer->writeOptions(plan_.quantize));
    write.lossySettings = recordedSettings(plan_, plan_.quantize);
    write.effort = effortFromName(former_.effort).value_or(Effort::Default);
    write.profile = profile_;
    write.memoryBytes = options_.memoryBytes;
    write.device = options_.device;
    write.original = manifest_.originalDigest;
    write.recoded = &manifest_;
    if (!options_.dryRun) {
      STRATA_TRY(checkFreeSpace(store_.folder(), report_.bytesBefore));
      STRATA_TRY(staged_, StagedObjects::make(store_.folder()));
    }
    DiscardedObjects discarded;
    ObjectWriter& objects = staged_ ? static_cast<ObjectWriter&>(*staged_) : discarded;
    STRATA_TRY(written_, writeVersion(model, *std::move(parent), write, objects, stop, progress));
    STRATA_TRY(const LineageReach reach, LineageReach::load(store_.catalog()));
    if (!reach.isCircle(parentContent_, written_.contentDigest)) return {};
    return fail(ErrorCode::InvalidArgument,
                "nothing of its change would be left; finer settings (--profile) keep more");
  }

  /// What a dry run tells of the version that would be.
  void describe() {
    report_.now = summarize(written_.manifest, written_.manifestDigest, store_.objects()).entry;
    report_.now.name = former_.name;
    report_.now.number = former_.number;
    report_.now.storedBytes = written_.storedBytes;
    report_.now.tags = former_.tags;
  }

  Result<void> conclude(const ModelSource& model, const std::stop_token& stop) {
    STRATA_TRY(const auto writer, store_.lock("recode", stop));
    STRATA_TRY(const VersionEntry now, writer->resolve(former_.label()));
    STRATA_TRY(const auto parents, writer->catalog().withContent(parentContent_));
    if (now.manifestDigest != former_.manifestDigest || parents.empty()) {
      return fail(ErrorCode::NotFound, "another command changed it meanwhile; try again");
    }
    STRATA_TRY(checkServes(writer->catalog()));
    STRATA_TRY(writer->take(*staged_));
    STRATA_TRY(report_.now, replaceByWritten(*writer, now, written_, model, "recode"));
    return {};
  }

  Store& store_;
  const MergeOptions& options_;
  VersionEntry former_;
  Manifest manifest_;
  Digest parentContent_;
  bool isParentListed_ = false;
  QualityPlan plan_;
  std::string profile_;
  std::unique_ptr<StagedObjects> staged_;  ///< null in a dry run
  WriteReport written_;
  MergeReport report_;
};

}  // namespace

Result<MergeReport> mergeDeltas(Store& store, const MergeOptions& options,
                                const std::stop_token& stop, const ProgressSink& progress) {
  const Stopwatch watch;
  if (options.device != nullptr) STRATA_TRY(options.device->require());
  if (!options.dryRun) {
    STRATA_TRY(store.settle("recode", stop));
    STRATA_TRY(ensureAsked(store.folder()));
  }
  Result<MergeReport> report = Merging(store, options).run(stop, progress);
  if (!report)
    return fail(report.error().within("merging the differences of " + options.reference));
  report->seconds = watch.seconds();
  return report;
}

}  // namespace strata
