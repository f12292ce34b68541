#include "core/ops/remove_versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "core/ops/detail/leaving_versions.h"
#include "core/store/needed_objects.h"
#include "core/store/reference.h"
#include "core/store/store_writer.h"
#include "core/store/true_catalog.h"

namespace strata {
namespace {

using Key = std::pair<std::string, std::uint32_t>;

Key keyOf(const VersionEntry& version) { return {version.name, version.number}; }

/// The versions that the references name, each once, deepest first, so that a removal that breaks
/// off never leaves a version without its parent. Without a writer, as readers see them.
Result<std::vector<VersionEntry>> namedVersions(const Store& store, const StoreWriter* writer,
                                                const RemoveOptions& options) {
  std::map<Key, VersionEntry> named;
  for (const std::string& text : options.references) {
    STRATA_TRY(const VersionEntry found,
               writer != nullptr ? writer->resolve(text) : store.resolveChecked(text));
    STRATA_TRY(const Reference reference, parseReference(text));
    named.emplace(keyOf(found), found);
    if (!options.allVersions || reference.kind != Reference::Kind::Newest) continue;
    STRATA_TRY(const auto all, store.catalog().versionsOf(reference.name));
    for (const VersionEntry& version : all) named.emplace(keyOf(version), version);
  }
  std::vector<VersionEntry> versions;
  for (auto& [key, version] : named) versions.push_back(std::move(version));
  std::stable_sort(versions.begin(), versions.end(),
                   [](const auto& a, const auto& b) { return a.depth > b.depth; });
  return versions;
}

/// A parent may go if its content stays under another name or nothing that stays needs it.
Result<void> checkUnused(std::span<const VersionEntry> live,
                         const std::vector<VersionEntry>& leaving) {
  const LeavingVersions all(live, leaving);
  for (const VersionEntry& version : leaving) {
    std::vector<std::string> labels;
    for (const VersionEntry* one : all.stayingDifferences(version)) labels.push_back(one->label());
    if (labels.empty()) continue;
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("{}: cannot be removed: {} stored as {} to it: {}", version.label(),
                    labels.size() == 1 ? "one version is" : "versions are",
                    labels.size() == 1 ? "a difference" : "differences", fmt::join(labels, ", ")));
  }
  return {};
}

/// With `now`, what only waits in the trash must not need them either, by refs and manifests.
Result<void> checkUnusedAnywhere(const Store& store, const Catalog& catalog,
                                 const std::vector<VersionEntry>& leaving) {
  STRATA_TRY(const TrueCatalog truth, readTrueCatalog(store.refs(), store.objects(), {}));
  STRATA_TRY(const auto live, truth.catalog->versions(Place::Live));
  STRATA_TRY(checkUnused(live, leaving));
  STRATA_TRY(const auto everywhere, truth.versions());
  const LeavingVersions all(everywhere, leaving);
  for (const VersionEntry& version : leaving) {
    const auto staying = all.stayingDifferences(version);
    if (staying.empty()) continue;
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: cannot be deleted: {} in the trash is a difference to it",
                            version.label(), staying.front()->label()));
  }
  STRATA_TRY(NeededObjects::collect(store, catalog, truth, {.versions = leaving}, {}));
  return {};
}

std::string labelsOf(const std::vector<VersionEntry>& versions) {
  std::string labels;
  for (const VersionEntry& one : versions) labels += (labels.empty() ? "" : ", ") + one.label();
  return labels;
}

std::uint64_t byteSum(const std::vector<CatalogObject>& objects) {
  std::uint64_t sum = 0;
  for (const CatalogObject& object : objects) {
    if (!object.isAwaited) sum += object.byteCount;
  }
  return sum;
}

}  // namespace

Result<RemoveReport> removeVersions(Store& store, const RemoveOptions& options) {
  std::unique_ptr<StoreWriter> writer;
  if (!options.dryRun) {
    STRATA_TRY(writer, store.lock("remove", {}, Store::Purse::Reserve));
  }
  RemoveReport report;
  STRATA_TRY(report.versions, namedVersions(store, writer.get(), options));
  STRATA_TRY(const auto live, store.catalog().versions(Place::Live));
  STRATA_TRY(checkUnused(live, report.versions));
  if (options.now) {
    STRATA_TRY(checkUnusedAnywhere(store, store.catalog(), report.versions));
  }
  STRATA_TRY(const auto objects, store.catalog().objectsOnlyOf(report.versions));
  report.freeableBytes = byteSum(objects);
  if (!writer) return report;
  STRATA_TRY(writer->trashVersions(report.versions));
  if (!options.now) return report;
  const auto erased = writer->eraseTrashed(report.versions);
  if (!erased) {
    return fail(erased.error().within(
        fmt::format("{}: in the trash now, but not deleted", labelsOf(report.versions))));
  }
  report.freedBytes = byteSum(*erased);
  report.freeableBytes = 0;
  return report;
}

}  // namespace strata
