#include "core/ops/collect_garbage.h"

#include <fmt/format.h>

#include <set>

#include "core/archive/manifest.h"
#include "core/store/lost_versions.h"
#include "core/store/manifest_summary.h"
#include "core/store/store_writer.h"

namespace strata {
namespace {

using Place = Catalog::Place;

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

}  // namespace

Result<GarbageReport> collectGarbage(Store& store, const GarbageOptions& options,
                                     std::stop_token stop) {
  STRATA_TRY(const auto writer, store.lock("gc"));
  STRATA_TRY(const auto needed, neededObjects(store, writer->catalog(), stop));
  STRATA_TRY(const auto objects, store.objects().list());
  GarbageReport report;
  for (const StoredObject& object : objects) {
    if (needed.contains(object.digest)) {
      ++report.keptObjects;
      report.keptBytes += object.byteCount;
      continue;
    }
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    if (!options.dryRun) STRATA_TRY(store.objects().remove(object.digest));
    report.freedBytes += object.byteCount;
    report.freed.push_back(object);
  }
  return report;
}

}  // namespace strata
