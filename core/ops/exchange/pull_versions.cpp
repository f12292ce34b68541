#include "core/ops/exchange/pull_versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "core/checked_math.h"
#include "core/io/free_space.h"
#include "core/ops/detail/pull_plan.h"
#include "core/ops/exchange/detail/kept/agreed_tags.h"
#include "core/ops/exchange/detail/kept_transfer.h"
#include "core/ops/exchange/detail/pull/mended_damage.h"
#include "core/ops/exchange/detail/pull/pulled_listing.h"
#include "core/ops/exchange/detail/pull/pulled_notes.h"
#include "core/ops/exchange/detail/pull/pulled_signatures.h"
#include "core/ops/exchange/detail/pull/pulled_tags.h"
#include "core/ops/exchange/fetch_remote.h"
#include "core/ops/exchange/version_matching.h"
#include "core/progress_meter.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/objects/object_hold.h"
#include "core/store/store_writer.h"
#include "core/transfer/part_file.h"

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

class Pull {
 public:
  Pull(Store& store, Transport& remote, const PullOptions& options)
      : store_(store), remote_(remote), options_(options) {}

  Result<PullReport> run(const std::stop_token& stop, const ProgressSink& progress) {
    STRATA_TRY(const ListRead read, readList(store_, remote_, options_.keptAs, stop));
    const RefListing& listing = read.listing;
    STRATA_TRY(checkIsMade(remote_.url(), listing));
    const RemoteLibrary library = RemoteLibrary::from(listing);
    report_.problems = library.problems;
    report_.unreadCount = library.problems.size();
    if (!read.notice.empty()) report_.problems.push_back(read.notice);
    agreed_ = agreedFor(store_, options_.keptAs, listing);
    tags_.emplace(options_, library, agreed_);
    STRATA_TRY(fetchBases(library, stop, progress));
    // What the plan finds here has to stay until it is listed.
    std::optional<ObjectHold> hold;
    if (!options_.dryRun) {
      STRATA_TRY(ObjectHold begun, ObjectHold::begin(store_.folder(), stop));
      hold.emplace(std::move(begun));
    }
    STRATA_TRY(PullPlan plan, fittingPlan(library, stop, progress));
    report_.alreadyHere = std::move(plan.alreadyHere);
    report_.failed = std::move(plan.failed);
    report_.modesElsewhere = std::move(plan.modesElsewhere);
    for (const auto& [there, here] : plan.renamed) {
      report_.problems.push_back(fmt::format(
          "{0} was renamed to {1} here: what the remote calls {0} is not pulled again under that "
          "name, unless it is asked for by it",
          there, here));
    }
    report_.replaced = std::move(plan.replaced);
    if (options_.dryRun) {
      for (const PlannedPull& item : plan.items) describe(item);
      STRATA_TRY(followWords(plan, library, stop));
      return std::move(report_);
    }
    Result<void> kept = keepDoubts(store_, options_.keptAs, listing);
    if (kept) kept = keepFetched(store_, options_.keptAs, listing, read.formerNumber);
    STRATA_TRY(const std::unique_ptr<TransferClaim> claim, keep(library));
    STRATA_TRY(hold->keep(claim ? claim->id() : 0, objectsOf(plan)));
    Result<PullReport> done =
        bring(plan, library, stop, claim ? claim->noting(progress) : progress);
    conclude(claim.get(), done);
    if (done && done->failed.empty()) hold->release();
    // Who wants packs alone, to restore a version, has them.
    if (kept) kept = agreedKept_;
    const bool isTold = done && !kept && !options_.packsOnly;
    if (isTold) done->failed.push_back({"the list of " + options_.keptAs, kept.error(), true});
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
      STRATA_TRY(signatures_.fetch(remote_, plan, options_.parallel, stop, report_.problems));
      const Pulled pulled{store_, options_, failures_, summaries_, signatures_, *tags_};
      STRATA_TRY(listPulled(pulled, plan, library, stop, report_));
      forgetMended(store_, broughtVersions());
    }
    const Result<void> followed = followWords(plan, library, stop);
    const bool isListed = !report_.pulled.empty() || !report_.completed.empty();
    if (!followed && !isListed) return fail(followed.error());
    // Versions that came are there, and the report has to say so.
    if (!followed) report_.failed.push_back({"tags and notes", followed.error()});
    if (followed && !options_.packsOnly) {
      agreedKept_ = keepAgreed(store_, options_.keptAs, library);
    }
    if (report_.pulled.empty() && report_.completed.empty() && report_.alreadyHere.empty() &&
        !report_.failed.empty()) {
      return fail(report_.failed.front().error);
    }
    return std::move(report_);
  }

  std::vector<VersionEntry> broughtVersions() const {
    std::vector<VersionEntry> versions = report_.completed;
    for (const PullReport::Item& item : report_.pulled) versions.push_back(item.version);
    return versions;
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
    STRATA_TRY(const PullPlan plan, planPull(store_, library, dry, {}, stop, progress));
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
      report_.pulled.push_back({.version = item.removed.value_or(entryOf(*item.there)),
                                .remoteNumber = item.there->ref.number,
                                .fetchedBytes = sumOf(item.missing),
                                .wasRemoved = item.removed.has_value()});
    }
  }

  /// What the disk has room for. Where that is not all, a size may be a lie, or of a version that
  /// no disk like this can take: the others are pulled.
  Result<PullPlan> fittingPlan(const RemoteLibrary& library, const std::stop_token& stop,
                               const ProgressSink& progress) {
    STRATA_TRY(PullPlan plan, planPull(store_, library, options_, leftOut_, stop, progress));
    Result<void> fits = measure(plan);
    if (!fits && fits.error().code == ErrorCode::NoSpace) {
      STRATA_TRY(const LeftOut unfit, unfitVersions(plan, remote_, report_.freeBytes, stop));
      leftOut_.insert(unfit.begin(), unfit.end());
      STRATA_TRY(plan, planPull(store_, library, options_, leftOut_, stop, progress));
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
    report_.objectCount = report_.byteCount = 0;  // what comes, from here on
    for (const auto kind : {RemoteObject::Kind::ManifestObject, RemoteObject::Kind::Pack}) {
      std::vector<RemoteObject> objects;
      for (const PlannedPull& item : plan.items) {
        if (failures_.contains(manifestOf(*item.there))) continue;
        std::copy_if(item.missing.begin(), item.missing.end(), std::back_inserter(objects),
                     [&](const RemoteObject& object) { return object.kind == kind; });
      }
      const auto meterOf = [&](std::size_t i) -> TransferMeter {
        // Bytes that have to move again count backwards; the sum is modulo 2^64.
        return [&meter, item = "object " + shortHex(objects[i].digest)](std::int64_t bytes) {
          meter.add(static_cast<std::uint64_t>(bytes), item);
        };
      };
      const auto results = fetchObjects(remote_, partsFolder(store_), store_.objects(), objects,
                                        options_.parallel, stop, meterOf);
      meter.finish({});
      for (std::size_t i = 0; i < objects.size(); ++i) {
        if (results[i]) {
          ++report_.objectCount;
          report_.byteCount = saturatingAdd(report_.byteCount, objects[i].byteCount);
          continue;
        }
        if (results[i].error().code == ErrorCode::Cancelled) return fail(results[i].error());
        failures_.emplace(listed(objects[i]), results[i].error());
      }
      if (kind == RemoteObject::Kind::ManifestObject) checkManifests(plan);
    }
    return {};
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

  Result<void> checkManifest(const RemoteVersion& version) {
    STRATA_TRY(const Manifest manifest,
               readManifest(store_, version.ref.manifestDigest, version.ref.contentDigest));
    const auto disagree = [&](std::string_view what) {
      return fail(ErrorCode::CorruptData,
                  fmt::format("{}: its manifest names {} than the remote's list",
                              version.ref.label(), what));
    };
    if (manifest.parentDigest != version.parentDigest) {
      return disagree("another parent");
    }
    std::vector<Digest> packs = manifest.packs;
    std::vector<Digest> listed;
    for (const RemoteObject& pack : version.packs) listed.push_back(pack.digest);
    std::sort(packs.begin(), packs.end());
    std::sort(listed.begin(), listed.end());
    if (packs != listed) return disagree("other packs");
    const Digest& digest = version.ref.manifestDigest;
    summaries_.try_emplace(digest, summarize(manifest, digest, store_.objects()));
    return {};
  }

  /// Tags and notes of versions that were asked for and are here already, or will be in a dry run.
  Result<void> followWords(const PullPlan& plan, const RemoteLibrary& library,
                           const std::stop_token& stop) {
    if (options_.packsOnly) return {};
    // Without a name, as from a bundle, nothing tells which note is the newer one.
    const AgreedNotes* const notes = options_.keptAs.empty() ? nullptr : &agreed_.notes;
    const auto look = [&](const Catalog& catalog, std::vector<TagRef>& tags,
                          std::vector<VersionRef>& refs) -> Result<void> {
      STRATA_TRY(tags, tags_->toPut(catalog, plan, report_));
      STRATA_TRY(refs, notesToTake(store_, catalog, library, plan, notes, report_));
      return {};
    };
    std::vector<TagRef> tags;
    std::vector<VersionRef> refs;
    STRATA_TRY(look(store_.catalog(), tags, refs));
    if ((tags.empty() && refs.empty()) || options_.dryRun) return {};
    STRATA_TRY(const std::unique_ptr<StoreWriter> writer, store_.lock("pull", stop));
    STRATA_TRY(look(writer->catalog(), tags, refs));
    return refs.empty() ? writer->putTags(tags, "pull") : writer->annotate("pull", refs, tags);
  }

  Store& store_;
  Transport& remote_;
  const PullOptions& options_;
  LeftOut leftOut_;
  std::map<ListedObject, Error> failures_;       ///< of objects
  std::map<Digest, ManifestSummary> summaries_;  ///< Pulled::summaries
  PulledSignatures signatures_;
  Agreed agreed_;                   ///< before this pull
  std::optional<PulledTags> tags_;  ///< once the remote's list is read
  Result<void> agreedKept_;         ///< whether what both sides agree on by now was kept
  PullReport report_;
};

}  // namespace

TransferRequest requestOf(const PullOptions& options) {
  return {.direction = TransferRequest::Direction::Pull,
          .remote = options.keptAs,
          .references = options.references,
          .forceTags = options.forceTags,
          .latest = options.latest,
          .lazy = options.lazy,
          .packsOnly = options.packsOnly};
}

PullOptions pullOptionsOf(const TransferRequest& request) {
  return {.references = request.references,
          .latest = request.latest,
          .lazy = request.lazy,
          .packsOnly = request.packsOnly,
          .forceTags = request.forceTags,
          .keptAs = request.remote};
}

Result<PullReport> pullVersions(Store& store, Transport& remote, const PullOptions& options,
                                std::stop_token stop, const ProgressSink& progress) {
  return Pull(store, remote, options).run(stop, progress);
}

Result<std::vector<std::optional<std::uint64_t>>> bytesToPull(const Store& store,
                                                              const RemoteLibrary& library,
                                                              std::stop_token stop,
                                                              const ProgressSink& progress) {
  STRATA_TRY(const VersionMatching matching, VersionMatching::load(store.catalog(), library));
  const SuspectObjects objects(store, std::move(stop), progress);
  std::vector<std::optional<std::uint64_t>> all;
  for (const RemoteVersion& version : library.versions) {
    STRATA_TRY(const PullPlan plan, planPullOf(store, library, version, matching, objects));
    std::uint64_t bytes = 0;
    for (const PlannedPull& item : plan.items) bytes = saturatingAdd(bytes, sumOf(item.missing));
    for (const NeededBase& one : plan.bases) bytes = saturatingAdd(bytes, one.base.byteCount);
    all.push_back(plan.failed.empty() ? std::optional(bytes) : std::nullopt);
  }
  return all;
}

}  // namespace strata
