#include "core/ops/pull_versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "core/checked_math.h"
#include "core/io/free_space.h"
#include "core/ops/detail/agreed_tags.h"
#include "core/ops/detail/kept_transfer.h"
#include "core/ops/detail/pull_plan.h"
#include "core/ops/detail/remote_bytes.h"
#include "core/ops/fetch_remote.h"
#include "core/ops/version_matching.h"
#include "core/progress_meter.h"
#include "core/store/lost_versions.h"
#include "core/store/manifest_summary.h"
#include "core/store/object_hold.h"
#include "core/store/store_writer.h"
#include "core/transfer/part_file.h"
#include "core/transfer/transfer_queue.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

/// A version as it will be listed, without its numbers; of a dry run.
VersionEntry entryOf(const RemoteVersion& version) {
  VersionEntry entry;
  entry.name = version.ref.name;
  entry.number = version.ref.number;
  entry.contentDigest = version.ref.contentDigest;
  entry.manifestDigest = version.ref.manifestDigest;
  entry.parentDigest = version.parentDigest;
  entry.format = version.format;
  entry.lossy = version.lossy;
  entry.addedAt = version.ref.addedAt;
  entry.removedAt = version.ref.removedAt;
  entry.isUnlisted = version.ref.isUnlisted;
  entry.originalBytes = version.originalBytes;
  entry.storedBytes = version.ref.storedBytes;
  return entry;
}

std::uint64_t sumOf(const std::vector<RemoteObject>& objects) {
  std::uint64_t bytes = 0;
  for (const RemoteObject& object : objects) bytes = saturatingAdd(bytes, object.byteCount);
  return bytes;
}

struct WantedTag {
  TagRef tag;        ///< with the number there
  std::string from;  ///< the version that has it here; empty: none
};

class Pull {
 public:
  Pull(Store& store, Transport& remote, const PullOptions& options)
      : store_(store), remote_(remote), options_(options) {}

  Result<PullReport> run(const std::stop_token& stop, const ProgressSink& progress) {
    STRATA_TRY(const RefListing listing, readList(store_, remote_, options_.keptAs, stop));
    STRATA_TRY(checkIsMade(remote_.url(), listing));
    const RemoteLibrary library = RemoteLibrary::from(listing);
    report_.problems = library.problems;
    for (const TagRef& tag : library.tags) {
      tagsThere_.emplace(fmt::format("{}:v{}", tag.name, tag.number), &tag);
    }
    STRATA_TRY(fetchBases(library, stop, progress));
    // What the plan finds here has to stay until it is listed.
    std::optional<ObjectHold> hold;
    if (!options_.dryRun) {
      STRATA_TRY(ObjectHold begun, ObjectHold::begin(store_.folder(), stop));
      hold.emplace(std::move(begun));
    }
    STRATA_TRY(PullPlan plan, fittingPlan(library, stop));
    report_.alreadyHere = std::move(plan.alreadyHere);
    report_.failed = std::move(plan.failed);
    if (options_.dryRun) {
      for (const PlannedPull& item : plan.items) describe(item);
      STRATA_TRY(followTags(plan, library, stop));
      return std::move(report_);
    }
    keepFetched(store_, options_.keptAs, listing);
    STRATA_TRY(const std::unique_ptr<TransferClaim> claim, keep(library));
    STRATA_TRY(hold->keep(claim ? claim->id() : 0, objectsOf(plan)));
    const Result<PullReport> done =
        bring(plan, library, stop, claim ? claim->noting(progress) : progress);
    conclude(claim.get(), done);
    if (done && done->failed.empty()) hold->release();
    return done;
  }

 private:
  static std::set<Digest> objectsOf(const PullPlan& plan) {
    std::set<Digest> objects;
    for (const PlannedPull& item : plan.items) {
      for (const RemoteObject& object : item.there->objects()) objects.insert(object.digest);
    }
    return objects;
  }

  Result<PullReport> bring(PullPlan& plan, const RemoteLibrary& library,
                           const std::stop_token& stop, const ProgressSink& progress) {
    if (!plan.items.empty()) {
      STRATA_TRY(fetch(plan, stop, progress));
      STRATA_TRY(fetchSignatures(plan, stop));
      STRATA_TRY(list(plan, library, stop));
    }
    STRATA_TRY(followTags(plan, library, stop));
    keepAgreedTags(store_, options_.keptAs, library);
    if (report_.pulled.empty() && report_.completed.empty() && report_.alreadyHere.empty() &&
        !report_.failed.empty()) {
      return fail(report_.failed.front().error);
    }
    return std::move(report_);
  }

  Result<bool> lacksBase(const RemoteLibrary& library) const {
    for (const BaseElsewhere& base : library.basesElsewhere()) {
      STRATA_TRY(const auto here, store_.catalog().withContent(base.contentDigest));
      if (here.empty()) return true;
    }
    return false;
  }

  /// Parents that the remote does not hold come first, each as a base of its own. Versions whose
  /// base did not come are left out.
  Result<void> fetchBases(const RemoteLibrary& library, const std::stop_token& stop,
                          const ProgressSink& progress) {
    STRATA_TRY(const bool isNeeded, lacksBase(library));
    if (!isNeeded) return {};
    PullOptions dry = options_;
    dry.dryRun = true;
    STRATA_TRY(const PullPlan plan, planPull(store_, library, dry));
    for (const NeededBase& needed : plan.bases) {
      if (options_.dryRun) report_.bases.push_back(needed.base);
      if (options_.dryRun || !options_.fetchBase) continue;
      const Result<void> fetched = options_.fetchBase(needed.base, stop, progress);
      if (fetched) {
        report_.bases.push_back(needed.base);
        continue;
      }
      if (fetched.error().code == ErrorCode::Cancelled) return fetched;
      for (const std::string& label : needed.labels) {
        leftOut_.emplace(label, fetched.error().within(label));
      }
    }
    return {};
  }

  /// A pull that moves bytes is kept in the catalog until it is over; null for others.
  Result<std::unique_ptr<TransferClaim>> keep(const RemoteLibrary& library) const {
    if (options_.keptAs.empty() || report_.byteCount == 0) return nullptr;
    TransferRequest request = requestOf(options_);
    for (std::string& word : request.references) {
      if (isGlob(word)) continue;
      STRATA_TRY(const auto chosen, library.select(std::span(&word, 1), 0));
      if (!chosen.empty()) word = chosen.front()->ref.label();  // the newest may be another later
    }
    return TransferClaim::take(store_, request, TransferEntry::State::Running, report_.byteCount);
  }

  void describe(const PlannedPull& item) {
    if (item.here) {
      report_.completed.push_back(*item.here);
    } else {
      report_.pulled.push_back({entryOf(*item.there), item.there->ref.number, sumOf(item.missing)});
    }
  }

  /// What the disk has room for. Where that is not all, a size may be a lie, or of a version that
  /// no disk like this can take: the others are pulled.
  Result<PullPlan> fittingPlan(const RemoteLibrary& library, const std::stop_token& stop) {
    STRATA_TRY(PullPlan plan, planPull(store_, library, options_, leftOut_));
    Result<void> fits = measure(plan);
    if (!fits && fits.error().code == ErrorCode::NoSpace) {
      STRATA_TRY(const LeftOut unfit, unfitVersions(plan, remote_, report_.freeBytes, stop));
      leftOut_.insert(unfit.begin(), unfit.end());
      STRATA_TRY(plan, planPull(store_, library, options_, leftOut_));
      fits = measure(plan);
    }
    if (!fits) return fail(fits.error());
    return plan;
  }

  Result<void> measure(const PullPlan& plan) {
    report_.objectCount = report_.byteCount = report_.keptBytes = 0;
    for (const PlannedPull& item : plan.items) {
      for (const RemoteObject& object : item.missing) {
        ++report_.objectCount;
        report_.byteCount = saturatingAdd(report_.byteCount, object.byteCount);
        std::error_code status;
        const fs::path part = partsFolder(store_) / (toHex(object.digest) + ".part");
        const std::uintmax_t kept = fs::file_size(part, status);
        if (!status) report_.keptBytes += std::min<std::uint64_t>(kept, object.byteCount);
      }
    }
    STRATA_TRY(report_.freeBytes, freeBytes(store_.folder()));
    return checkFreeSpace(store_.folder(), report_.byteCount - report_.keptBytes);
  }

  /// Manifests before packs: a version whose manifest is wrong costs no more than that.
  Result<void> fetch(PullPlan& plan, const std::stop_token& stop, const ProgressSink& progress) {
    ProgressMeter meter(progress, "fetching", report_.byteCount);
    for (const auto kind : {RemoteObject::Kind::ManifestObject, RemoteObject::Kind::Pack}) {
      std::vector<RemoteObject> objects;
      for (const PlannedPull& item : plan.items) {
        if (failures_.contains(manifestOf(*item.there))) continue;
        std::copy_if(item.missing.begin(), item.missing.end(), std::back_inserter(objects),
                     [&](const RemoteObject& object) { return object.kind == kind; });
      }
      const auto results =
          runTransfers(objects.size(), options_.parallel, stop, [&](std::size_t i) {
            const std::string item = "object " + shortHex(objects[i].digest);
            // Bytes that have to move again count backwards; the sum is modulo 2^64.
            return fetchObject(
                remote_, partsFolder(store_), store_.objects(), objects[i], stop,
                [&](std::int64_t bytes) { meter.add(static_cast<std::uint64_t>(bytes), item); });
          });
      meter.finish({});
      for (std::size_t i = 0; i < objects.size(); ++i) {
        if (results[i]) continue;
        if (results[i].error().code == ErrorCode::Cancelled) return fail(results[i].error());
        failures_.emplace(listed(objects[i]), results[i].error());
      }
      if (kind == RemoteObject::Kind::ManifestObject) checkManifests(plan);
    }
    return {};
  }

  /// Without one a version can be restored, and is not found as a base: worth a word, no failure.
  Result<void> fetchSignatures(const PullPlan& plan, const std::stop_token& stop) {
    std::map<Digest, RemoteObject> wanted;
    for (const PlannedPull& item : plan.items) {
      const auto& place = item.there->signature;
      if (place && !item.here) wanted.emplace(place->object.digest, place->object);
    }
    std::vector<RemoteObject> objects;
    for (const auto& [digest, object] : wanted) objects.push_back(object);
    std::mutex mutex;  // guards signatures_
    const auto take = [&](const RemoteObject& object, std::span<const std::byte> bytes) {
      const std::scoped_lock lock(mutex);
      signatures_[object.digest].assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    };
    STRATA_TRY(const ObjectProblems problems,
               readBack(remote_, objects, options_.parallel, stop, {}, take));
    for (const auto& [digest, problem] : problems) {
      report_.problems.push_back(
          fmt::format("object {} with signatures {}; its versions are not found as bases here, "
                      "and push --repair from a store that has them mends it",
                      shortHex(digest), problem));
    }
    return {};
  }

  /// The ref that a version gets here.
  VersionRef refFor(const RemoteVersion& version) const {
    VersionRef ref = version.ref;
    if (!version.signature) return ref;
    const auto pack = signatures_.find(version.signature->object.digest);
    if (pack == signatures_.end()) return ref;
    ref.signature = pack->second.substr(version.signature->firstByte, version.signature->byteCount);
    return ref;
  }

  static ListedObject manifestOf(const RemoteVersion& version) {
    return {version.ref.manifestDigest, version.manifestBytes};
  }

  /// The remote's list is only what it says; the manifest is what counts.
  void checkManifests(const PullPlan& plan) {
    for (const PlannedPull& item : plan.items) {
      const ListedObject manifest = manifestOf(*item.there);
      if (failures_.contains(manifest) || item.missing.empty()) continue;
      const Result<void> checked = checkManifest(*item.there);
      if (!checked) failures_.emplace(manifest, checked.error());
    }
  }

  Result<void> checkManifest(const RemoteVersion& version) const {
    STRATA_TRY(const Manifest manifest,
               readManifest(store_, version.ref.manifestDigest, version.ref.contentDigest));
    const auto disagree = [&](std::string_view what) {
      return fail(ErrorCode::CorruptData,
                  fmt::format("{}: its manifest names {} than the remote's list",
                              version.ref.label(), what));
    };
    if (digestFromBytes(manifest.parent_digest()) != version.parentDigest) {
      return disagree("another parent");
    }
    std::vector<Digest> packs = packsOf(manifest);
    std::vector<Digest> listed;
    for (const RemoteObject& pack : version.packs) listed.push_back(pack.digest);
    std::sort(packs.begin(), packs.end());
    std::sort(listed.begin(), listed.end());
    if (packs != listed) return disagree("other packs");
    return {};
  }

  /// Makes versions of what is here now, parents first.
  Result<void> list(const PullPlan& plan, const RemoteLibrary& library,
                    const std::stop_token& stop) {
    STRATA_TRY(const std::unique_ptr<StoreWriter> writer, store_.lock("pull", stop));
    // Not what was planned with: a pull that was killed, or another one, may have listed some
    // since.
    STRATA_TRY(const VersionMatching matching, VersionMatching::load(writer->catalog(), library));
    STRATA_TRY(const TagMatching tags, loadTags(writer->catalog(), matching));
    std::map<Digest, Error> lost;  // by content
    for (const PlannedPull& item : plan.items) {
      Result<void> listed = listOne(*writer, item, matching.here(*item.there),
                                    wantedTags(tags, *item.there, true), lost);
      if (listed) continue;
      if (listed.error().code == ErrorCode::NoSpace) return listed;
      lost.emplace(item.there->ref.contentDigest, listed.error());
      report_.failed.push_back({item.there->ref.label(), listed.error()});
    }
    return {};
  }

  Result<void> listOne(StoreWriter& writer, const PlannedPull& item, const VersionEntry* here,
                       const std::vector<WantedTag>& tags, const std::map<Digest, Error>& lost) {
    const RemoteVersion& version = *item.there;
    if (version.parentDigest && lost.contains(*version.parentDigest)) {
      return fail(lost.at(*version.parentDigest));
    }
    for (const RemoteObject& object : version.objects()) {
      const auto failure = failures_.find(listed(object));
      if (failure != failures_.end()) return fail(failure->second);
      const bool isWanted = !options_.lazy || object.kind == RemoteObject::Kind::ManifestObject;
      if (isWanted) STRATA_TRY(checkIsHere(object));
    }
    if (version.parentDigest) STRATA_TRY(checkParentIsHere(writer.catalog(), version));
    STRATA_TRY(const Manifest manifest,
               readManifest(store_, version.ref.manifestDigest, version.ref.contentDigest));
    ManifestSummary summary = summarize(manifest, version.ref.manifestDigest, store_.objects());
    giveSizes(summary, version);
    if (here != nullptr) {
      STRATA_TRY(KnownRef known, refOf(store_, writer.catalog(), *here));
      STRATA_TRY(writer.replaceManifests("pull", {{{std::move(known.ref)}, summary}}));
      report_.completed.push_back(*here);
      return {};
    }
    STRATA_TRY(const bool isMended, mendLost(writer, version, summary));
    if (isMended) return {};
    VersionRef ref = refFor(version);
    if (!isWhole(version)) {
      ref.awaited = AwaitedPacks{options_.keptAs, version.ref.label(), summary.packBytes};
    }
    std::vector<TagRef> refs;
    for (const WantedTag& one : tags) refs.push_back(one.tag);
    STRATA_TRY(const bool isBack, bringBack(writer, item, summary, refs));
    if (isBack) return {};
    STRATA_TRY(VersionEntry entry, writer.adoptVersion(std::move(ref), summary, std::move(refs)));
    for (const WantedTag& one : tags) {
      if (!one.from.empty()) {
        broughtTags_.push_back({labelOf(one.tag), one.from, entry.label()});
      }
    }
    report_.pulled.push_back({std::move(entry), version.ref.number, sumOf(item.missing)});
    return {};
  }

  /// A version that was removed here comes back under the number it had. False if it was not.
  Result<bool> bringBack(StoreWriter& writer, const PlannedPull& item,
                         const ManifestSummary& summary, const std::vector<TagRef>& tags) {
    const VersionRef& there = item.there->ref;
    STRATA_TRY(const auto removed,
               writer.catalog().version(there.name, there.number, Place::Trash));
    if (!removed || removed->contentDigest != there.contentDigest) return false;
    STRATA_TRY(KnownRef known, refOf(store_, writer.catalog(), *removed));
    if (known.ref.awaited || !known.isSound || known.ref.manifestDigest != there.manifestDigest) {
      STRATA_TRY(writer.replaceManifests("pull", {{{std::move(known.ref)}, summary}}));
    }
    if (there.isUnlisted) return true;
    STRATA_TRY(const auto lost, writer.untrashVersions({*removed}, tags, "pull"));
    report_.tagsElsewhere.insert(report_.tagsElsewhere.end(), lost.begin(), lost.end());
    STRATA_TRY(const auto entry, writer.catalog().version(there.name, there.number));
    report_.pulled.push_back(
        {entry.value_or(*removed), there.number, sumOf(item.missing), /*wasRemoved=*/true});
    return true;
  }

  /// Versions here of the same content whose manifests were lost get this one. True if one of them
  /// is live: it is the version that was pulled.
  Result<bool> mendLost(StoreWriter& writer, const RemoteVersion& version,
                        const ManifestSummary& summary) {
    STRATA_TRY(std::vector<VersionRef> lost,
               lostRefsOf(store_, writer.catalog(), version.ref.contentDigest, refFor(version)));
    if (lost.empty()) return false;
    const VersionRef first = lost.front();
    if (!isWhole(version)) {
      for (VersionRef& ref : lost) {
        ref.awaited = AwaitedPacks{options_.keptAs, version.ref.label(), summary.packBytes};
      }
    }
    STRATA_TRY(writer.replaceManifests("pull", {{std::move(lost), summary}}));
    STRATA_TRY(const auto mended, writer.catalog().version(first.name, first.number));
    if (mended) report_.completed.push_back(*mended);
    return mended.has_value();
  }

  Result<void> checkIsHere(const RemoteObject& object) const {
    STRATA_TRY(const std::uint64_t byteCount, store_.objects().byteCount(object.digest));
    if (byteCount == object.byteCount) return {};
    return fail(ErrorCode::CorruptData,
                fmt::format("object {}: has {} bytes here, the remote lists {}",
                            toHex(object.digest), byteCount, object.byteCount));
  }

  /// It may have been removed for good since the plan was made.
  static Result<void> checkParentIsHere(const Catalog& catalog, const RemoteVersion& version) {
    STRATA_TRY(const auto parents, catalog.withContent(*version.parentDigest));
    if (!parents.empty()) return {};
    return fail(ErrorCode::NotFound,
                fmt::format("{}: its parent {} was removed here in the meantime; pull it again",
                            version.ref.label(), shortHex(*version.parentDigest)));
  }

  /// Whether all packs are here; after a lazy pull they need not be.
  bool isWhole(const RemoteVersion& version) const {
    return std::all_of(version.packs.begin(), version.packs.end(),
                       [&](const RemoteObject& pack) { return checkIsHere(pack).has_value(); });
  }

  /// Those of packs that are not here.
  static void giveSizes(ManifestSummary& summary, const RemoteVersion& version) {
    for (std::size_t i = 0; i < summary.packs.size(); ++i) {
      if (summary.packBytes[i] != 0) continue;
      for (const RemoteObject& pack : version.packs) {
        if (pack.digest == summary.packs[i]) summary.packBytes[i] = pack.byteCount;
      }
    }
  }

  Result<TagMatching> loadTags(const Catalog& catalog, const VersionMatching& matching) const {
    return TagMatching::load(catalog, matching, readAgreedTags(store_.folder(), options_.keptAs));
  }

  bool isWanted(TagChange change, bool isHere, bool isNewVersion) const {
    switch (change) {
      case TagChange::None:
        return false;
      case TagChange::New:
      case TagChange::There:
        return true;
      case TagChange::Here:  // moved, or removed; perhaps with its version, which comes back now
        return options_.forceTags || (!isHere && isNewVersion);
      case TagChange::Both:
        return options_.forceTags;
    }
    return false;
  }

  /// The tags that a version of the remote is to get here.
  std::vector<WantedTag> wantedTags(const TagMatching& tags, const RemoteVersion& version,
                                    bool isNewVersion) const {
    std::vector<WantedTag> wanted;
    const auto [begin, end] = tagsThere_.equal_range(version.ref.label());
    for (auto one = begin; one != end; ++one) {
      const TagRef& tag = *one->second;
      const TagRef* const here = tags.here(tag);
      if (!isWanted(tags.changeOf(tag), here != nullptr, isNewVersion)) continue;
      WantedTag& taken = wanted.emplace_back(WantedTag{tag, {}});
      if (here == nullptr) continue;
      taken.from = fmt::format("{}:v{}", here->name, here->number);
      // The later time counts where a change is finished that was broken off.
      taken.tag.taggedAt = std::max(tag.taggedAt, here->taggedAt);
    }
    return wanted;
  }

  /// Notes what becomes of the tags of all versions that the plan is about, and returns those that
  /// are to be put on versions that are here.
  Result<std::vector<TagRef>> tagsToPut(const Catalog& catalog, const PullPlan& plan,
                                        const RemoteLibrary& library) {
    STRATA_TRY(const VersionMatching matching, VersionMatching::load(catalog, library));
    STRATA_TRY(const TagMatching tags, loadTags(catalog, matching));
    std::vector<const RemoteVersion*> all;
    for (const PlannedPull& item : plan.items) all.push_back(item.there);
    for (const VersionEntry& version : report_.alreadyHere) all.push_back(matching.there(version));
    std::vector<TagRef> toPut;
    report_.tagsElsewhere.clear();
    report_.tags = broughtTags_;
    for (const RemoteVersion* const version : all) {
      const VersionEntry* const here = version == nullptr ? nullptr : matching.here(*version);
      if (version == nullptr || (here == nullptr && !options_.dryRun)) continue;  // it failed
      for (WantedTag& one : wantedTags(tags, *version, here == nullptr)) {
        if (here == nullptr && one.from.empty()) continue;  // it comes with its version
        const std::string to = here == nullptr ? version->ref.label() : here->label();
        report_.tags.push_back({labelOf(one.tag), one.from, to});
        if (here != nullptr) one.tag.number = here->number;
        toPut.push_back(std::move(one.tag));
      }
      const auto [begin, end] = tagsThere_.equal_range(version->ref.label());
      for (auto one = begin; one != end && !options_.forceTags; ++one) {
        if (tags.changeOf(*one->second) != TagChange::Both) continue;
        report_.tagsElsewhere.push_back(labelOf(*one->second));
      }
    }
    return toPut;
  }

  /// Tags of versions that were asked for and are here already, or will be in a dry run.
  Result<void> followTags(const PullPlan& plan, const RemoteLibrary& library,
                          const std::stop_token& stop) {
    STRATA_TRY(const std::vector<TagRef> toPut, tagsToPut(store_.catalog(), plan, library));
    if (toPut.empty() || options_.dryRun) return {};
    STRATA_TRY(const std::unique_ptr<StoreWriter> writer, store_.lock("pull", stop));
    STRATA_TRY(const std::vector<TagRef> now, tagsToPut(writer->catalog(), plan, library));
    return writer->putTags(now, "pull");
  }

  Store& store_;
  Transport& remote_;
  const PullOptions& options_;
  LeftOut leftOut_;
  std::map<ListedObject, Error> failures_;               ///< of objects
  std::map<Digest, std::string> signatures_;             ///< objects with those of many versions
  std::multimap<std::string, const TagRef*> tagsThere_;  ///< by the label of their version there
  std::vector<PullReport::Tag> broughtTags_;  ///< from other versions, with versions that came
  PullReport report_;
};

}  // namespace

TransferRequest requestOf(const PullOptions& options) {
  return {.direction = TransferRequest::Direction::Pull,
          .remote = options.keptAs,
          .references = options.references,
          .forceTags = options.forceTags,
          .latest = options.latest,
          .lazy = options.lazy};
}

PullOptions pullOptionsOf(const TransferRequest& request) {
  return {.references = request.references,
          .latest = request.latest,
          .lazy = request.lazy,
          .forceTags = request.forceTags,
          .keptAs = request.remote};
}

Result<PullReport> pullVersions(Store& store, Transport& remote, const PullOptions& options,
                                std::stop_token stop, const ProgressSink& progress) {
  return Pull(store, remote, options).run(stop, progress);
}

Result<std::vector<std::optional<std::uint64_t>>> bytesToPull(const Store& store,
                                                              const RemoteLibrary& library) {
  STRATA_TRY(const VersionMatching matching, VersionMatching::load(store.catalog(), library));
  std::vector<std::optional<std::uint64_t>> all;
  for (const RemoteVersion& version : library.versions) {
    STRATA_TRY(const PullPlan plan, planPullOf(store, library, version, matching));
    std::uint64_t bytes = 0;
    for (const PlannedPull& item : plan.items) bytes = saturatingAdd(bytes, sumOf(item.missing));
    for (const NeededBase& one : plan.bases) bytes = saturatingAdd(bytes, one.base.byteCount);
    all.push_back(plan.failed.empty() ? std::optional(bytes) : std::nullopt);
  }
  return all;
}

}  // namespace strata
