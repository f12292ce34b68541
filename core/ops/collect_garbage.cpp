#include "core/ops/collect_garbage.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/archive/manifest.h"
#include "core/io/folder_lock.h"
#include "core/ops/detail/pull_plan.h"
#include "core/store/lost_versions.h"
#include "core/store/manifest_summary.h"
#include "core/store/object_hold.h"
#include "core/store/store_writer.h"
#include "core/transfer/fetched_models.h"
#include "core/transfer/part_file.h"
#include "core/transfer/transfer_log.h"

namespace strata {
namespace {

Error withAdvice(Error error, const std::string& label) {
  error.code = ErrorCode::CorruptData;
  error.message +=
      fmt::format("; nothing is deleted until {} is repaired, add its model again", label);
  return error;
}

/// What the version's manifest and the packs are that its ref leads to.
Result<void> addNeeded(const Store& store, const Catalog& catalog, const VersionEntry& version,
                       std::set<Digest>& needed) {
  STRATA_TRY(const KnownRef known, refOf(store, catalog, version));
  if (!known.isSound) {
    const Error error{ErrorCode::CorruptData, version.label() + ": its ref file is damaged"};
    return fail(withAdvice(error, version.label()));
  }
  if (!needed.insert(known.ref.manifestDigest).second) return {};
  const auto manifest = readManifest(store, known.ref.manifestDigest, known.ref.contentDigest);
  if (!manifest) return fail(withAdvice(manifest.error().within(version.label()), version.label()));
  for (const Digest& pack : packsOf(*manifest)) needed.insert(pack);
  return {};
}

Result<std::set<Digest>> neededObjects(const Store& store, const Catalog& catalog,
                                       const std::stop_token& stop) {
  STRATA_TRY(requireNoneLost(store, catalog));
  std::set<Digest> needed;
  for (const Place place : {Place::Live, Place::Trash}) {
    STRATA_TRY(const auto versions, catalog.versions(place));
    for (const VersionEntry& version : versions) {
      if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
      STRATA_TRY(addNeeded(store, catalog, version, needed));
    }
  }
  return needed;
}

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

}  // namespace

Result<GarbageReport> collectGarbage(Store& store, const GarbageOptions& options,
                                     std::stop_token stop) {
  STRATA_TRY(const auto writer, store.lock("gc"));
  STRATA_TRY(const auto needed, neededObjects(store, writer->catalog(), stop));
  // No pull begins to count on anything from here on.
  STRATA_TRY(const Claims claims, claimsOf(store, options, stop));
  STRATA_TRY(const auto objects, store.objects().list());
  GarbageReport report;
  for (const StoredObject& object : objects) {
    if (needed.contains(object.digest)) {
      ++report.keptObjects;
      report.keptBytes += object.byteCount;
      continue;
    }
    if (claims.contains(object.digest)) {
      ++report.heldObjects;
      report.heldBytes += object.byteCount;
      continue;
    }
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    if (!options.dryRun) STRATA_TRY(store.objects().remove(object.digest));
    report.freedBytes += object.byteCount;
    report.freed.push_back(object);
  }
  STRATA_TRY(sortParts(store, claims, options, report));
  return report;
}

}  // namespace strata
