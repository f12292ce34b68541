#include "core/ops/versions/add_version.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "core/archive/file_modes.h"
#include "core/archive/write/discarded_objects.h"
#include "core/ops/detail/base_search.h"
#include "core/ops/detail/lineage.h"
#include "core/ops/exchange/asked_lists.h"
#include "core/ops/versions/add_settings.h"
#include "core/ops/versions/detail/given_words.h"
#include "core/ops/versions/detail/model_encoding.h"
#include "core/ops/versions/detail/standing_version.h"
#include "core/ops/versions/detail/stored_content.h"
#include "core/progress_meter.h"
#include "core/store/catalog/lost_versions.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/objects/probe.h"
#include "core/store/objects/staged_objects.h"
#include "core/store/objects/version_chain.h"
#include "core/store/refs/reference.h"
#include "core/store/store_writer.h"

namespace strata {
namespace {

using Outcome = AddReport::Outcome;

/// One call of addVersion. What takes long is done without the write lock: finding out what is
/// stored, and encoding into staged objects (ModelEncoding). Under the lock all that was decided is
/// looked at again.
class Addition {
 public:
  Addition(Store& store, const ModelSource& model, const AddOptions& options)
      : store_(store), model_(model), options_(options), survey_(store) {}

  Result<AddReport> run(const std::stop_token& stop, const ProgressSink& progress) {
    report_.dryRun = options_.dryRun;
    probe_ = probeModel(model_.description());
    modes_ = modesOf(model_.description());
    if (!options_.dryRun) STRATA_TRY(store_.settle("add", stop));
    if (options_.baseChoice == BaseChoice::Reference) STRATA_TRY(store_.resolve(options_.base));
    for (bool isDone = false; !isDone;) {
      STRATA_TRY(prepare(stop, progress));
      if (!options_.dryRun) {
        STRATA_TRY(writer_, store_.lock("add", stop));
        writer_->beginCommand(options_.command);
      }
      STRATA_TRY(isDone, conclude(stop, progress));
      if (!isDone) writer_.reset();
    }
    // The version is there, whatever comes of this.
    if (const auto lineage = Lineage::of(catalog(), report_.version)) {
      report_.parentLabel = lineage->parentLabel(report_.version);
      report_.baseLabel = lineage->baseLabel(report_.version);
    }
    return std::move(report_);
  }

 private:
  const Catalog& catalog() const { return writer_ ? writer_->catalog() : store_.catalog(); }

  StandingSearch standing() const {
    return {catalog(), options_, survey_, known_, content_, modes_};
  }

  bool isAnew() const noexcept { return options_.dryRun && options_.codeAnew; }

  VersionRef newRef() const {
    VersionRef ref;
    ref.name = options_.name;
    ref.note = options_.note;
    ref.license = options_.license;
    ref.sourceUrl = options_.sourceUrl;
    ref.probe = probe_;
    return ref;
  }

  Result<void> prepare(const std::stop_token& stop, const ProgressSink& progress) {
    encoded_.reset();
    staged_.reset();
    known_ = {};
    STRATA_TRY(const bool mayBeStored, looksStored());
    if (mayBeStored) {
      STRATA_TRY(content_, hashModel(model_));
      STRATA_TRY(checkContent(options_, content_));
      STRATA_TRY(known_, survey_.look(catalog(), content_, newRef(), stop, progress));
    }
    STRATA_TRY(standing().checkNameIsFree());
    if (known_.serves(options_.isNewBase)) return {};
    return encode(stop, progress);
  }

  /// Whether something like the model is stored, so that hashing all of it may save encoding it.
  Result<bool> looksStored() const {
    if (options_.quantize || isAnew()) return false;
    STRATA_TRY(const auto alike, catalog().withProbe(probe_, originalBytes(model_.description())));
    return !alike.empty();
  }

  /// Makes the version of what was prepared, if that still holds. False if others have deleted
  /// meanwhile what it rests on.
  Result<bool> conclude(const std::stop_token& stop, const ProgressSink& progress) {
    if (encoded_) content_ = encoded_->written.contentDigest;
    if (!isAnew()) {
      STRATA_TRY(known_, survey_.look(catalog(), content_, newRef(), stop, progress));
    }
    STRATA_TRY(const bool isOwnParent, writtenStandsOnItself());
    STRATA_TRY(const auto usable, survey_.choose(known_, options_.isNewBase, modes_));
    if (usable && (!options_.quantize || isOwnParent)) {
      STRATA_TRY(useStored(*usable));
      return true;
    }
    if (isOwnParent) {
      return fail(ErrorCode::CorruptData,
                  fmt::format("restores to the content {} of a version that it is a difference to, "
                              "and that version is damaged",
                              shortHex(content_)));
    }
    if (!encoded_) return false;
    if (encoded_->parentContent) {
      STRATA_TRY(const auto parents, catalog().withContent(*encoded_->parentContent));
      if (parents.empty()) return false;
    }
    STRATA_TRY(useWritten());
    return true;
  }

  /// What was quantized may come to be the parent again, or what that is a difference to. As a
  /// version of its own it would be rebuilt through itself once the other one is removed.
  Result<bool> writtenStandsOnItself() const {
    if (!encoded_ || !encoded_->parentContent || isAnew()) return false;
    STRATA_TRY(const auto stored, catalog().manifestsWithContent(content_));
    if (stored.empty()) return false;
    STRATA_TRY(const Lineage lineage,
               Lineage::of(catalog(), std::vector{*encoded_->parentContent}));
    const VersionEntry* const parent = lineage.find(*encoded_->parentContent);
    return parent != nullptr && isInLine(lineage, *parent, content_);
  }

  /// The content is stored already. Versions of it that are damaged come to rest on the manifest of
  /// one that is sound.
  Result<void> useStored(const VersionEntry& sound) {
    STRATA_TRY(Manifest manifest, readManifest(store_, sound.manifestDigest, content_));
    Digest digest = sound.manifestDigest;
    if (modesOf(manifest) != modes_) {
      manifest = withModes(std::move(manifest), modes_);
      STRATA_TRY(digest, takeManifest(manifest));
    }
    if (known_.needsRepair()) {
      STRATA_TRY(repair(summarize(manifest, digest, store_.objects())));
    }
    report_.baseWasChosen = false;
    STRATA_TRY(const bool isKept, keepStanding());
    if (isKept) return {};
    report_.outcome = writer_ ? Outcome::Shared : Outcome::DryRun;
    // No name leads to an unlisted one any more.
    report_.sharedLabel = sound.isUnlisted ? "@" + shortHex(sound.contentDigest) : sound.label();
    VersionRef ref = newRef();
    ref.contentDigest = sound.contentDigest;
    ref.manifestDigest = digest;
    STRATA_TRY(ref.signature, catalog().signatureOf(sound.name, sound.number));
    return publish(std::move(ref), manifest);
  }

  /// Makes an object of the manifest; returns its digest.
  Result<Digest> takeManifest(const Manifest& manifest) {
    DiscardedObjects discarded;
    if (!writer_) return writeManifest(manifest, discarded);
    STRATA_TRY(staged_, StagedObjects::make(store_.folder()));
    STRATA_TRY(const Digest digest, writeManifest(manifest, *staged_));
    STRATA_TRY(writer_->take(*staged_));
    return digest;
  }

  /// Lets the damaged versions rest on a sound manifest of the same content.
  Result<void> repair(const ManifestSummary& manifest) {
    std::vector<VersionRef> refs = known_.damaged;
    refs.insert(refs.end(), known_.lost.begin(), known_.lost.end());
    noteMended(known_, refs, report_);
    if (!writer_) return {};
    return writer_->replaceManifests("repair", {{std::move(refs), manifest}});
  }

  /// True if a version of the name stands for the model: it gets no new one.
  Result<bool> keepStanding() {
    STRATA_TRY(const StandingVersion found, standing().find());
    report_.hasOtherModes = found.hasOtherModes;
    if (!found.version) return false;
    report_.outcome = standingOutcome(report_);
    report_.version = *found.version;
    STRATA_TRY(giveWords(store_, writer_.get(), catalog(), options_, report_));
    return true;
  }

  Result<void> encode(const std::stop_token& stop, const ProgressSink& progress) {
    ModelEncoding encoding(store_, model_, options_, survey_, known_, content_);
    STRATA_TRY(encoded_, encoding.run(stop, progress));
    report_.baseWasChosen = encoded_->baseWasChosen;
    report_.unlikeBase = encoded_->unlikeBase;
    report_.damagedParent = encoded_->damagedParent;
    report_.parentPull = encoded_->parentPull;
    report_.misfit = encoded_->misfit;
    report_.exactBytes = encoded_->exactBytes;
    if (options_.quantize) report_.relativeError = encoded_->written.error.relative();
    return {};
  }

  Result<void> useWritten() {
    report_.outcome = writer_ ? Outcome::Stored : Outcome::DryRun;
    report_.keptExact = encoded_->written.keptExact;
    report_.roleErrors = roleErrors(encoded_->written.manifest);
    const auto& quality = encoded_->written.manifest.quality;
    report_.quality.assign(quality.begin(), quality.end());
    if (options_.quantize) {
      for (const TensorInfo& tensor : model_.description().tensors) {
        report_.exactTypes.add(tensor.type);
      }
    }
    if (!known_.needsRepair() && !isAnew()) {
      STRATA_TRY(const bool isKept, keepStanding());
      if (isKept) return {};
    }
    if (writer_) STRATA_TRY(writer_->take(*encoded_->staged));
    VersionRef ref = newRef();
    ref.contentDigest = encoded_->written.contentDigest;
    ref.manifestDigest = encoded_->written.manifestDigest;
    ref.storedBytes = encoded_->written.storedBytes;
    ref.signature = encoded_->signature;
    if (known_.needsRepair()) {
      STRATA_TRY(const bool isKept, repairByWritten(ref));
      if (isKept) return {};
    }
    if (known_.needsRepair() && writer_) {
      report_.outcome = Outcome::Shared;
      report_.sharedLabel = firstMended(report_);
      ref.storedBytes = 0;
    }
    return publish(std::move(ref), encoded_->written.manifest);
  }

  /// Gives damaged and lost versions what encode() wrote. True if the name gets no new version.
  Result<bool> repairByWritten(const VersionRef& written) {
    for (VersionRef& lost : known_.lost) {
      lost.storedBytes = written.storedBytes;
      if (lost.signature.empty()) lost.signature = written.signature;
    }
    STRATA_TRY(
        repair(summarize(encoded_->written.manifest, written.manifestDigest, store_.objects())));
    report_.damagedParent.clear();  // this is what repairs it
    return keepStanding();
  }

  Result<void> publish(VersionRef ref, const Manifest& manifest) {
    STRATA_TRY(standing().checkNameIsFree());
    STRATA_TRY(report_.movedTags, movedTags(catalog(), options_, 0));
    ManifestSummary summary = summarize(manifest, ref.manifestDigest, store_.objects());
    if (writer_) {
      STRATA_TRY(report_.version, writer_->addVersion(std::move(ref), summary, options_.tags));
      return {};
    }
    report_.version = std::move(summary.entry);
    report_.version.name = ref.name;
    STRATA_TRY(report_.version.number,
               nextNumberOf(store_, catalog(), ref.name, ref.contentDigest));
    report_.version.storedBytes = ref.storedBytes;
    report_.version.note = ref.note;
    report_.version.tags = options_.tags;
    return {};
  }

  Store& store_;
  const ModelSource& model_;
  const AddOptions& options_;
  StoredContentSurvey survey_;
  std::uint64_t probe_ = 0;
  FileModes modes_;      ///< the model's
  Digest content_;       ///< the model's; of a quantized one that of what it restores to
  StoredContent known_;  ///< what the store has of it
  std::optional<EncodedModel> encoded_;    ///< nothing where the content is stored already
  std::unique_ptr<StagedObjects> staged_;  ///< a manifest with other permission bits
  std::unique_ptr<StoreWriter> writer_;    ///< null before the lock is taken, and in a dry run
  AddReport report_;
};

}  // namespace

Result<AddReport> addVersion(Store& store, const ModelSource& model, const AddOptions& options,
                             std::stop_token stop, const ProgressSink& progress) {
  const Stopwatch watch;
  STRATA_TRY(checkAddOptions(options));
  if (options.device != nullptr) STRATA_TRY(options.device->require());
  if (!options.dryRun) STRATA_TRY(ensureAsked(store.folder()));
  AddOptions used = options;
  // As addQuantized() has it: an error is a share of the whole change to the base.
  if (used.quantize && used.chain == ChainPolicy::Auto) used.chain = ChainPolicy::Never;
  Result<AddReport> report = Addition(store, model, used).run(stop, progress);
  if (!report) return fail(report.error().within("adding " + options.name));
  report->seconds = watch.seconds();
  return report;
}

}  // namespace strata
