#include "core/ops/exchange/detail/pull/pulled_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "core/checked_math.h"
#include "core/ops/detail/suspect_objects.h"
#include "core/ops/exchange/detail/pull/adoption_batch.h"
#include "core/ops/exchange/version_matching.h"
#include "core/store/catalog/lost_versions.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/refs/ref_change.h"
#include "core/store/store_writer.h"

namespace strata {
namespace {

class Listing {
 public:
  Listing(const Pulled& from, PullReport& report, const std::stop_token& stop)
      : from_(from), report_(report), objects_(from.store, stop, {}) {}

  Result<void> run(const PullPlan& plan, const RemoteLibrary& library,
                   const std::stop_token& stop) {
    STRATA_TRY(const std::unique_ptr<StoreWriter> writer, from_.store.lock("pull", stop));
    STRATA_TRY(unread_, lostVersions(from_.store, writer->catalog()));
    // Not what was planned with: a pull that was killed, or another one, may have listed some
    // since.
    STRATA_TRY(const VersionMatching matching, VersionMatching::load(writer->catalog(), library));
    STRATA_TRY(const TagMatching tags, from_.tags.match(writer->catalog(), matching));
    AdoptionBatch batch(*writer);
    for (const PlannedPull& item : plan.items) {
      if (batch.isFull()) STRATA_TRY(flush(batch));
      if (completedBytes_ >= AdoptionBatch::kFullBytes) STRATA_TRY(flushCompleted(batch));
      STRATA_TRY(const std::optional<VersionEntry> here,
                 hereNow(writer->catalog(), item, matching));
      const Result<void> listed = listOne(*writer, item, here ? &*here : nullptr,
                                          from_.tags.wanted(tags, *item.there, true), batch);
      if (!listed) STRATA_TRY(noteLost(item, listed.error()));
    }
    STRATA_TRY(flush(batch));
    STRATA_TRY(flushCompleted(batch));
    // Together, and as the store's own affair: there is nothing to undo.
    return filled_.empty() ? Result<void>{}
                           : writer->replaceManifests("arrival", std::move(filled_));
  }

 private:
  /// The version here that it is. One that was found under another name stays it.
  static Result<std::optional<VersionEntry>> hereNow(const Catalog& catalog,
                                                     const PlannedPull& item,
                                                     const VersionMatching& matching) {
    if (const VersionEntry* const here = matching.here(*item.there)) return *here;
    if (!item.here || item.here->name == item.there->ref.name) return std::nullopt;
    STRATA_TRY(std::optional<VersionEntry> renamed,
               catalog.version(item.here->name, item.here->number));
    if (renamed && renamed->contentDigest != item.there->ref.contentDigest) renamed.reset();
    return renamed;
  }

  /// Those that are differences to it are lost, too. Fails where no other version fits either,
  /// unless some are listed by then: the report says which.
  Result<void> noteLost(const PlannedPull& item, const Error& error) {
    const bool isListed = !report_.pulled.empty() || !report_.completed.empty();
    if (error.code == ErrorCode::NoSpace && !isListed) return fail(error);
    lost_.emplace(item.there->ref.contentDigest, error);
    report_.failed.push_back({item.there->ref.label(), error});
    return {};
  }

  Result<void> flush(AdoptionBatch& batch) {
    Result<void> done;
    batch.flush([&](const AdoptionBatch::Item& item, const Result<VersionEntry>& entry) {
      const PlannedPull& planned = *item.planned;
      if (entry) {
        from_.tags.noteBrought(item.tags, entry->label());
        report_.pulled.push_back({*entry, planned.there->ref.number, sumOf(planned.missing)});
      } else if (done) {
        done = noteLost(planned, entry.error());
      }
    });
    return done;
  }

  /// A version here that rests on the remote's manifest from now on.
  struct Completed {
    const PlannedPull* planned;
    VersionEntry here;
    StoreWriter::Replacement replacement;
  };

  void complete(const PlannedPull& item, const VersionEntry& here, KnownRef known,
                const ManifestSummary& summary) {
    completedBytes_ += AdoptionBatch::bytesOf(known.ref);
    completedContents_.insert(item.there->ref.contentDigest);
    completedLabels_.insert(here.label());
    completed_.push_back({&item, here, {{std::move(known.ref)}, summary}});
  }

  /// In one change, after those that come before them in the list. Where that fails each is
  /// completed by itself, so that one does not keep out the others.
  Result<void> flushCompleted(AdoptionBatch& batch) {
    STRATA_TRY(flush(batch));
    const std::vector<Completed> waiting = std::exchange(completed_, {});
    completedBytes_ = 0;
    completedContents_.clear();
    completedLabels_.clear();
    std::vector<const Completed*> all;
    for (const Completed& one : waiting) {
      const Error* const cause = lostParent(*one.planned->there);
      if (cause != nullptr) STRATA_TRY(noteLost(*one.planned, *cause));
      if (cause == nullptr) all.push_back(&one);
    }
    if (all.empty()) return {};
    std::vector<StoreWriter::Replacement> together;
    for (const Completed* const one : all) together.push_back(one->replacement);
    const Result<void> done = batch.writer().replaceManifests("pull", std::move(together));
    // What could not be taken back is finished or taken back by the next change.
    const bool isTriedAlone = !done && all.size() > 1 && isOver(from_.store.refs());
    for (const Completed* const one : all) {
      STRATA_TRY(noteCompleted(*one, isTriedAlone ? completeAlone(batch, *one) : done));
    }
    return {};
  }

  Result<void> noteCompleted(const Completed& one, const Result<void>& done) {
    if (!done) return noteLost(*one.planned, done.error());
    report_.completed.push_back(one.here);
    return {};
  }

  Result<void> completeAlone(AdoptionBatch& batch, const Completed& one) const {
    if (const Error* const cause = lostParent(*one.planned->there)) return fail(*cause);
    return batch.writer().replaceManifests("pull", {one.replacement});
  }

  /// Why the parent of a version could not be listed; nullptr if it could.
  const Error* lostParent(const RemoteVersion& version) const {
    const auto lost = version.parentDigest ? lost_.find(*version.parentDigest) : lost_.end();
    return lost == lost_.end() ? nullptr : &lost->second;
  }

  Result<void> checkParent(const Catalog& catalog, const RemoteVersion& version,
                           const AdoptionBatch& batch) const {
    if (!version.parentDigest || batch.holds(*version.parentDigest)) return {};
    if (const Error* const cause = lostParent(version)) return fail(*cause);
    return checkParentIsHere(catalog, version);
  }

  Result<void> listOne(StoreWriter& writer, const PlannedPull& item, const VersionEntry* here,
                       const std::vector<WantedTag>& tags, AdoptionBatch& batch) {
    const RemoteVersion& version = *item.there;
    if (here == nullptr && item.staysAsCoded) {
      STRATA_TRY(flushCompleted(batch));
      return bringBackAsItIs(writer, item, tags);
    }
    if (const Error* const cause = lostParent(version)) return fail(*cause);
    for (const RemoteObject& object : version.objects()) {
      const auto failure = from_.failures.find(listed(object));
      if (failure != from_.failures.end()) return fail(failure->second);
      const bool isWanted =
          !from_.options.lazy || object.kind == RemoteObject::Kind::ManifestObject;
      if (isWanted) STRATA_TRY(checkIsHere(object));
    }
    STRATA_TRY(checkParent(writer.catalog(), version, batch));
    STRATA_TRY(ManifestSummary summary, summaryOf(version));
    giveSizes(summary, version);
    if (from_.options.packsOnly) {
      STRATA_TRY(const bool isFilled, fill(writer.catalog(), version, summary));
      if (isFilled) {
        if (here != nullptr) report_.completed.push_back(*here);
        return {};
      }
    }
    VersionRef ref = from_.signatures.refFor(version);
    if (!isWhole(version)) {
      ref.awaited = AwaitedPacks{from_.options.keptAs, version.ref.label(), summary.packBytes};
    }
    std::vector<TagRef> refs;
    for (const WantedTag& one : tags) refs.push_back(one.tag);
    const bool isRemoved = here == nullptr && item.removed;
    if (isRemoved) {
      STRATA_TRY(const bool isBack, isBackByOtherName(writer.catalog(), item));
      if (isBack) return {};
    }
    STRATA_TRY(const bool isNew, isRemoved ? Result<bool>(false) : isNewHere(writer, here, ref));
    if (isNew) {
      // Where its parent cannot be completed, it is not listed.
      if (version.parentDigest && completedContents_.contains(*version.parentDigest)) {
        STRATA_TRY(flushCompleted(batch));
        STRATA_TRY(checkParent(writer.catalog(), version, batch));
      }
      batch.add({{std::move(ref), std::move(summary), std::move(refs)}, &item, tags});
      return {};
    }
    // What comes before it in the list comes first; of completions, those of the same version.
    const bool goesWithOthers = here != nullptr && !completedLabels_.contains(here->label());
    if (!goesWithOthers) {
      STRATA_TRY(flushCompleted(batch));
    }
    if (here != nullptr) {
      STRATA_TRY(KnownRef known, refOf(from_.store, writer.catalog(), *here));
      noteModes(known.ref, summary);
      complete(item, *here, std::move(known), summary);
      return {};
    }
    STRATA_TRY(checkParent(writer.catalog(), version, batch));
    STRATA_TRY(const bool isMended, mendLost(writer, version, summary));
    if (isMended) return {};
    STRATA_TRY(const bool isBack, bringBack(writer, item, summary, refs));
    if (isBack) return {};
    batch.add({{std::move(ref), std::move(summary), std::move(refs)}, &item, tags});
    return flush(batch);
  }

  /// With what is here of its packs by now.
  Result<ManifestSummary> summaryOf(const RemoteVersion& version) const {
    const VersionRef& ref = version.ref;
    const auto known = from_.summaries.find(ref.manifestDigest);
    if (known != from_.summaries.end() && known->second.entry.contentDigest == ref.contentDigest) {
      ManifestSummary summary = known->second;
      lookForPacks(summary, from_.store.objects());
      return summary;
    }
    STRATA_TRY(const Manifest manifest,
               readManifest(from_.store, ref.manifestDigest, ref.contentDigest));
    return summarize(manifest, ref.manifestDigest, from_.store.objects());
  }

  /// Whether all that is to do is to list it, under the number that it has there.
  Result<bool> isNewHere(const StoreWriter& writer, const VersionEntry* here,
                         const VersionRef& ref) const {
    if (here != nullptr) return false;
    const bool isLost = std::any_of(unread_.begin(), unread_.end(), [&](const LostVersion& lost) {
      return lost.holds(ref.contentDigest);
    });
    if (isLost) return false;
    STRATA_TRY(const auto removed, writer.catalog().version(ref.name, ref.number, Place::Trash));
    return removed ? false : writer.hasNewNumber(ref);
  }

  /// Versions here that await packs of this content await them no more, listed or in the trash.
  /// Where the remote has the content by another manifest alone, they get that one. False if no
  /// version here has the content.
  Result<bool> fill(const Catalog& catalog, const RemoteVersion& version,
                    const ManifestSummary& summary) {
    STRATA_TRY(const auto holders, catalog.withContent(version.ref.contentDigest));
    std::vector<VersionRef> refs;
    for (const VersionEntry& holder : holders) {
      STRATA_TRY(KnownRef known, refOf(from_.store, catalog, holder));
      if (known.ref.awaited) refs.push_back(std::move(known.ref));
    }
    if (!refs.empty()) filled_.push_back({std::move(refs), summary});
    return !holders.empty();
  }

  /// A version of the trash that restores here comes back as it is.
  Result<void> bringBackAsItIs(StoreWriter& writer, const PlannedPull& item,
                               const std::vector<WantedTag>& tags) {
    STRATA_TRY(const auto removed, removedHere(writer.catalog(), item));
    if (!removed) {
      STRATA_TRY(const bool isBack, isBackByOtherName(writer.catalog(), item));
      if (isBack) return {};
      return fail(ErrorCode::NotFound, fmt::format("{}: was in the trash here and left it in the "
                                                   "meantime; pull it again",
                                                   item.there->ref.label()));
    }
    std::vector<TagRef> refs;
    for (const WantedTag& one : tags) refs.push_back(one.tag);
    return untrash(writer, item, *removed, std::move(refs));
  }

  /// The remote may have it under two names, and one has brought it out of the trash.
  static Result<bool> isBackByOtherName(const Catalog& catalog, const PlannedPull& item) {
    const VersionRef& there = item.there->ref;
    const std::string& name = item.removed ? item.removed->name : there.name;
    const std::uint32_t number = item.removed ? item.removed->number : there.number;
    STRATA_TRY(const auto back, catalog.version(name, number));
    return back && back->contentDigest == there.contentDigest;
  }

  /// The version in the trash that it is.
  static Result<std::optional<VersionEntry>> removedHere(const Catalog& catalog,
                                                         const PlannedPull& item) {
    const VersionRef& there = item.there->ref;
    const std::string& name = item.removed ? item.removed->name : there.name;
    const std::uint32_t number = item.removed ? item.removed->number : there.number;
    STRATA_TRY(std::optional<VersionEntry> removed, catalog.version(name, number, Place::Trash));
    if (removed && removed->contentDigest != there.contentDigest) removed.reset();
    return removed;
  }

  /// A version that was removed here, and does not restore as it is, comes back under the number it
  /// had. False if it was not.
  Result<bool> bringBack(StoreWriter& writer, const PlannedPull& item,
                         const ManifestSummary& summary, std::vector<TagRef> tags) {
    STRATA_TRY(const auto removed, removedHere(writer.catalog(), item));
    if (!removed) return false;
    STRATA_TRY(KnownRef known, refOf(from_.store, writer.catalog(), *removed));
    const bool isAsThere = known.isSound && !known.ref.awaited &&
                           known.ref.manifestDigest == summary.entry.manifestDigest;
    if (!isAsThere) {
      noteModes(known.ref, summary);
      STRATA_TRY(writer.replaceManifests("pull", {{{std::move(known.ref)}, summary}}));
    }
    STRATA_TRY(untrash(writer, item, *removed, std::move(tags)));
    return true;
  }

  Result<void> untrash(StoreWriter& writer, const PlannedPull& item, const VersionEntry& removed,
                       std::vector<TagRef> tags) {
    const VersionRef& there = item.there->ref;
    if (there.isUnlisted) return {};
    for (TagRef& tag : tags) {
      tag.name = removed.name;
      tag.number = removed.number;
    }
    STRATA_TRY(const auto lost, writer.untrashVersions({removed}, tags, "pull"));
    report_.tagsElsewhere.insert(report_.tagsElsewhere.end(), lost.begin(), lost.end());
    STRATA_TRY(const auto entry, writer.catalog().version(removed.name, removed.number));
    report_.pulled.push_back(
        {entry.value_or(removed), there.number, sumOf(item.missing), /*wasRemoved=*/true});
    return {};
  }

  /// Versions here of the same content whose manifests were lost get this one. True if one of them
  /// is live: it is the version that was pulled.
  Result<bool> mendLost(StoreWriter& writer, const RemoteVersion& version,
                        const ManifestSummary& summary) {
    STRATA_TRY(std::vector<VersionRef> lost,
               lostRefsOf(from_.store, writer.catalog(), version.ref.contentDigest,
                          from_.signatures.refFor(version)));
    if (lost.empty()) return false;
    const VersionRef first = lost.front();
    for (const VersionRef& ref : lost) noteModes(ref, summary);
    if (!isWhole(version)) {
      for (VersionRef& ref : lost) {
        ref.awaited = AwaitedPacks{from_.options.keptAs, version.ref.label(), summary.packBytes};
      }
    }
    STRATA_TRY(writer.replaceManifests("pull", {{std::move(lost), summary}}));
    STRATA_TRY(const auto mended, writer.catalog().version(first.name, first.number));
    if (mended) report_.completed.push_back(*mended);
    return mended.has_value();
  }

  /// Who gives a version another manifest keeps the permission bits of its own (replaceManifests).
  /// Of one that is lost nobody knows them.
  void noteModes(const VersionRef& ref, const ManifestSummary& summary) {
    const bool isSame = ref.manifestDigest == summary.entry.manifestDigest;
    if (isSame || readManifest(from_.store, ref.manifestDigest, ref.contentDigest)) return;
    report_.problems.push_back(fmt::format(
        "{}: its manifest was lost here, and its files' permissions with it; they are those of the "
        "version that came",
        ref.label()));
  }

  Result<void> checkIsHere(const RemoteObject& object) const {
    STRATA_TRY(const std::uint64_t byteCount, from_.store.objects().byteCount(object.digest));
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

  const Pulled& from_;
  PullReport& report_;
  const SuspectObjects objects_;
  std::vector<LostVersion> unread_;  ///< here, before anything was listed
  std::vector<StoreWriter::Replacement> filled_;
  std::vector<Completed> completed_;       ///< that wait for their change
  std::size_t completedBytes_ = 0;         ///< of their refs
  std::set<Digest> completedContents_;     ///< of them
  std::set<std::string> completedLabels_;  ///< of them, as they are called here
  std::map<Digest, Error> lost_;           ///< why versions could not be listed, by content
};

}  // namespace

std::uint64_t sumOf(const std::vector<RemoteObject>& objects) {
  std::uint64_t bytes = 0;
  for (const RemoteObject& object : objects) bytes = saturatingAdd(bytes, object.byteCount);
  return bytes;
}

Result<void> listPulled(const Pulled& from, const PullPlan& plan, const RemoteLibrary& library,
                        const std::stop_token& stop, PullReport& report) {
  return Listing(from, report, stop).run(plan, library, stop);
}

}  // namespace strata
