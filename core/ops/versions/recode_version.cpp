#include "core/ops/versions/recode_version.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "core/archive/read/lineage_limit.h"
#include "core/match/signature.h"
#include "core/ops/detail/coding_anew.h"
#include "core/ops/detail/lineage.h"
#include "core/ops/detail/lineage_reach.h"
#include "core/ops/detail/stored_model.h"
#include "core/ops/inspect/rank_bases.h"
#include "core/ops/versions/detail/base_misfit.h"
#include "core/progress_meter.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/catalog/tensor_state.h"
#include "core/store/objects/version_chain.h"
#include "core/store/store_writer.h"

namespace strata {
namespace {

/// Whether most of a model's bytes are words of f64.
bool isOfDoubles(const Manifest& manifest) {
  std::uint64_t all = 0;
  std::uint64_t doubles = 0;
  for (const ManifestTensor& tensor : manifest.tensors) {
    all += byteCount(tensor);
    if (tensor.type == ElementType::F64) doubles += byteCount(tensor);
  }
  return doubles > all / 2;
}

/// One call of recodeVersion. What takes long is done without the write lock. Under it all that was
/// decided is looked at again.
class Recoding {
 public:
  Recoding(Store& store, const RecodeOptions& options) : store_(store), options_(options) {}

  Result<RecodeReport> run(const std::stop_token& stop, const ProgressSink& progress) {
    if (!options_.dryRun) STRATA_TRY(store_.settle("recode", stop));
    STRATA_TRY(version_, store_.resolveChecked(options_.reference));
    if (options_.baseChoice == RecodeBase::Reference) STRATA_TRY(namedBase());
    for (bool isDone = false; !isDone;) {
      STRATA_TRY(prepare(stop, progress));
      isDone = options_.dryRun || report_.outcome != RecodeReport::Outcome::Recoded;
      if (!isDone) {
        STRATA_TRY(isDone, conclude(stop));
      }
    }
    return std::move(report_);
  }

 private:
  /// Codes the version without the lock, into objects that wait.
  Result<void> prepare(const std::stop_token& stop, const ProgressSink& progress) {
    coded_ = {};
    report_ = {};
    report_.version = version_;
    STRATA_TRY(former_, readManifest(store_, version_.manifestDigest, version_.contentDigest));
    STRATA_TRY(report_.bytesBefore, objectBytesOf(store_.catalog(), version_));
    STRATA_TRY(report_.along, labelsAlong(store_.catalog()));
    STRATA_TRY(const auto model, restored(stop, progress));
    STRATA_TRY(parentContent_, chooseParent(*model));
    STRATA_TRY(const Lineage lineage, Lineage::load(store_.catalog()));
    if (parentContent_) report_.parentLabel = lineage.labelOf(*parentContent_);
    if (base_) report_.parentLabel = base_->label();
    report_.formerParentLabel = lineage.parentLabel(version_);
    STRATA_TRY(coded_, encode(*model, stop, progress));
    report_.bytesAfter = coded_.written.storedBytes;
    report_.isUnlikeBase =
        options_.baseChoice == RecodeBase::Reference && !sharesWeights(coded_.written.manifest);
    if (report_.isUnlikeBase) report_.isOfDoubles = isOneOfDoubles();
    if (coded_.written.manifestDigest == version_.manifestDigest) {
      report_.outcome = RecodeReport::Outcome::Unchanged;
    } else if ((report_.isUnlikeBase || report_.bytesAfter >= report_.bytesBefore) &&
               !options_.force) {
      report_.outcome = RecodeReport::Outcome::NotSmaller;
    }
    return {};
  }

  Result<std::vector<std::string>> labelsAlong(const Catalog& catalog) const {
    STRATA_TRY(const auto all, versionsCodedAs(store_, catalog, version_));
    std::vector<std::string> labels;
    for (const VersionEntry& one : all) {
      const bool isItself = one.label() == version_.label() && one.place() == Place::Live;
      if (!isItself && !one.isUnlisted) labels.push_back(one.label());
    }
    return labels;
  }

  /// Content of what the version is to be a difference to.
  Result<std::optional<Digest>> chooseParent(const ModelSource& model) {
    switch (options_.baseChoice) {
      case RecodeBase::None:
        return std::optional<Digest>();
      case RecodeBase::Keep:
        break;
      case RecodeBase::Auto:
        return findBase(model);
      case RecodeBase::Reference:
        return namedBase();
    }
    return version_.parentDigest;
  }

  Result<std::optional<Digest>> findBase(const ModelSource& model) const {
    STRATA_TRY(const auto ranked, rankStoredBases(store_, model));
    STRATA_TRY(const LineageReach reach, LineageReach::load(store_.catalog()));
    for (const BaseCandidate& base : ranked) {
      if (base.serves && checkServes(reach, base.version)) return base.version.contentDigest;
    }
    STRATA_TRY(const Lineage lineage, Lineage::load(store_.catalog()));
    const VersionEntry& root = lineage.rootOf(version_);
    if (!checkServes(reach, root)) return std::optional<Digest>();
    return root.contentDigest;
  }

  Result<std::optional<Digest>> namedBase() {
    STRATA_TRY(const VersionEntry base, store_.resolve(options_.base));
    STRATA_TRY(const LineageReach reach, LineageReach::load(store_.catalog()));
    STRATA_TRY(checkServes(reach, base));
    base_ = base;
    return base.contentDigest;
  }

  bool isOneOfDoubles() const {
    const auto base = readManifest(store_, base_->manifestDigest, base_->contentDigest);
    return base && isOfDoubles(*base) != isOfDoubles(former_);
  }

  /// No version may come to stand on itself, and what stands on it has to stay within the limit.
  Result<void> checkServes(const LineageReach& reach, const VersionEntry& base) const {
    const Digest& content = version_.contentDigest;
    if (base.contentDigest == content) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("{}: has the content of {} itself", base.label(), version_.label()));
    }
    if (reach.standsOn(base.contentDigest, content)) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("{}: is rebuilt through {} and cannot be its base", base.label(),
                              version_.label()));
    }
    const std::size_t parents =
        reach.parentCount(base.contentDigest) + 1 + reach.dependantCount(content);
    if (parents <= kMostParents) return {};
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: what stands on {} would have {} parents then, {} are the most",
                            base.label(), version_.label(), parents, kMostParents));
  }

  Result<std::unique_ptr<StoredModel>> restored(const std::stop_token& stop,
                                                const ProgressSink& progress) const {
    auto source = openVersion(store_, version_);
    if (!source) return fail(source.error().within(version_.label()));
    return StoredModel::open(**source, version_.label(), options_.device, options_.reader, stop,
                             progress);
  }

  Result<CodedAnew> encode(const ModelSource& model, const std::stop_token& stop,
                           const ProgressSink& progress) const {
    const CodingAnew coding{.parent = parentContent_,
                            .effort = options_.effort,
                            .memoryBytes = options_.memoryBytes,
                            .device = options_.device,
                            .dryRun = options_.dryRun};
    return codeAnew(store_, version_, former_, model, coding, stop, progress);
  }

  /// Lets the version rest on what was coded. False if others have changed meanwhile what that was
  /// decided by.
  Result<bool> conclude(const std::stop_token& stop) {
    STRATA_TRY(const auto writer, store_.lock("recode", stop));
    STRATA_TRY(const VersionEntry now, writer->resolve(version_.label()));
    const bool isSame = now.contentDigest == version_.contentDigest &&
                        now.manifestDigest == version_.manifestDigest;
    STRATA_TRY(const bool stands, parentStands(writer->catalog()));
    if (!isSame || !stands) {
      version_ = now;
      return false;
    }
    STRATA_TRY(const auto versions, versionsCodedAs(store_, writer->catalog(), version_));
    STRATA_TRY(std::vector<VersionRef> refs, refsOf(*writer, versions));
    STRATA_TRY(report_.along, labelsAlong(writer->catalog()));
    STRATA_TRY(writer->take(*coded_.staged));
    STRATA_TRY(writer->replaceManifests("recode", {{std::move(refs), coded_.summary(store_)}},
                                        StoreWriter::Former::Kept));
    STRATA_TRY(const auto entry, writer->catalog().version(version_.name, version_.number));
    if (entry) report_.version = *entry;
    return true;
  }

  /// Whether the parent is still there, and still no difference to the version.
  Result<bool> parentStands(const Catalog& catalog) const {
    if (!parentContent_) return true;
    STRATA_TRY(const auto parents, catalog.withContent(*parentContent_));
    if (parents.empty()) return false;
    if (parentContent_ == version_.parentDigest) return true;
    STRATA_TRY(const LineageReach reach, LineageReach::load(catalog));
    return checkServes(reach, parents.front()).has_value();
  }

  Store& store_;
  const RecodeOptions& options_;
  VersionEntry version_;  ///< as it is stored before
  Manifest former_;
  std::optional<VersionEntry> base_;     ///< that was named
  std::optional<Digest> parentContent_;  ///< of what was coded
  CodedAnew coded_;
  RecodeReport report_;
};

}  // namespace

Result<RecodeReport> recodeVersion(Store& store, const RecodeOptions& options, std::stop_token stop,
                                   const ProgressSink& progress) {
  const Stopwatch watch;
  if (options.device != nullptr) STRATA_TRY(options.device->require());
  Result<RecodeReport> report = Recoding(store, options).run(stop, progress);
  if (!report) return fail(report.error().within("recoding " + options.reference));
  report->seconds = watch.seconds();
  return report;
}

Result<bool> canBecomeBase(const Store& store, const std::string& base, const Digest& content) {
  STRATA_TRY(const VersionEntry named, store.resolve(base));
  STRATA_TRY(const LineageReach reach, LineageReach::load(store.catalog()));
  return !reach.isCircle(named.contentDigest, content);
}

bool mayPayAsBase(const Store& store, const std::string& base, const VersionEntry& version) {
  const auto named = store.resolve(base);
  if (!named) return true;
  const auto own = store.catalog().signatureOf(version.name, version.number);
  const auto theirs = store.catalog().signatureOf(named->name, named->number);
  if (!own || !theirs || own->empty() || theirs->empty()) return true;
  const auto rank = compareSignatures(*own, *theirs);
  return !rank || rank->matchedShare >= kLeastUsefulShare;
}

Result<QuantizedAdd> recodeLossy(Store& store, const std::string& reference, AddOptions options,
                                 const TuneOptions& tune, const ModelOpener& reader,
                                 const std::stop_token& stop, const ProgressSink& progress) {
  STRATA_TRY(const VersionEntry version, store.resolveChecked(reference));
  options.name = version.name;
  // Where nothing more is lost, what it restores to is no exact version of anything.
  if (version.lossy) options.anyStands = true;
  if (options.baseChoice == BaseChoice::Auto) {
    if (version.isBase()) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("{}: is a base, and only a difference to a base can be quantized",
                              version.label()));
    }
    STRATA_TRY(const Lineage lineage, Lineage::load(store.catalog()));
    const VersionEntry& root = lineage.rootOf(version);
    // One that was removed has no reference; the newest version of the name leads to it.
    if (root.place() == Place::Live) {
      options.baseChoice = BaseChoice::Reference;
      options.base = root.label();
    }
  }
  auto source = openVersion(store, version);
  if (!source) return fail(source.error().within("recoding " + version.label()));
  STRATA_TRY(const auto model, StoredModel::openToQuantize(**source, version.label(),
                                                           options.device, reader, stop, progress));
  return addQuantized(store, *model, std::move(options), tune, MissedGate::Refuse, stop, progress);
}

}  // namespace strata
