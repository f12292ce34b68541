#include "core/ops/detail/version_removal.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "core/ops/detail/leaving_versions.h"
#include "core/store/catalog/true_catalog.h"
#include "core/store/objects/needed_objects.h"
#include "core/text/glob.h"

namespace strata {
namespace {

std::vector<VersionEntry> joined(std::vector<VersionEntry> versions,
                                 const std::vector<VersionEntry>& more) {
  versions.insert(versions.end(), more.begin(), more.end());
  return versions;
}

std::set<Digest> digestsOf(const std::vector<CatalogObject>& objects) {
  std::set<Digest> digests;
  for (const CatalogObject& object : objects) digests.insert(object.digest);
  return digests;
}

/// Counts the report's objects that are not among those that `gone` leaves free. `trashed`: what is
/// in the trash with the report's versions, or goes with them.
Result<void> countNeeded(const Catalog& catalog, const std::vector<VersionEntry>& trashed,
                         const std::vector<VersionEntry>& gone, RemoveReport& report) {
  STRATA_TRY(const auto free, catalog.objectsOnlyOf(gone));
  STRATA_TRY(const auto ofTrash, catalog.objectsOnlyOf(trashed));
  const std::set<Digest> unshared = digestsOf(ofTrash);
  std::set<Digest> counted = digestsOf(free);
  std::vector<CatalogObject> needed;
  std::vector<CatalogObject> shared;
  for (const VersionEntry& version : report.versions) {
    STRATA_TRY(const auto objects, catalog.objectsOf(version.manifestDigest));
    for (const CatalogObject& object : objects) {
      if (!counted.insert(object.digest).second) continue;
      needed.push_back(object);
      if (!unshared.contains(object.digest)) shared.push_back(object);
    }
  }
  report.neededBytes = byteSum(needed);
  report.sharedBytes = report.needed.empty() ? report.neededBytes : byteSum(shared);
  return {};
}

std::string labelsOf(const std::vector<VersionEntry>& versions) {
  std::string labels;
  for (const VersionEntry& one : versions) labels += (labels.empty() ? "" : ", ") + one.label();
  return labels;
}

/// What others need of the versions loses its name alone. By refs and manifests, not the catalog.
Result<std::vector<CatalogObject>> deleteForGood(StoreWriter& writer, std::string_view kind,
                                                 const std::vector<VersionEntry>& versions) {
  const Store& store = writer.store();
  STRATA_TRY(const TrueCatalog truth, readTrueCatalog(store.refs(), store.objects(), {}));
  STRATA_TRY(const auto all, truth.versions());
  const Leaving leaving = sortLeaving(all, versions);
  return writer.eraseTrashed(fmt::format("{} --now", kind), leaving.gone, leaving.needed);
}

}  // namespace

Result<std::vector<VersionEntry>> matchingVersions(const std::vector<VersionEntry>& all,
                                                   const std::string& pattern) {
  std::vector<VersionEntry> matching;
  std::copy_if(all.begin(), all.end(), std::back_inserter(matching),
               [&](const VersionEntry& version) {
                 return matchesGlob(version.name, pattern) || matchesGlob(version.label(), pattern);
               });
  if (matching.empty()) return fail(ErrorCode::NotFound, pattern + ": matches no version");
  return matching;
}

Result<RemoveReport> foretellRemoval(const Store& store, const Catalog& catalog,
                                     std::vector<VersionEntry> versions, bool now) {
  RemoveReport report;
  report.versions = std::move(versions);
  STRATA_TRY(std::vector<VersionEntry> trashed, catalog.versions(Place::Trash));
  STRATA_TRY(const Freeable freeable, Freeable::load(store, catalog));
  // With the trash, all that is in it goes, too; without it, that stays.
  const std::vector<VersionEntry> before = now ? std::vector<VersionEntry>{} : std::move(trashed);
  const std::vector<VersionEntry> removed = joined(before, report.versions);
  const Leaving leaving = sortLeaving(freeable.all(), removed);
  for (const VersionEntry& version : leaving.needed) {
    if (isAmong(report.versions, version)) report.needed.push_back(version);
  }
  STRATA_TRY(const std::uint64_t freeBefore, freeable.bytesWith(before));
  STRATA_TRY(const std::uint64_t free, freeable.bytesOf(leaving.gone));
  if (!now) report.trashBytes = free;
  report.freeableBytes = free - std::min(free, freeBefore);
  STRATA_TRY(countNeeded(catalog, removed, leaving.gone, report));
  return report;
}

Result<void> carryOutRemoval(StoreWriter& writer, std::string_view kind, bool now,
                             RemoveReport& report) {
  if (now) {
    // What keeps them from being deleted does so before they are in the trash.
    const Store& store = writer.store();
    STRATA_TRY(const TrueCatalog truth, readTrueCatalog(store.refs(), store.objects(), {}));
    STRATA_TRY(const auto all, truth.versions());
    const Leaving leaving = sortLeaving(all, report.versions);
    STRATA_TRY(
        NeededObjects::collect(store, writer.catalog(), truth, {.versions = leaving.gone}, {}));
  }
  STRATA_TRY(writer.trashVersions(report.versions, kind));
  if (!now) return {};
  const auto erased = deleteForGood(writer, kind, report.versions);
  if (!erased) {
    return fail(erased.error().within(
        fmt::format("{}: in the trash now, but not deleted", labelsOf(report.versions))));
  }
  report.freedBytes = byteSum(*erased);
  report.freeableBytes = 0;
  return {};
}

}  // namespace strata
