#include "core/ops/versions/remove_versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/ops/detail/leaving_versions.h"
#include "core/ops/detail/version_removal.h"
#include "core/store/catalog/lost_versions.h"
#include "core/store/catalog/true_catalog.h"
#include "core/store/objects/needed_objects.h"
#include "core/store/refs/reference.h"
#include "core/store/store_writer.h"
#include "core/transfer/remote_library.h"

namespace strata {
namespace {

using Key = std::pair<std::string, std::uint32_t>;

Key keyOf(const VersionEntry& version) { return {version.name, version.number}; }

/// The references with a NAME:vN for each version that a pattern, or a plain NAME, means.
Result<std::vector<std::string>> plainReferences(const Catalog& catalog,
                                                 const RemoveOptions& options) {
  std::vector<std::string> plain;
  for (const std::string& word : options.references) {
    if (isGlob(word)) {
      STRATA_TRY(const auto all, catalog.versions());
      STRATA_TRY(const auto matching, matchingVersions(all, word));
      for (const VersionEntry& version : matching) plain.push_back(version.label());
      continue;
    }
    plain.push_back(word);
    STRATA_TRY(const Reference reference, parseReference(word));
    if (!options.allVersions || reference.kind != Reference::Kind::Newest) continue;
    STRATA_TRY(const auto all, catalog.versionsOf(reference.name));
    for (const VersionEntry& version : all) plain.push_back(version.label());
  }
  return plain;
}

/// The version that a reference means. One whose manifest is lost can be deleted by its number.
Result<VersionEntry> namedVersion(const Store& store, const StoreWriter* writer,
                                  const std::string& text, const RemoveOptions& options) {
  Result<VersionEntry> found =
      writer != nullptr ? writer->resolve(text) : store.resolveChecked(text);
  if (found) return found;
  STRATA_TRY(const auto lost, versionWithoutManifest(store, store.catalog(), text));
  if (!lost || options.now) return lost ? Result<VersionEntry>(*lost) : found;
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{}: its manifest is lost, so that nothing could be brought back from "
                          "the trash; add its model again, or delete it with --now",
                          lost->label()));
}

/// Nothing rebuilds what is a difference to a version whose manifest is lost, so that goes, too.
Result<void> checkDifferences(const Catalog& catalog, const VersionEntry& lost,
                              const std::map<Key, VersionEntry>& leaving) {
  // Of one that is listed, that is itself.
  STRATA_TRY(const auto others, catalog.withContent(lost.contentDigest));
  if (!others.empty()) return {};
  for (const Place place : {Place::Live, Place::Trash}) {
    STRATA_TRY(const auto children, catalog.dependants(lost.contentDigest, place));
    for (const VersionEntry& child : children) {
      if (leaving.contains(keyOf(child))) continue;
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("{0}: its manifest is lost, and {1} is a difference to it; "
                              "\"strata remove --now {0} {1}\" gives both up",
                              lost.label(), child.label()));
    }
  }
  return {};
}

/// The versions that the references name, each once, deepest first. Without a writer, as readers
/// see them.
Result<std::vector<VersionEntry>> namedVersions(const Store& store, const StoreWriter* writer,
                                                const RemoveOptions& options) {
  const Catalog& catalog = writer != nullptr ? writer->catalog() : store.catalog();
  STRATA_TRY(const auto references, plainReferences(catalog, options));
  std::map<Key, VersionEntry> named;
  for (const std::string& text : references) {
    STRATA_TRY(VersionEntry found, namedVersion(store, writer, text, options));
    named.emplace(keyOf(found), std::move(found));
  }
  for (const auto& [key, version] : named) STRATA_TRY(checkDifferences(catalog, version, named));
  std::vector<VersionEntry> versions;
  for (auto& [key, version] : named) versions.push_back(std::move(version));
  std::stable_sort(versions.begin(), versions.end(),
                   [](const auto& a, const auto& b) { return a.depth > b.depth; });
  return versions;
}

/// What deleting them for good frees, by refs and manifests: also what they were coded as before.
Result<std::uint64_t> bytesLeaving(const Store& store, const std::vector<VersionEntry>& versions) {
  STRATA_TRY(const TrueCatalog truth, readTrueCatalog(store.refs(), store.objects(), {}));
  STRATA_TRY(const auto all, truth.versions());
  const Leaving leaving = sortLeaving(all, versions);
  STRATA_TRY(auto objects, objectsLeaving(store, store.catalog(), truth, leaving.gone));
  std::erase_if(objects, [](const CatalogObject& object) { return object.isAwaited; });
  return byteSum(objects);
}

}  // namespace

Result<RemoveReport> removeVersions(Store& store, const RemoveOptions& options) {
  std::unique_ptr<StoreWriter> writer;
  if (!options.dryRun) {
    STRATA_TRY(writer, store.lock("remove", {}, Store::Purse::Reserve));
  }
  STRATA_TRY(auto versions, namedVersions(store, writer.get(), options));
  STRATA_TRY(RemoveReport report,
             foretellRemoval(store, writer ? writer->catalog() : store.catalog(),
                             std::move(versions), options.now));
  if (writer) STRATA_TRY(carryOutRemoval(*writer, "remove", options.now, report));
  if (!writer && options.now) {
    STRATA_TRY(report.freeableBytes, bytesLeaving(store, report.versions));
  }
  return report;
}

}  // namespace strata
