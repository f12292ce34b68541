#include "core/ops/care/detail/freeing_recode.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/archive/read/lineage_limit.h"
#include "core/ops/care/detail/standing_versions.h"
#include "core/ops/detail/coding_anew.h"
#include "core/ops/detail/leaving_versions.h"
#include "core/ops/detail/lineage.h"
#include "core/ops/detail/lineage_reach.h"
#include "core/ops/detail/stored_model.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/catalog/true_catalog.h"
#include "core/store/objects/needed_objects.h"
#include "core/store/objects/version_chain.h"
#include "core/store/store_writer.h"

namespace strata {
namespace {

/// A dependant as it was coded.
struct Dependant {
  VersionEntry version;
  std::optional<Digest> parent;  ///< of what was coded
  CodedAnew coded;
  /// Those that are coded along with it, with a manifest of their own: one for each.
  std::vector<VersionEntry> along = {};
};

/// One group of removed versions, and what stands on them.
class Freeing {
 public:
  Freeing(Store& store, const GarbageOptions& options, const TrueCatalog& truth,
          const LineageReach& reach, const Lineage& lineage, const StandingGroup& group)
      : store_(store),
        options_(options),
        truth_(truth),
        reach_(reach),
        lineage_(lineage),
        group_(group) {}

  Result<void> run(const std::stop_token& stop, const ProgressSink& progress, FreeingRecode& all) {
    for (const VersionEntry& version : group_.dependants) {
      if (!serves(group_.parent, version)) return {};
    }
    for (const VersionEntry& version : group_.dependants) {
      STRATA_TRY(const bool isAlong, goesAlong(version));
      if (isAlong) continue;
      auto coded = code(version, stop, progress);
      if (!coded) return fail(coded.error().within("recoding " + version.label()));
      coded_.push_back(*std::move(coded));
    }
    STRATA_TRY(const std::vector<CatalogObject> freed, freedObjects());
    const ObjectAmount written = newObjects();
    if (byteSum(freed) <= written.bytes) return {};
    STRATA_TRY(const std::vector<RecodedVersion> recoded, described());
    if (!options_.dryRun) {
      STRATA_TRY(const bool isDone, conclude(stop));
      if (!isDone) return {};
    }
    all.recoded.insert(all.recoded.end(), recoded.begin(), recoded.end());
    all.freed.insert(all.freed.end(), freed.begin(), freed.end());
    for (const Dependant& one : coded_) {
      for (const Digest& object : objectsOf(one)) all.needed.insert(object);
    }
    all.writtenBytes += written.bytes;
    all.writtenObjects += written.count;
    return {};
  }

 private:
  /// Whether a version can be a difference to that content: no line of parents becomes a circle, or
  /// too long.
  bool serves(const std::optional<Digest>& parent, const VersionEntry& version) const {
    if (!parent) return true;
    const Digest& content = version.contentDigest;
    if (reach_.isCircle(*parent, content)) return false;
    return reach_.parentCount(*parent) + 1 + reach_.dependantCount(content) <= kMostParents;
  }

  /// Whether a version is coded along with one that was coded.
  Result<bool> goesAlong(const VersionEntry& version) {
    for (Dependant& one : coded_) {
      if (one.version.contentDigest != version.contentDigest) continue;
      STRATA_TRY(const auto alike, versionsCodedAs(store_, *truth_.catalog, one.version));
      const bool isAmong = std::any_of(alike.begin(), alike.end(), [&](const VersionEntry& other) {
        return other.manifestDigest == version.manifestDigest;
      });
      if (isAmong) one.along.push_back(version);
      if (isAmong) return true;
    }
    return false;
  }

  Result<Dependant> code(const VersionEntry& version, const std::stop_token& stop,
                         const ProgressSink& progress) {
    STRATA_TRY(const Manifest former,
               readManifest(store_, version.manifestDigest, version.contentDigest));
    STRATA_TRY(const auto source, openVersion(store_, version));
    STRATA_TRY(const auto model, StoredModel::open(*source, version.label(), options_.device,
                                                   options_.reader, stop, progress));
    std::optional<Dependant> best;
    for (const auto& parent : candidates(version)) {
      const CodingAnew coding{.parent = parent,
                              .memoryBytes = options_.memoryBytes,
                              .device = options_.device,
                              .dryRun = options_.dryRun};
      STRATA_TRY(CodedAnew coded,
                 codeAnew(store_, version, former, *model, coding, stop, progress));
      if (best && coded.written.storedBytes >= best->coded.written.storedBytes) continue;
      best = Dependant{version, parent, std::move(coded)};
    }
    return *std::move(best);
  }

  /// What a version may be coded against: what stays, and the first of the group.
  std::vector<std::optional<Digest>> candidates(const VersionEntry& version) const {
    std::vector<std::optional<Digest>> all;
    const VersionEntry& first = group_.dependants.front();
    const bool isFirst = first.contentDigest == version.contentDigest;
    const bool hasSibling = !isFirst && serves(first.contentDigest, version);
    if (group_.parent || !hasSibling) all.push_back(group_.parent);
    if (hasSibling) all.emplace_back(first.contentDigest);
    return all;
  }

  /// Of the removed versions, and what the others were coded as.
  Result<std::vector<CatalogObject>> freedObjects() const {
    std::vector<VersionEntry> leaving = group_.removed;
    std::set<Digest> kept;
    for (const Dependant& one : coded_) {
      STRATA_TRY(const auto all, versionsCodedAs(store_, *truth_.catalog, one.version));
      leaving.insert(leaving.end(), all.begin(), all.end());
      for (const Digest& object : objectsOf(one)) kept.insert(object);
    }
    STRATA_TRY(std::vector<CatalogObject> freed, truth_.catalog->objectsOnlyOf(leaving));
    std::erase_if(freed, [&](const CatalogObject& one) {
      return one.isAwaited || kept.contains(one.digest);
    });
    return freed;
  }

  static std::vector<Digest> objectsOf(const Dependant& one) {
    std::vector<Digest> objects = one.coded.written.manifest.packs;
    objects.push_back(one.coded.written.manifestDigest);
    return objects;
  }

  struct ObjectAmount {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
  };
  /// Objects that are not in the store yet. Dependants of one content have the same packs now.
  ObjectAmount newObjects() const {
    ObjectAmount sum;
    std::set<Digest> contents;
    for (const Dependant& one : coded_) {
      sum.count += one.along.size();
      if (!contents.insert(one.version.contentDigest).second) {
        ++sum.count;  // a manifest of its own
        continue;
      }
      std::uint64_t bytes = one.coded.written.storedBytes;
      for (const Digest& object : objectsOf(one)) {
        const auto here = store_.objects().byteCount(object);
        if (here) bytes -= std::min(bytes, *here);
        if (!here) ++sum.count;
      }
      sum.bytes += bytes;
    }
    return sum;
  }

  Result<std::vector<RecodedVersion>> described() const {
    std::vector<RecodedVersion> all;
    for (const Dependant& one : coded_) {
      std::vector<VersionEntry> versions{one.version};
      versions.insert(versions.end(), one.along.begin(), one.along.end());
      for (VersionEntry& version : versions) {
        RecodedVersion& recoded = all.emplace_back();
        recoded.formerParentLabel = lineage_.parentLabel(version);
        if (one.parent) recoded.parentLabel = lineage_.labelOf(*one.parent);
        STRATA_TRY(recoded.bytesBefore, objectBytesOf(*truth_.catalog, version));
        recoded.bytesAfter = one.coded.written.storedBytes;
        recoded.version = std::move(version);
      }
    }
    return all;
  }

  /// All of the group, or nothing. False if others have changed what that was decided by.
  Result<bool> conclude(const std::stop_token& stop) {
    STRATA_TRY(const auto writer, store_.lock("gc", stop));
    STRATA_TRY(const bool isSame, isAsPlanned(writer->catalog()));
    if (!isSame) return false;
    std::vector<StoreWriter::Replacement> all;
    for (const Dependant& one : coded_) {
      STRATA_TRY(const auto versions, versionsCodedAs(store_, writer->catalog(), one.version));
      STRATA_TRY(std::vector<VersionRef> refs, refsOf(*writer, versions));
      STRATA_TRY(writer->take(*one.coded.staged));
      all.push_back({std::move(refs), one.coded.summary(store_)});
    }
    STRATA_TRY(writer->replaceManifests("gc", std::move(all)));
    return true;
  }

  /// Whether the same versions stand on the removed ones, and what they are to stand on is here.
  Result<bool> isAsPlanned(const Catalog& catalog) const {
    std::set<Digest> planned;
    std::set<Digest> removed;
    std::set<Digest> found;
    for (const VersionEntry& one : group_.dependants) planned.insert(one.manifestDigest);
    for (const VersionEntry& one : group_.removed) {
      planned.insert(one.manifestDigest);
      removed.insert(one.contentDigest);
    }
    for (const Place place : {Place::Live, Place::Trash}) {
      STRATA_TRY(const auto versions, catalog.versions(place));
      for (const VersionEntry& version : versions) {
        const bool stands = version.parentDigest && removed.contains(*version.parentDigest);
        if (stands && !planned.contains(version.manifestDigest)) return false;
        found.insert(version.manifestDigest);
      }
    }
    if (!std::includes(found.begin(), found.end(), planned.begin(), planned.end())) return false;
    STRATA_TRY(const LineageReach reach, LineageReach::load(catalog));
    for (const Dependant& one : coded_) {
      if (!one.parent) continue;
      STRATA_TRY(const auto parents, catalog.withContent(*one.parent));
      if (parents.empty() || reach.isCircle(*one.parent, one.version.contentDigest)) return false;
    }
    return true;
  }

  Store& store_;
  const GarbageOptions& options_;
  const TrueCatalog& truth_;
  const LineageReach& reach_;
  const Lineage& lineage_;
  const StandingGroup& group_;
  std::vector<Dependant> coded_;
};

/// What models without a name are differences to.
std::vector<Digest> parentsOf(const std::vector<UnnamedManifest>& unnamed) {
  std::vector<Digest> parents;
  for (const UnnamedManifest& one : unnamed) {
    if (one.summary.entry.parentDigest) parents.push_back(*one.summary.entry.parentDigest);
  }
  return parents;
}

}  // namespace

Result<std::vector<StandingGroup>> groupsToFree(const TrueCatalog& truth,
                                                const NeededObjects& needed) {
  STRATA_TRY(const std::vector<VersionEntry> all, truth.versions());
  const std::vector<Digest> wanted = parentsOf(needed.unnamed());
  STRATA_TRY(const Lineage lineage, Lineage::load(*truth.catalog));
  // Packs that a version was pulled without.
  STRATA_TRY(const auto awaited, truth.catalog->awaitedPacks());
  std::set<Digest> absent;
  for (const AwaitedPack& one : awaited) absent.insert(one.contentDigest);
  const auto isHere = [&](const VersionEntry& version) {
    const auto line = lineage.lineOf(version);
    return std::none_of(line.begin(), line.end(), [&](const VersionEntry* one) {
      return absent.contains(one->contentDigest);
    });
  };
  return standingGroups(all, wanted, isHere);
}

Result<FreeingRecode> recodeToFree(Store& store, const GarbageOptions& options,
                                   const std::stop_token& stop, const ProgressSink& progress) {
  if (options.device != nullptr) STRATA_TRY(options.device->require());
  if (!options.dryRun) STRATA_TRY(store.settle("gc", stop));
  STRATA_TRY(const TrueCatalog truth, readTrueCatalog(store.refs(), store.objects(), stop));
  STRATA_TRY(const std::vector<VersionEntry> versions, truth.versions());
  const std::vector<VersionEntry> gone = sortLeaving(versions, {}).gone;
  STRATA_TRY(const NeededObjects needed,
             NeededObjects::collect(store, store.catalog(), truth, {.versions = gone}, stop));
  STRATA_TRY(const std::vector<StandingGroup> groups, groupsToFree(truth, needed));
  STRATA_TRY(const LineageReach reach, LineageReach::load(*truth.catalog));
  STRATA_TRY(const Lineage lineage, Lineage::load(*truth.catalog));
  FreeingRecode all;
  for (const StandingGroup& group : groups) {
    STRATA_TRY(Freeing(store, options, truth, reach, lineage, group).run(stop, progress, all));
  }
  return all;
}

}  // namespace strata
