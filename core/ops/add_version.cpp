#include "core/ops/add_version.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "core/archive/discarded_objects.h"
#include "core/archive/version_writer.h"
#include "core/io/free_space.h"
#include "core/match/signature.h"
#include "core/ops/detail/lineage.h"
#include "core/ops/detail/parent_choice.h"
#include "core/progress_meter.h"
#include "core/quantize/quantizer.h"
#include "core/store/lost_versions.h"
#include "core/store/manifest_summary.h"
#include "core/store/object_check.h"
#include "core/store/probe.h"
#include "core/store/reference.h"
#include "core/store/store_writer.h"
#include "core/store/version_chain.h"

namespace strata {
namespace {

using Outcome = AddReport::Outcome;

/// What a delta takes at most in most cases; a disk that is fuller than this is refused up front.
constexpr std::uint64_t kLeastFreeBytes = 16'000'000;

Result<void> checkOptions(const AddOptions& options) {
  STRATA_TRY(checkName(options.name));
  for (const std::string& tag : options.tags) STRATA_TRY(checkTag(tag));
  STRATA_TRY(checkText("note", options.note));
  STRATA_TRY(checkText("license", options.license));
  return checkText("source", options.sourceUrl);
}

/// One call of addVersion.
class Addition {
 public:
  Addition(Store& store, const ModelSource& model, const AddOptions& options)
      : store_(store), model_(model), options_(options) {}

  Result<AddReport> run(const std::stop_token& stop, const ProgressSink& progress) {
    if (!options_.dryRun) {
      STRATA_TRY(writer_, store_.lock("add"));
    }
    report_.dryRun = options_.dryRun;
    probe_ = probeModel(model_.description());
    bool isDone = false;
    if (!isAnew()) STRATA_TRY(findLost());
    if (!options_.quantize && !isAnew()) {
      STRATA_TRY(isDone, useStoredContent(stop, progress));
    }
    if (!isDone) STRATA_TRY(encode(stop, progress));
    STRATA_TRY(const Lineage lineage, Lineage::load(catalog()));
    report_.parentLabel = lineage.parentLabel(report_.version);
    report_.baseLabel = lineage.baseLabel(report_.version);
    return std::move(report_);
  }

 private:
  const Catalog& catalog() const { return writer_ ? writer_->catalog() : store_.catalog(); }

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

  /// Versions that the catalog does not list and that the model turns out to be.
  Result<void> findLost() {
    STRATA_TRY(std::vector<LostVersion> lost, lostVersions(store_, catalog()));
    if (lost.empty() || options_.quantize) return {};
    STRATA_TRY(content_, hashModel(model_));
    for (LostVersion& version : lost) {
      if (!version.holds(content_)) continue;
      if (version.ref.addedAt == 0) {  // nothing of it could be read
        const VersionRef fresh = newRef();
        version.ref.note = fresh.note;
        version.ref.license = fresh.license;
        version.ref.sourceUrl = fresh.sourceUrl;
        version.ref.addedAt = currentTime();
        version.ref.removedAt = version.ref.removedAt == 0 ? 0 : version.ref.addedAt;
        version.ref.contentDigest = content_;
      }
      version.ref.probe = probe_;
      lost_.push_back(std::move(version.ref));
    }
    return {};
  }

  bool needsRepair() const noexcept { return !damaged_.empty() || !lost_.empty(); }

  /// Answers from what is stored already, if the model's content is. True if so. Versions of it
  /// that are damaged come to rest on a sound manifest; if there is none, encode() makes it.
  Result<bool> useStoredContent(const std::stop_token& stop, const ProgressSink& progress) {
    const ModelDescription& model = model_.description();
    STRATA_TRY(const auto alike, catalog().withProbe(probe_, originalBytes(model)));
    if (alike.empty()) return false;
    if (lost_.empty()) {
      STRATA_TRY(content_, hashModel(model_));
    }
    STRATA_TRY(checkContent(content_));
    STRATA_TRY(const auto stored, catalog().withContent(content_));
    STRATA_TRY(const auto sound, findDamage(stored, stop, progress));
    if (!sound) return false;
    if (needsRepair()) {
      STRATA_TRY(const Manifest manifest, readManifest(store_, sound->manifestDigest, content_));
      STRATA_TRY(repair(summarize(manifest, sound->manifestDigest, store_.objects())));
    }
    STRATA_TRY(const bool isNewest, keepNewest());
    if (!isNewest) STRATA_TRY(share(*sound));
    return true;
  }

  /// Collects the damaged ones of the versions that hold the model's content, their refs counted,
  /// and returns the first whose objects are sound. Each object is hashed: the model was, too, and
  /// objects are smaller.
  Result<std::optional<VersionEntry>> findDamage(const std::vector<VersionEntry>& stored,
                                                 const std::stop_token& stop,
                                                 const ProgressSink& progress) {
    std::optional<VersionEntry> sound;
    std::map<Digest, bool> isSound;  // by manifest
    for (const VersionEntry& version : stored) {
      const auto [known, isNew] = isSound.try_emplace(version.manifestDigest, false);
      if (isNew) {
        STRATA_TRY(known->second, isWhole(version, stop, progress));
      }
      STRATA_TRY(KnownRef ref, refOf(store_, catalog(), version));
      ref.ref.probe = probe_;
      if (version.isBase()) wasBase_ = wasBase_ || !known->second;
      if (!known->second || !ref.isSound) damaged_.push_back(std::move(ref.ref));
      if (known->second && !sound) sound = version;
    }
    return sound;
  }

  Result<bool> isWhole(const VersionEntry& version, const std::stop_token& stop,
                       const ProgressSink& progress) const {
    STRATA_TRY(const auto objects, catalog().objectsOf(version.manifestDigest));
    std::uint64_t totalBytes = 0;
    for (const CatalogObject& object : objects) totalBytes += object.byteCount;
    ProgressMeter meter(progress, "checking", totalBytes);
    for (const CatalogObject& object : objects) {
      STRATA_TRY(const std::string problem,
                 objectProblem(store_.objects(), object, ObjectCheck::Hash, stop,
                               [&](std::uint64_t bytes) { meter.add(bytes, version.label()); }));
      if (!problem.empty()) return false;
    }
    return true;
  }

  /// Lets the damaged versions rest on a sound manifest of the same content.
  Result<void> repair(const ManifestSummary& manifest) {
    std::vector<VersionRef> refs = damaged_;
    refs.insert(refs.end(), lost_.begin(), lost_.end());
    for (const VersionRef& ref : refs) report_.repaired.push_back(ref.label());
    if (!writer_) return {};
    return writer_->replaceManifests(std::move(refs), manifest);
  }

  /// True if the newest version of the name has the content: it gets no new version.
  Result<bool> keepNewest() {
    STRATA_TRY(const auto newest, catalog().newest(options_.name));
    if (!newest || newest->contentDigest != content_) return false;
    report_.outcome = report_.repaired.empty() ? Outcome::Unchanged : Outcome::Repaired;
    report_.version = *newest;
    if (!writer_) return true;
    for (const std::string& tag : options_.tags) {
      const auto& has = newest->tags;
      if (std::find(has.begin(), has.end(), tag) != has.end()) continue;
      STRATA_TRY(writer_->putTag({newest->name, tag, newest->number, {}, currentTime()}));
    }
    STRATA_TRY(const auto entry, catalog().version(newest->name, newest->number));
    if (entry) report_.version = *entry;
    return true;
  }

  Result<void> share(const VersionEntry& other) {
    report_.outcome = writer_ ? Outcome::Shared : Outcome::DryRun;
    report_.sharedLabel = other.label();
    VersionRef ref = newRef();
    ref.contentDigest = other.contentDigest;
    ref.manifestDigest = other.manifestDigest;
    STRATA_TRY(ref.signature, catalog().signatureOf(other.name, other.number));
    STRATA_TRY(const Manifest manifest,
               readManifest(store_, ref.manifestDigest, ref.contentDigest));
    return publish(std::move(ref), manifest);
  }

  Result<void> encode(const std::stop_token& stop, const ProgressSink& progress) {
    std::string signature = makeSignature(model_.description());
    STRATA_TRY(const ParentChoice choice, parentFor(signature));
    report_.baseWasChosen = choice.wasChosen;
    std::shared_ptr<const VersionReader> parent;
    if (choice.parent) {
      auto opened = openVersion(store_, choice.parent->contentDigest);
      if (!opened) return fail(opened.error().within(choice.parent->label()));
      parent = *std::move(opened);
    }
    STRATA_TRY(checkSpace(choice.parent.has_value()));
    std::unique_ptr<Quantizer> quantizer;  // owns the plan that the options point at
    WriteOptions writeOptions;
    if (options_.quantize) {
      STRATA_TRY(quantizer,
                 Quantizer::open(model_, parent, options_.gradients, options_.memoryBytes));
      STRATA_TRY(writeOptions, quantizer->writeOptions(*options_.quantize));
      writeOptions.lossySettings = options_.quantizeText;
      writeOptions.quality = options_.quality;
    }
    writeOptions.effort = options_.effort;
    writeOptions.profile = options_.profile;
    writeOptions.codec = options_.codec;
    writeOptions.memoryBytes = options_.memoryBytes;
    writeOptions.device = options_.device;
    DiscardedObjects discarded;
    ObjectWriter& objects = writer_ ? static_cast<ObjectWriter&>(*writer_) : discarded;
    STRATA_TRY(const WriteReport written,
               writeVersion(model_, std::move(parent), writeOptions, objects, stop, progress));
    STRATA_TRY(checkContent(written.contentDigest));
    report_.outcome = writer_ ? Outcome::Stored : Outcome::DryRun;
    report_.keptExact = written.keptExact;
    if (options_.quantize) {
      for (const TensorInfo& tensor : model_.description().tensors) {
        report_.exactTypes.add(tensor.type);
      }
    }
    if (options_.quantize && !isAnew()) {
      content_ = written.contentDigest;
      STRATA_TRY(const bool isNewest, keepNewest());
      if (isNewest) return {};
    }
    VersionRef ref = newRef();
    ref.contentDigest = written.contentDigest;
    ref.manifestDigest = written.manifestDigest;
    ref.storedBytes = written.storedBytes;
    ref.signature = std::move(signature);
    if (!needsRepair()) return publish(std::move(ref), written.manifest);
    report_.baseWasChosen = false;
    for (VersionRef& lost : lost_) {
      lost.storedBytes = ref.storedBytes;
      if (lost.signature.empty()) lost.signature = ref.signature;
    }
    STRATA_TRY(repair(summarize(written.manifest, ref.manifestDigest, store_.objects())));
    STRATA_TRY(const bool isNewest, keepNewest());
    if (isNewest) return {};
    if (writer_) {
      report_.outcome = Outcome::Shared;
      report_.sharedLabel = report_.repaired.front();
      ref.storedBytes = 0;
    }
    return publish(std::move(ref), written.manifest);
  }

  /// Nothing of other content than the caller knows it to have is listed.
  Result<void> checkContent(const Digest& content) const {
    if (!options_.expectedContent || content == *options_.expectedContent) return {};
    return fail(ErrorCode::CorruptData,
                fmt::format("its content is {}, expected {}: it is damaged, or changed meanwhile",
                            shortHex(content), shortHex(*options_.expectedContent)));
  }

  /// A damaged base becomes a base again.
  Result<ParentChoice> parentFor(const std::string& signature) const {
    if (wasBase_ && options_.baseChoice == BaseChoice::Auto) return ParentChoice{};
    const auto content = needsRepair() ? std::optional(content_) : std::nullopt;
    return chooseParent(catalog(), options_, signature, content);
  }

  Result<void> checkSpace(bool hasParent) const {
    if (!writer_) return {};
    const std::uint64_t bytes = originalBytes(model_.description());
    return checkFreeSpace(store_.folder(),
                          hasParent ? std::min(bytes, kLeastFreeBytes) : bytes / 2);
  }

  Result<void> publish(VersionRef ref, const Manifest& manifest) {
    ManifestSummary summary = summarize(manifest, ref.manifestDigest, store_.objects());
    if (writer_) {
      STRATA_TRY(report_.version, writer_->addVersion(std::move(ref), summary, options_.tags));
      return {};
    }
    report_.version = std::move(summary.entry);
    report_.version.name = ref.name;
    STRATA_TRY(const std::uint32_t last, catalog().lastNumber(ref.name));
    report_.version.number = last + 1;
    report_.version.storedBytes = ref.storedBytes;
    report_.version.note = ref.note;
    report_.version.tags = options_.tags;
    return {};
  }

  Store& store_;
  const ModelSource& model_;
  const AddOptions& options_;
  std::unique_ptr<StoreWriter> writer_;  ///< null in a dry run
  std::uint64_t probe_ = 0;
  Digest content_;                   ///< the model's, if something like it is stored
  std::vector<VersionRef> damaged_;  ///< versions with that content that cannot be restored
  std::vector<VersionRef> lost_;     ///< the same, not in the catalog
  bool wasBase_ = false;             ///< whether a base is among the damaged
  AddReport report_;
};

}  // namespace

Result<AddReport> addVersion(Store& store, const ModelSource& model, const AddOptions& options,
                             std::stop_token stop, const ProgressSink& progress) {
  const Stopwatch watch;
  STRATA_TRY(checkOptions(options));
  if (options.device != nullptr) STRATA_TRY(options.device->require());
  AddOptions used = options;
  // Errors of lossy versions would add up along a chain.
  if (used.quantize && used.chain == ChainPolicy::Auto) used.chain = ChainPolicy::Never;
  Result<AddReport> report = Addition(store, model, used).run(stop, progress);
  if (!report) return fail(report.error().within("adding " + options.name));
  report->seconds = watch.seconds();
  return report;
}

}  // namespace strata
