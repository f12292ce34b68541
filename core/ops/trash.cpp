#include "core/ops/trash.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/ops/detail/leaving_versions.h"
#include "core/store/store_writer.h"
#include "core/store/true_catalog.h"

namespace strata {
namespace {

std::uint64_t byteSum(const std::vector<CatalogObject>& objects) {
  std::uint64_t sum = 0;
  for (const CatalogObject& object : objects) {
    if (!object.isAwaited) sum += object.byteCount;
  }
  return sum;
}

/// What is in the trash by its refs. One whose manifest is damaged can be deleted all the same.
Result<std::vector<VersionEntry>> trashed(const TrueCatalog& truth) {
  STRATA_TRY(std::vector<VersionEntry> versions, truth.catalog->versions(Place::Trash));
  for (const UnreadableVersion& one : truth.unreadable) {
    if (one.place != Place::Trash || !one.ref) continue;
    VersionEntry version;
    version.name = one.name;
    version.number = one.number;
    version.contentDigest = one.ref->contentDigest;
    version.manifestDigest = one.ref->manifestDigest;
    version.addedAt = one.ref->addedAt;
    version.removedAt = one.ref->removedAt;
    version.note = one.ref->note;
    versions.push_back(std::move(version));
  }
  return versions;
}

bool isAmong(const std::vector<VersionEntry>& versions, const VersionEntry& sought) {
  return std::any_of(versions.begin(), versions.end(),
                     [&](const auto& one) { return isSameVersion(one, sought); });
}

/// Versions with the content that a version is a difference to, wherever they are.
Result<std::vector<VersionEntry>> parentsOf(const Catalog& catalog, const VersionEntry& version) {
  if (!version.parentDigest) return std::vector<VersionEntry>{};
  return catalog.withContent(*version.parentDigest);
}

/// The trashed versions that the references name, parents first. Their own parents must be live or
/// come along.
Result<std::vector<VersionEntry>> returning(const StoreWriter& writer,
                                            const std::vector<std::string>& references) {
  const Catalog& catalog = writer.catalog();
  std::vector<VersionEntry> versions;
  for (const std::string& reference : references) {
    STRATA_TRY(VersionEntry version, writer.resolve(reference, Place::Trash));
    if (!isAmong(versions, version)) versions.push_back(std::move(version));
  }
  for (const VersionEntry& version : versions) {
    STRATA_TRY(const auto parents, parentsOf(catalog, version));
    const bool isThere = std::any_of(parents.begin(), parents.end(), [&](const auto& parent) {
      return parent.place() == Place::Live || isAmong(versions, parent);
    });
    if (isThere || !version.parentDigest) continue;
    const std::string parent =
        parents.empty()
            ? fmt::format("the model {}, which is not in this store", toHex(*version.parentDigest))
            : parents.front().label() + ", which is in the trash; restore both";
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: is a difference to {}", version.label(), parent));
  }
  std::stable_sort(versions.begin(), versions.end(),
                   [](const auto& a, const auto& b) { return a.depth < b.depth; });
  return versions;
}

std::int64_t keptSeconds(const Config& config) {
  return static_cast<std::int64_t>(config.number("trash.days")) * kSecondsOfDay;
}

}  // namespace

std::int64_t keptUntil(const VersionEntry& removed, const Config& config) {
  return removed.removedAt + keptSeconds(config);
}

std::int64_t expiredBefore(const Config& config) { return currentTime() - keptSeconds(config); }

Result<TrashReport> listTrash(const Store& store) {
  TrashReport report;
  STRATA_TRY(report.versions, store.catalog().versions(Place::Trash));
  std::stable_sort(report.versions.begin(), report.versions.end(),
                   [](const auto& a, const auto& b) { return a.removedAt > b.removedAt; });
  STRATA_TRY(const auto objects, store.catalog().objectsOnlyOf(report.versions));
  report.freeableBytes = byteSum(objects);
  return report;
}

Result<std::vector<VersionEntry>> withTrashedParents(const Catalog& catalog,
                                                     std::vector<VersionEntry> wanted) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    STRATA_TRY(const auto parents, parentsOf(catalog, wanted[i]));
    const auto isHere = [&](const VersionEntry& parent) {
      return parent.place() == Place::Live || isAmong(wanted, parent);
    };
    if (parents.empty() || std::any_of(parents.begin(), parents.end(), isHere)) continue;
    wanted.push_back(parents.front());
  }
  return wanted;
}

Result<TrashRestoreReport> restoreFromTrash(Store& store,
                                            const std::vector<std::string>& references) {
  STRATA_TRY(const auto writer, store.lock("trash restore"));
  STRATA_TRY(const auto versions, returning(*writer, references));
  TrashRestoreReport report;
  STRATA_TRY(report.lostTags, writer->untrashVersions(versions));
  for (const VersionEntry& version : versions) {
    const auto entry = store.catalog().version(version.name, version.number);
    report.versions.push_back(entry ? entry->value_or(version) : version);
  }
  return report;
}

Result<EmptyTrashReport> emptyTrash(Store& store, const EmptyTrashOptions& options) {
  std::unique_ptr<StoreWriter> writer;
  if (!options.dryRun) {
    STRATA_TRY(writer, store.lock("trash empty", {}, Store::Purse::Reserve));
  }
  EmptyTrashReport report;
  STRATA_TRY(const TrueCatalog truth, readTrueCatalog(store.refs(), store.objects(), {}));
  STRATA_TRY(const auto all, truth.versions());
  STRATA_TRY(report.versions, trashed(truth));
  if (options.removedBeforeSeconds) {
    std::erase_if(report.versions, [&](const VersionEntry& version) {
      return version.removedAt >= *options.removedBeforeSeconds;
    });
  }
  report.kept = keepNeeded(all, report.versions);
  STRATA_TRY(auto objects, writer ? writer->eraseTrashed(report.versions)
                                  : truth.catalog->objectsOnlyOf(report.versions));
  std::erase_if(objects, [](const CatalogObject& object) { return object.isAwaited; });
  report.objectCount = objects.size();
  report.freedBytes = byteSum(objects);
  return report;
}

}  // namespace strata
