#include "core/ops/add_version.h"

#include <algorithm>
#include <optional>

#include "core/archive/version_writer.h"
#include "core/io/free_space.h"
#include "core/match/signature.h"
#include "core/ops/detail/discarded_objects.h"
#include "core/ops/detail/lineage.h"
#include "core/ops/detail/parent_choice.h"
#include "core/ops/detail/progress_meter.h"
#include "core/store/manifest_summary.h"
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
    probe_ = probeModel(model_.description());
    STRATA_TRY(const bool isDone, useStoredContent());
    if (!isDone) STRATA_TRY(encode(stop, progress));
    STRATA_TRY(const Lineage lineage, Lineage::load(catalog()));
    report_.parentLabel = lineage.parentLabel(report_.version);
    report_.baseLabel = lineage.baseLabel(report_.version);
    return std::move(report_);
  }

 private:
  const Catalog& catalog() const { return writer_ ? writer_->catalog() : store_.catalog(); }

  VersionRef newRef() const {
    VersionRef ref;
    ref.name = options_.name;
    ref.note = options_.note;
    ref.license = options_.license;
    ref.sourceUrl = options_.sourceUrl;
    ref.probe = probe_;
    return ref;
  }

  /// Answers from what is stored already, if the model's content is. True if so.
  Result<bool> useStoredContent() {
    const ModelDescription& model = model_.description();
    STRATA_TRY(const auto alike, catalog().withProbe(probe_, originalBytes(model)));
    if (alike.empty()) return false;
    const Digest content = hashModel(model);
    STRATA_TRY(const auto stored, catalog().withContent(content));
    STRATA_TRY(const auto newest, catalog().newest(options_.name));
    if (newest && newest->contentDigest == content && isWhole(*newest)) {
      STRATA_TRY(keepNewest(*newest));
      return true;
    }
    for (const VersionEntry& other : stored) {
      if (!isWhole(other)) continue;
      STRATA_TRY(share(other));
      return true;
    }
    if (!stored.empty()) damagedContent_ = content;
    return false;
  }

  /// A damaged version is written anew instead of shared.
  bool isWhole(const VersionEntry& version) const {
    const auto objects = catalog().objectsOf(version.manifestDigest);
    return objects && std::all_of(objects->begin(), objects->end(), [&](const auto& object) {
             return store_.objects().byteCount(object.digest) == object.byteCount;
           });
  }

  Result<void> keepNewest(const VersionEntry& newest) {
    report_.outcome = Outcome::Unchanged;
    report_.version = newest;
    if (!writer_) return {};
    for (const std::string& tag : options_.tags) {
      const auto& has = newest.tags;
      if (std::find(has.begin(), has.end(), tag) != has.end()) continue;
      STRATA_TRY(writer_->putTag({newest.name, tag, newest.number, {}, currentTime()}));
    }
    STRATA_TRY(const auto entry, catalog().version(newest.name, newest.number));
    if (entry) report_.version = *entry;
    return {};
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
    STRATA_TRY(const ParentChoice choice,
               chooseParent(catalog(), options_, signature, damagedContent_));
    report_.baseWasChosen = choice.wasChosen;
    std::shared_ptr<const VersionReader> parent;
    if (choice.parent) {
      auto opened = openVersion(store_, choice.parent->contentDigest);
      if (!opened) return fail(opened.error().within(choice.parent->label()));
      parent = *std::move(opened);
    }
    STRATA_TRY(checkSpace(choice.parent.has_value()));
    const WriteOptions writeOptions{.effort = options_.effort,
                                    .profile = options_.profile,
                                    .codec = options_.codec,
                                    .lowRank = true,
                                    .memoryBytes = options_.memoryBytes};
    DiscardedObjects discarded;
    ObjectWriter& objects = writer_ ? static_cast<ObjectWriter&>(*writer_) : discarded;
    STRATA_TRY(const WriteReport written,
               writeVersion(model_, std::move(parent), writeOptions, objects, stop, progress));
    report_.outcome = writer_ ? Outcome::Stored : Outcome::DryRun;
    VersionRef ref = newRef();
    ref.contentDigest = written.contentDigest;
    ref.manifestDigest = written.manifestDigest;
    ref.storedBytes = written.storedBytes;
    ref.signature = std::move(signature);
    return publish(std::move(ref), written.manifest);
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
  std::optional<Digest> damagedContent_;  ///< the model's, if it is stored but not whole
  AddReport report_;
};

}  // namespace

Result<AddReport> addVersion(Store& store, const ModelSource& model, const AddOptions& options,
                             std::stop_token stop, const ProgressSink& progress) {
  const Stopwatch watch;
  STRATA_TRY(checkOptions(options));
  Result<AddReport> report = Addition(store, model, options).run(stop, progress);
  if (!report) return fail(report.error().within("adding " + options.name));
  report->seconds = watch.seconds();
  return report;
}

}  // namespace strata
