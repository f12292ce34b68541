#include "core/ops/care/collect_garbage.h"

#include <algorithm>
#include <set>

#include "core/io/folder_lock.h"
#include "core/ops/care/detail/freeing_recode.h"
#include "core/ops/detail/freed_before.h"
#include "core/ops/detail/leaving_versions.h"
#include "core/ops/detail/pull_plan.h"
#include "core/store/catalog/true_catalog.h"
#include "core/store/objects/needed_objects.h"
#include "core/store/objects/object_hold.h"
#include "core/store/store_writer.h"
#include "core/transfer/fetched_models.h"
#include "core/transfer/part_file.h"
#include "core/transfer/transfer_log.h"

namespace strata {
namespace {

/// What transfers that are not over count on.
struct Claims {
  HeldObjects held;
  bool isUnknown = false;  ///< an older program's pull is among them: it did not say

  bool contains(const Digest& digest) const noexcept { return isUnknown || held.contains(digest); }
};

Result<Claims> claimsOf(const Store& store, const GarbageOptions& options,
                        const std::stop_token& stop) {
  STRATA_TRY(HeldObjects held, HeldObjects::collect(store.folder(), stop));
  // In this order: a hold's transfer is listed before the hold is there.
  STRATA_TRY(const std::vector<TransferEntry> transfers, listTransfers(store));
  Claims claims{std::move(held)};
  claims.held.leaveOut(
      [&](std::int64_t id) {
        return std::none_of(transfers.begin(), transfers.end(),
                            [&](const TransferEntry& one) { return one.id == id; });
      },
      !options.dryRun);
  const auto& all = claims.held.all();
  for (const TransferEntry& entry : transfers) {
    const bool hasArrivals =
        entry.request.direction == TransferRequest::Direction::Pull && entry.doneBytes > 0;
    const bool saysWhat = std::any_of(all.begin(), all.end(), [&](const HeldObjects::Hold& hold) {
      return hold.transfer == entry.id;
    });
    claims.isUnknown = claims.isUnknown || (hasArrivals && !saysWhat);
  }
  return claims;
}

void countPart(std::uint64_t byteCount, bool isKept, GarbageReport& report) {
  ++(isKept ? report.heldParts : report.freedParts);
  (isKept ? report.heldPartBytes : report.freedPartBytes) += byteCount;
}

Result<void> sortParts(const Store& store, const Claims& claims, const GarbageOptions& options,
                       GarbageReport& report) {
  STRATA_TRY(const std::vector<LeftPart> parts, partsIn(partsFolder(store)));
  for (const LeftPart& part : parts) {
    const bool isHere = store.objects().byteCount(part.digest).has_value();
    const bool isClaimed = part.goesOn && !isHere && claims.contains(part.digest);
    const bool isKept = isClaimed || isWritten(part) || (!options.dryRun && !removePart(part));
    countPart(part.byteCount, isKept, report);
  }
  // What an import from a hub had fetched that was interrupted.
  STRATA_TRY(const auto models, fetchedModelFolders(store.folder()));
  for (const FetchedModelFolder& model : models) {
    const bool isKept =
        options.dryRun ? FolderLock::isTaken(model.path) : !FolderLock::removeFree(model.path);
    countPart(model.byteCount, isKept, report);
  }
  return {};
}

/// Models with all their packs that neither a name nor another model leads to. What recoverVersions
/// would name is told from the rest.
Result<void> sortUnnamed(const TrueCatalog& truth, const NeededObjects& needed,
                         const Claims& claims, GarbageReport& report) {
  STRATA_TRY(const auto restorable, restorableContents(*truth.catalog, needed.unnamed()));
  for (const UnnamedManifest& one : needed.unnamed()) {
    if (!one.isWhole() || needed.isNamed(one.digest) || claims.contains(one.digest)) continue;
    const bool isRestorable = restorable.contains(one.summary.entry.contentDigest);
    (isRestorable ? report.unnamed : report.baseless).push_back(unnamedModel(one));
  }
  return {};
}

/// Versions that no name leads to and that nothing is a difference to any more.
Result<std::vector<VersionEntry>> leftParents(const TrueCatalog& truth) {
  STRATA_TRY(const auto all, truth.versions());
  return sortLeaving(all, {}).gone;
}

/// Deletes them, and their objects with them.
Result<void> eraseParents(StoreWriter& writer, const std::vector<VersionEntry>& parents,
                          GarbageReport& report) {
  STRATA_TRY(const auto objects, writer.eraseTrashed("gc", parents));
  for (const CatalogObject& object : objects) {
    if (object.isAwaited) continue;
    report.freed.push_back({object.digest, object.byteCount});
    report.freedBytes += object.byteCount;
  }
  return {};
}

/// Deletes them, unless in a dry run, and counts those that went. The others are left in `objects`.
Result<void> removeUnneeded(StoreWriter& writer, std::vector<StoredObject>& objects,
                            const GarbageOptions& options, const std::stop_token& stop,
                            GarbageReport& report) {
  std::vector<Digest> digests;
  for (const StoredObject& object : objects) digests.push_back(object.digest);
  std::set<Digest> removed(digests.begin(), digests.end());
  Result<void> done;
  if (!options.dryRun) {
    removed.clear();
    done = writer.removeObjects(digests, stop, removed);
  }
  for (const StoredObject& object : objects) {
    if (!removed.contains(object.digest)) continue;
    report.freedBytes += object.byteCount;
    report.freed.push_back(object);
  }
  std::erase_if(objects, [&](const auto& object) { return removed.contains(object.digest); });
  return done;
}

/// Forms groups of parity anew. Those of `unneeded` that stood in groups of what nobody needs go
/// then. What is left brings back what somebody needs.
Result<void> protectAnew(StoreWriter& writer, const NeededObjects& needed,
                         std::vector<StoredObject>& unneeded, const GarbageOptions& options,
                         const std::stop_token& stop, GarbageReport& report) {
  const auto isNeeded = [&](const Digest& digest) { return needed.contains(digest); };
  const Result<void> grouped = writer.computeParityAnew(isNeeded, stop);
  // The store says by itself where that failed, and nothing else did.
  if (!grouped && grouped.error().code == ErrorCode::Cancelled) return grouped;
  if (!unneeded.empty()) STRATA_TRY(removeUnneeded(writer, unneeded, options, stop, report));
  report.parityObjects = unneeded.size();
  for (const StoredObject& object : unneeded) report.parityBytes += object.byteCount;
  return {};
}

/// Removed versions that recoding would try to free.
Result<void> countStanding(const TrueCatalog& truth, const NeededObjects& needed,
                           GarbageReport& report) {
  STRATA_TRY(const auto groups, groupsToFree(truth, needed));
  std::vector<VersionEntry> standing;
  for (const StandingGroup& group : groups) {
    standing.insert(standing.end(), group.removed.begin(), group.removed.end());
  }
  STRATA_TRY(const auto objects, truth.catalog->objectsOnlyOf(standing));
  report.standingVersions = standing.size();
  report.standingBytes = byteSum(objects);
  return {};
}

/// Objects that went while versions were recoded.
void addGone(const Store& store, const FreeingRecode& recoding, GarbageReport& report) {
  std::set<Digest> known;
  for (const StoredObject& object : report.freed) known.insert(object.digest);
  for (const CatalogObject& object : recoding.freed) {
    if (store.objects().byteCount(object.digest)) continue;
    if (!known.insert(object.digest).second) continue;
    report.freed.push_back({object.digest, object.byteCount});
    report.freedBytes += object.byteCount;
  }
}

}  // namespace

Result<GarbageReport> collectGarbage(Store& store, const GarbageOptions& options,
                                     std::stop_token stop, const ProgressSink& progress) {
  FreeingRecode recoding;
  if (options.recode) {
    STRATA_TRY(recoding, recodeToFree(store, options, stop, progress));
  }
  // What nothing will need once the versions are recoded.
  std::set<Digest> leaving;
  if (options.dryRun) {
    for (const CatalogObject& object : recoding.freed) leaving.insert(object.digest);
    for (const Digest& object : recoding.needed) leaving.erase(object);
  }
  STRATA_TRY(const auto writer, store.lock("gc", stop, Store::Purse::Reserve));
  STRATA_TRY(TrueCatalog truth, readTrueCatalog(store.refs(), store.objects(), stop));
  STRATA_TRY(std::vector<VersionEntry> parents, leftParents(truth));
  GarbageReport report;
  report.recoded = std::move(recoding.recoded);
  report.writtenBytes = recoding.writtenBytes;
  if (options.dryRun) {  // they would be needed
    report.keptObjects = recoding.writtenObjects;
    report.keptBytes = recoding.writtenBytes;
  }
  if (!options.dryRun && !parents.empty()) {
    STRATA_TRY(eraseParents(*writer, parents, report));
    parents.clear();
    STRATA_TRY(truth, readTrueCatalog(store.refs(), store.objects(), stop));
  }
  STRATA_TRY(const NeededObjects needed,
             NeededObjects::collect(store, writer->catalog(), truth, {.versions = parents}, stop));
  if (!options.recode) STRATA_TRY(countStanding(truth, needed, report));
  // No pull begins to count on anything from here on.
  STRATA_TRY(const Claims claims, claimsOf(store, options, stop));
  STRATA_TRY(sortUnnamed(truth, needed, claims, report));
  report.setAside = needed.unaccounted();
  const bool isUnknownKept = !report.setAside.empty() && !options.unnamedToo;
  STRATA_TRY(const auto objects, store.objects().list());
  std::vector<StoredObject> unneeded;
  const auto freeUnneeded = [&]() -> Result<void> {
    for (const StoredObject& object : objects) {
      // A coding that the recoding comes to again may lie in the store already.
      const bool isToBeNeeded = options.dryRun && recoding.needed.contains(object.digest);
      const bool isNamed =
          isToBeNeeded || (needed.isNamed(object.digest) && !leaving.contains(object.digest));
      if (!isNamed && claims.contains(object.digest)) {
        ++report.heldObjects;
        report.heldBytes += object.byteCount;
        continue;
      }
      const bool isNeeded = needed.contains(object.digest) && !leaving.contains(object.digest);
      if (isNamed || (!options.unnamedToo && isNeeded)) {
        ++report.keptObjects;
        report.keptBytes += object.byteCount;
        continue;
      }
      if (isUnknownKept && !leaving.contains(object.digest)) {
        ++report.unknownObjects;
        report.unknownBytes += object.byteCount;
        continue;
      }
      unneeded.push_back(object);
    }
    return removeUnneeded(*writer, unneeded, options, stop, report);
  };
  Result<void> done = freeUnneeded();
  if (done) done = sortParts(store, claims, options, report);
  if (done && !options.dryRun) {
    done = protectAnew(*writer, needed, unneeded, options, stop, report);
  }
  if (!options.dryRun) addGone(store, recoding, report);
  std::sort(report.freed.begin(), report.freed.end(),
            [](const StoredObject& a, const StoredObject& b) { return a.digest < b.digest; });
  if (done) return report;
  return fail(afterFreeing(std::move(done).error(), options.dryRun ? 0 : report.freed.size()));
}

}  // namespace strata
