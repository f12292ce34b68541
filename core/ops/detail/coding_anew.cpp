#include "core/ops/detail/coding_anew.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "core/archive/write/discarded_objects.h"
#include "core/archive/write/steps/former_steps.h"
#include "core/io/free_space.h"
#include "core/store/catalog/lost_versions.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/objects/version_chain.h"

namespace strata {
namespace {

Result<std::set<Digest>> packsOf(const Catalog& catalog, const VersionEntry& version) {
  STRATA_TRY(const auto objects, catalog.objectsOf(version.manifestDigest));
  std::set<Digest> packs;
  for (const CatalogObject& object : objects) {
    if (!object.isManifest) packs.insert(object.digest);
  }
  return packs;
}

}  // namespace

ManifestSummary CodedAnew::summary(const Store& store) const {
  return summarize(written.manifest, written.manifestDigest, store.objects());
}

Result<CodedAnew> codeAnew(const Store& store, const VersionEntry& version, const Manifest& former,
                           const ModelSource& model, const CodingAnew& coding,
                           const std::stop_token& stop, const ProgressSink& progress) {
  std::shared_ptr<const VersionReader> parent;
  if (coding.parent) {
    auto opened = openVersion(store, *coding.parent);
    if (!opened) return fail(opened.error().within("@" + shortHex(*coding.parent)));
    parent = *std::move(opened);
  }
  CodedAnew coded;
  if (!coding.dryRun) {
    STRATA_TRY(const std::uint64_t bytes, objectBytesOf(store.catalog(), version));
    STRATA_TRY(checkFreeSpace(store.folder(), bytes));
    STRATA_TRY(coded.staged, StagedObjects::make(store.folder()));
  }
  DiscardedObjects discarded;
  ObjectWriter& objects = coded.staged ? static_cast<ObjectWriter&>(*coded.staged) : discarded;
  WriteOptions write;
  write.effort = coding.effort.value_or(effortFromName(version.effort).value_or(Effort::Default));
  write.profile = version.profile;
  write.memoryBytes = coding.memoryBytes;
  write.device = coding.device;
  write.recoded = &former;
  if (parent && neededVersion(former) == kManySourcesManifestVersion) {
    if (const auto reader = openVersion(store, version)) {
      write.stepGroups = formerSteps(**reader, model.description());
    }
  }
  STRATA_TRY(coded.written, writeVersion(model, std::move(parent), write, objects, stop, progress));
  if (coded.written.contentDigest == version.contentDigest) return coded;
  return fail(ErrorCode::Internal,
              fmt::format("what was coded restores to {}, expected {}",
                          shortHex(coded.written.contentDigest), shortHex(version.contentDigest)));
}

Result<std::uint64_t> objectBytesOf(const Catalog& catalog, const VersionEntry& version) {
  STRATA_TRY(const auto objects, catalog.objectsOf(version.manifestDigest));
  std::uint64_t sum = 0;
  for (const CatalogObject& object : objects) sum += object.byteCount;
  return sum;
}

Result<std::vector<VersionEntry>> versionsCodedAs(const Store& store, const Catalog& catalog,
                                                  const VersionEntry& version) {
  STRATA_TRY(const std::set<Digest> packs, packsOf(catalog, version));
  STRATA_TRY(const std::vector<VersionEntry> all, catalog.withContent(version.contentDigest));
  std::vector<VersionEntry> alike;
  for (const VersionEntry& one : all) {
    if (one.manifestDigest == version.manifestDigest) {
      alike.push_back(one);
      continue;
    }
    STRATA_TRY(const std::set<Digest> others, packsOf(catalog, one));
    if (others == packs && readManifest(store, one.manifestDigest, one.contentDigest)) {
      alike.push_back(one);
    }
  }
  return alike;
}

Result<std::vector<VersionRef>> refsOf(const StoreWriter& writer,
                                       const std::vector<VersionEntry>& versions) {
  std::vector<VersionRef> refs;
  for (const VersionEntry& one : versions) {
    STRATA_TRY(KnownRef known, refOf(writer.store(), writer.catalog(), one));
    refs.push_back(std::move(known.ref));
  }
  return refs;
}

}  // namespace strata
