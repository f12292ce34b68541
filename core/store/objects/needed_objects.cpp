#include "core/store/objects/needed_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "core/archive/manifest.h"
#include "core/store/catalog/lost_versions.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/objects/ending_codings.h"
#include "core/store/objects/rebuildable_contents.h"
#include "core/store/refs/ref_rename.h"

namespace strata {
namespace {

using Key = std::pair<std::string, std::uint32_t>;

void addKeys(const RefFolder::Numbers& numbers, std::set<Key>& keys) {
  for (const auto& [name, list] : numbers) {
    for (const std::uint32_t number : list) keys.emplace(name, number);
  }
}

/// Why nothing is deleted while a version cannot be read.
Error unreadableError(const UnreadableVersion& version) {
  if (version.error.code == ErrorCode::FormatTooNew) {
    return {ErrorCode::FormatTooNew,
            fmt::format("{}: a newer program wrote this version; this one deletes nothing beside "
                        "it: {}",
                        version.label(), version.error.message)};
  }
  const char* way = "until \"strata verify --repair\" has mended that ref or set it aside";
  if (version.ref && version.place == Place::Live) {
    way =
        "until its model is added again or pulled, or it is removed with --now, with all that is a "
        "difference to it";
  } else if (version.ref) {
    way = "until its model is added again, or \"strata trash empty\" has deleted this version";
  }
  return {ErrorCode::CorruptData, fmt::format("{}: {}; nothing is deleted {}", version.label(),
                                              version.error.message, way)};
}

Result<std::set<Digest>> contentsOf(const Catalog& catalog) {
  std::set<Digest> contents;
  for (const Place place : {Place::Live, Place::Trash}) {
    STRATA_TRY(const auto versions, catalog.versions(place));
    for (const VersionEntry& version : versions) contents.insert(version.contentDigest);
  }
  return contents;
}

}  // namespace

Result<std::vector<UnnamedManifest>> looseManifests(const ObjectFolder& objects,
                                                    const Catalog& named,
                                                    const std::set<Digest>& without,
                                                    const std::stop_token& stop, Unread unread) {
  STRATA_TRY(const auto known, named.objects());
  std::set<Digest> used;
  for (const CatalogObject& object : known) used.insert(object.digest);
  STRATA_TRY(const std::vector<StoredObject> all, objects.list());
  std::vector<UnnamedManifest> loose;
  for (const StoredObject& object : all) {
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    if (used.contains(object.digest)) continue;
    const auto file = objects.open(object.digest);
    const bool isGone = !file && file.error().code == ErrorCode::NotFound;
    if (!file && !isGone && unread == Unread::Refused) return fail(file.error());
    if (!file) continue;
    const auto claimed = parseManifest(file->bytes());
    if (!claimed || without.contains(claimed->contentDigest)) continue;
    const auto manifest = readManifest(objects, object.digest, claimed->contentDigest);
    if (manifest) loose.push_back({object.digest, summarize(*manifest, object.digest, objects)});
  }
  return loose;
}

class NeededCollection {
 public:
  NeededCollection(const Store& store, const TrueCatalog& truth,
                   const NeededObjects::Leaving& leaving)
      : store_(store),
        truth_(truth),
        leavingManifests_(leaving.manifests),
        deletedContents_(leaving.contents) {
    for (const VersionEntry& version : leaving.versions) {
      leaving_.emplace(version.name, version.number);
    }
  }

  Result<NeededObjects> run(const std::stop_token& stop) {
    STRATA_TRY(const std::vector<VersionEntry> versions, truth_.versions());
    for (const VersionEntry& version : versions) {
      const bool leaves = leaving_.contains({version.name, version.number});
      if (leaves) {
        leavingContents_.emplace(version.contentDigest, version.label());
        leavingVersions_.emplace(version.contentDigest, version);
        continue;
      }
      staying_.insert(version.contentDigest);
      if (version.parentDigest) parents_.emplace(*version.parentDigest, version.label());
      if (!manifests_.insert(version.manifestDigest).second) continue;
      STRATA_TRY(const auto objects, truth_.catalog->objectsOf(version.manifestDigest));
      for (const CatalogObject& object : objects) needed_.objects_.insert(object.digest);
    }
    for (const UnreadableVersion& version : truth_.unreadable) {
      if (!leaving_.contains({version.name, version.number})) {
        const auto needing = neededBy(version, versions);
        return fail(needing.empty() ? unreadableError(version) : neededError(version, needing));
      }
      if (version.ref) leavingContents_.emplace(version.ref->contentDigest, version.label());
    }
    STRATA_TRY(findLoose(stop));
    std::set<Digest> contents = staying_;
    for (const UnnamedManifest& one : needed_.unnamed_) {
      unnamed_.emplace(one.summary.entry.contentDigest, &one);
      if (one.isWhole()) contents.insert(one.summary.entry.contentDigest);
    }
    STRATA_TRY(needed_.unaccounted_, unaccountedRefs(store_, contents));
    STRATA_TRY(addParents());
    STRATA_TRY(checkEnds(versions, loose_));
    STRATA_TRY(checkRebuilds(versions));
    STRATA_TRY(addUnnamed());
    addFormer();
    return std::move(needed_);
  }

 private:
  /// Whether versions of the content leave. Others of it may stay.
  bool leaves(const Digest& content) const {
    return leavingContents_.contains(content) || deletedContents_.contains(content);
  }

  /// Versions that stay and are differences to one of the trash that cannot be read, or to such a
  /// one in turn.
  std::vector<VersionEntry> neededBy(const UnreadableVersion& lost,
                                     const std::vector<VersionEntry>& versions) const {
    std::vector<VersionEntry> needing;
    if (!lost.ref || lost.place == Place::Live) return needing;
    std::multimap<Digest, const VersionEntry*> byParent;
    for (const VersionEntry& one : versions) {
      const bool stays = !leaving_.contains({one.name, one.number});
      if (stays && one.parentDigest) byParent.emplace(*one.parentDigest, &one);
    }
    std::set<Digest> seen;
    std::vector<Digest> next{lost.ref->contentDigest};
    while (!next.empty()) {
      const Digest content = next.back();
      next.pop_back();
      if (!seen.insert(content).second) continue;
      const auto [first, last] = byParent.equal_range(content);
      for (auto at = first; at != last; ++at) {
        needing.push_back(*at->second);
        next.push_back(at->second->contentDigest);
      }
    }
    return needing;
  }

  /// Why what is damaged in the trash cannot be deleted by itself.
  static Error neededError(const UnreadableVersion& lost,
                           const std::vector<VersionEntry>& needing) {
    std::string labels;
    for (const VersionEntry& one : needing) {
      if (one.removedAt == 0) labels += " " + one.label();
    }
    const std::string way = labels.empty()
                                ? "\"strata trash empty\" gives all of them up"
                                : fmt::format(
                                      "\"strata remove{}\", then \"strata trash empty\", give "
                                      "all of them up",
                                      labels);
    return {ErrorCode::CorruptData,
            fmt::format("{}: {}, and {} is rebuilt through it; nothing is deleted until that is "
                        "back: pull its model or add it again; {}",
                        lost.label(), lost.error.message, needing.front().label(), way)};
  }

  /// Of the manifests that no ref names, those of contents that versions have matter once all of
  /// these versions leave.
  Result<void> findLoose(const std::stop_token& stop) {
    STRATA_TRY(const auto named, contentsOf(*truth_.catalog));
    STRATA_TRY(loose_,
               looseManifests(store_.objects(), *truth_.catalog, staying_, stop, Unread::Refused));
    std::copy_if(loose_.begin(), loose_.end(), std::back_inserter(needed_.unnamed_),
                 [&](const UnnamedManifest& one) {
                   return !named.contains(one.summary.entry.contentDigest);
                 });
    return {};
  }

  void addFormer() {
    std::set<Digest>& former = needed_.former_;
    for (const UnnamedManifest& one : loose_) {
      const Digest& content = one.summary.entry.contentDigest;
      if (!leaves(content) || staying_.contains(content)) continue;
      former.insert(one.digest);
      former.insert(one.summary.packsHere.begin(), one.summary.packsHere.end());
    }
    std::erase_if(former, [&](const Digest& object) { return needed_.contains(object); });
  }

  /// Parents that no ref names are looked for among the objects, with theirs.
  Result<void> addParents() {
    while (!parents_.empty()) {
      const auto [content, child] = *parents_.begin();
      parents_.erase(parents_.begin());
      if (!staying_.insert(content).second) continue;
      const auto leaving = leavingContents_.find(content);
      if (leaving != leavingContents_.end()) {
        return fail(
            ErrorCode::InvalidArgument,
            fmt::format("{}: cannot be deleted: {} is a difference to it", leaving->second, child));
      }
      STRATA_TRY(addUnnamedParent(content, child));
    }
    return {};
  }

  Result<void> addUnnamedParent(const Digest& content, const std::string& child) {
    const auto [first, last] = unnamed_.equal_range(content);
    if (first == last) {
      return fail(ErrorCode::CorruptData,
                  fmt::format("{0}: its parent {1} is not in this store; nothing is deleted until "
                              "that is back, add the parent's model again or remove {0} with "
                              "--now",
                              child, toHex(content)));
    }
    for (auto at = first; at != last; ++at) {
      const UnnamedManifest& one = *at->second;
      needed_.objects_.insert(one.digest);
      needed_.objects_.insert(one.summary.packs.begin(), one.summary.packs.end());
      const auto& parent = one.summary.entry.parentDigest;
      if (parent) parents_.emplace(*parent, child);
    }
    return {};
  }

  /// What stays must be rebuilt by what stays. A version may have the content of one that leaves
  /// and be rebuilt through it, also where the manifest of that one is lost.
  Result<void> checkRebuilds(const std::vector<VersionEntry>& versions) const {
    std::vector<Descent> staying;
    for (const auto& [content, one] : unnamed_) {
      staying.push_back({content, one->summary.entry.parentDigest});
    }
    std::vector<Descent> readable = staying;
    std::string leaving;
    for (const VersionEntry& version : versions) {
      const Descent descent{version.contentDigest, version.parentDigest};
      readable.push_back(descent);
      if (!leaving_.contains({version.name, version.number})) {
        staying.push_back(descent);
      } else {
        leaving += (leaving.empty() ? "" : ", ") + version.label();
      }
    }
    const std::set<Digest> rebuilt = rebuildableContents(staying);
    std::vector<VersionEntry> stuck;
    std::copy_if(versions.begin(), versions.end(), std::back_inserter(stuck), [&](const auto& one) {
      return !leaving_.contains({one.name, one.number}) && !rebuilt.contains(one.contentDigest);
    });
    if (stuck.empty()) return {};
    const std::set<Digest> rebuildable = rebuildableContents(readable);
    for (const VersionEntry& version : stuck) {
      if (!rebuildable.contains(version.contentDigest)) continue;
      return fail(
          ErrorCode::InvalidArgument,
          fmt::format("{}: cannot be deleted: {} is rebuilt through it", leaving, version.label()));
    }
    STRATA_TRY(const auto loose,
               looseManifests(store_.objects(), *truth_.catalog, {}, {}, Unread::Skipped));
    STRATA_TRY(checkEnds(versions, loose));
    return fail(stuckError(stuck, std::move(readable)));
  }

  /// Codings that no version names go with their contents. One that makes versions whole again is
  /// not deleted unsaid.
  static Result<void> checkEnds(const std::vector<VersionEntry>& versions,
                                const std::vector<UnnamedManifest>& loose) {
    if (loose.empty()) return {};
    const std::vector<UnnamedManifest> ends = endingCodings(versions, loose);
    if (ends.empty()) return {};
    const auto named = std::ranges::find_if(versions, [&](const VersionEntry& version) {
      return version.contentDigest == ends.front().summary.entry.contentDigest;
    });
    return fail(ErrorCode::CorruptData,
                fmt::format("{}: its lineage runs in a circle, which \"strata verify --repair\" "
                            "ends with a coding that no version names; nothing is deleted before",
                            named->label()));
  }

  /// Why nothing is deleted while nothing rebuilds `stuck`, whose parents are all here. A version
  /// that leaves may be what would, once its manifest is back.
  Error stuckError(const std::vector<VersionEntry>& stuck, std::vector<Descent> readable) const {
    // With those before it: more than one may be needed.
    const auto mends = [&](const UnreadableVersion& version) {
      if (!version.ref) return false;
      readable.push_back({version.ref->contentDigest, std::nullopt});
      return rebuildableContents(readable).contains(stuck.front().contentDigest);
    };
    std::string labels;
    for (const VersionEntry& one : stuck) labels += " " + one.label();
    for (const UnreadableVersion& version : truth_.unreadable) {
      if (!mends(version)) continue;
      const std::string lost = version.label();
      const std::string way =
          version.place == Place::Live
              ? fmt::format("\"strata remove --now {}{}\" gives all of them up", lost, labels)
              : fmt::format("\"strata remove{}\", then \"strata trash empty\", give all of them up",
                            labels);
      return {ErrorCode::CorruptData,
              fmt::format("{}: its manifest is missing or damaged, and {} is rebuilt through it; "
                          "nothing is deleted until that is back: pull its model or add it again; "
                          "{}",
                          lost, stuck.front().label(), way)};
    }
    return {ErrorCode::CorruptData,
            fmt::format("{}: its lineage runs in a circle, so that nothing rebuilds it; nothing is "
                        "deleted until its model is pulled or added again; \"strata remove "
                        "--now{}\" gives it up",
                        stuck.front().label(), labels)};
  }

  /// Whole models without a name that were not deleted for good, and what they are differences to,
  /// as far as it is here. That may be a version that leaves: its name goes then, and its objects
  /// stay.
  Result<void> addUnnamed() {
    std::set<Digest> contents;
    for (const auto& [content, one] : unnamed_) {
      const bool goes = leavingManifests_.contains(one->digest) || leaves(content);
      if (one->isWhole() && !goes) contents.insert(content);
    }
    std::set<Digest>& needed = needed_.ofUnnamed_;
    while (!contents.empty()) {
      const Digest content = *contents.begin();
      contents.erase(contents.begin());
      if (!staying_.insert(content).second) continue;
      for (auto [at, last] = unnamed_.equal_range(content); at != last; ++at) {
        const ManifestSummary& summary = at->second->summary;
        needed.insert(at->second->digest);
        needed.insert(summary.packs.begin(), summary.packs.end());
        if (summary.entry.parentDigest) contents.insert(*summary.entry.parentDigest);
      }
      for (auto [at, last] = leavingVersions_.equal_range(content); at != last; ++at) {
        STRATA_TRY(const auto objects, truth_.catalog->objectsOf(at->second.manifestDigest));
        for (const CatalogObject& object : objects) needed.insert(object.digest);
        if (at->second.parentDigest) contents.insert(*at->second.parentDigest);
      }
    }
    return {};
  }

  const Store& store_;
  const TrueCatalog& truth_;
  const std::set<Digest>& leavingManifests_;
  const std::set<Digest>& deletedContents_;
  std::set<Key> leaving_;
  std::set<Digest> staying_;                               ///< contents
  std::map<Digest, std::string> leavingContents_;          ///< and a version with each
  std::multimap<Digest, VersionEntry> leavingVersions_;    ///< that can be read, by content
  std::vector<UnnamedManifest> loose_;                     ///< of contents that do not stay
  std::multimap<Digest, const UnnamedManifest*> unnamed_;  ///< by content
  std::set<Digest> manifests_;                             ///< whose objects were taken in
  std::map<Digest, std::string> parents_;  ///< contents to look for, and a version that needs each
  NeededObjects needed_;
};

Result<NeededObjects> NeededObjects::collect(const Store& store, const Catalog& listed,
                                             const TrueCatalog& truth, const Leaving& leaving,
                                             const std::stop_token& stop) {
  STRATA_TRY(const auto lost, versionsWithoutRef(store.refs(), listed));
  if (!lost.empty()) {
    const VersionEntry& first = lost.front();
    return fail(
        ErrorCode::CorruptData,
        fmt::format("{}: its ref {} is missing; nothing is deleted until \"strata verify "
                    "--repair\" has written it anew",
                    first.label(),
                    store.refs().versionPath(first.name, first.number, first.place()).string()));
  }
  return NeededCollection(store, truth, leaving).run(stop);
}

bool UnnamedManifest::isWhole() const {
  return std::all_of(summary.packs.begin(), summary.packs.end(),
                     [&](const Digest& pack) { return summary.packsHere.contains(pack); });
}

Result<std::vector<UnnamedManifest>> unnamedManifests(const ObjectFolder& objects,
                                                      const Catalog& named,
                                                      const std::stop_token& stop, Unread unread) {
  STRATA_TRY(const auto contents, contentsOf(named));
  return looseManifests(objects, named, contents, stop, unread);
}

Result<std::vector<VersionEntry>> versionsWithoutRef(const RefFolder& refs,
                                                     const Catalog& catalog) {
  // The catalog first: what is on its way meanwhile has a ref before it is listed.
  std::vector<VersionEntry> lost;
  for (const Place place : {Place::Live, Place::Trash}) {
    STRATA_TRY(auto listed, catalog.versions(place));
    lost.insert(lost.end(), std::make_move_iterator(listed.begin()),
                std::make_move_iterator(listed.end()));
  }
  std::set<Key> named;
  for (const Place place : {Place::Live, Place::Trash}) {
    STRATA_TRY(const auto numbers, refs.versionNumbers(place));
    addKeys(numbers, named);
  }
  std::set<Key> going;
  STRATA_TRY(const auto goingNumbers, refs.goingNumbers());
  addKeys(goingNumbers, going);
  std::vector<VersionEntry> found;
  for (VersionEntry& version : lost) {
    const Key key(version.name, version.number);
    if (named.contains(key) || going.contains(key)) continue;
    VersionRef ref;
    ref.name = version.name;
    ref.number = version.number;
    ref.contentDigest = version.contentDigest;
    STRATA_TRY(const bool isElsewhere, wasRenamed(refs, ref));
    if (!isElsewhere) found.push_back(std::move(version));
  }
  return found;
}

Result<std::vector<CatalogObject>> objectsLeaving(const Store& store, const Catalog& listed,
                                                  const TrueCatalog& truth,
                                                  const std::vector<VersionEntry>& versions) {
  STRATA_TRY(const NeededObjects needed,
             NeededObjects::collect(store, listed, truth, {.versions = versions}, {}));
  STRATA_TRY(std::vector<CatalogObject> objects, truth.catalog->objectsOnlyOf(versions));
  std::erase_if(objects, [&](const auto& object) { return needed.contains(object.digest); });
  std::set<Digest> former = needed.former();
  for (const CatalogObject& object : objects) former.erase(object.digest);
  for (const Digest& digest : former) {
    objects.push_back(
        {.digest = digest, .byteCount = store.objects().byteCount(digest).value_or(0)});
  }
  return objects;
}

}  // namespace strata
