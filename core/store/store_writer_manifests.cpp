#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/archive/file_modes.h"
#include "core/store/catalog/check_dates.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/objects/rebuildable_contents.h"
#include "core/store/refs/ref_change.h"
#include "core/store/store_writer.h"

// Versions that come to rest on other manifests.

namespace strata {

Result<std::vector<Digest>> StoreWriter::rest(Replacement& one) const {
  const ManifestSummary& manifest = one.manifest;
  const bool isWhole =
      std::all_of(manifest.packs.begin(), manifest.packs.end(),
                  [&](const Digest& pack) { return store_.objects().byteCount(pack).has_value(); });
  std::vector<Digest> old;
  for (VersionRef& ref : one.refs) {
    if (ref.manifestDigest != manifest.entry.manifestDigest) {
      STRATA_TRY(const auto objects, catalog_->objectsOf(ref.manifestDigest));
      for (const CatalogObject& object : objects) old.push_back(object.digest);
    }
    restOn(ref, manifest);
    if (isWhole) ref.awaited.reset();
  }
  return old;
}

Result<std::vector<StoreWriter::Replacement>> StoreWriter::keepModes(Replacement one) {
  const VersionEntry& entry = one.manifest.entry;
  std::optional<Manifest> manifest;  // read for those that need it
  std::map<FileModes, Replacement> others;
  std::vector<VersionRef> refs;
  for (VersionRef& ref : one.refs) {
    const bool isSame = ref.manifestDigest == entry.manifestDigest;
    const auto former = isSame ? fail(ErrorCode::NotFound, "the same manifest")
                               : readManifest(store_, ref.manifestDigest, entry.contentDigest);
    if (former && !manifest) {
      STRATA_TRY(manifest, readManifest(store_, entry.manifestDigest, entry.contentDigest));
    }
    const bool fits = !former || modesOf(*former) == modesOf(*manifest);
    (fits ? refs : others[modesOf(*former)].refs).push_back(std::move(ref));
  }
  std::vector<Replacement> all;
  for (auto& [modes, other] : others) {
    const Manifest copy = withModes(*manifest, modes);
    STRATA_TRY(const auto staged, StagedObjects::make(store_.folder()));
    other.manifest = one.manifest;
    STRATA_TRY(other.manifest.entry.manifestDigest, writeManifest(copy, *staged));
    STRATA_TRY(take(*staged));
    other.manifest.manifestBytes =
        store_.objects().byteCount(other.manifest.entry.manifestDigest).value_or(0);
    all.push_back(std::move(other));
  }
  one.refs = std::move(refs);
  if (!one.refs.empty()) all.push_back(std::move(one));
  return all;
}

Result<std::vector<VersionRef>> StoreWriter::codedAnew(const std::vector<VersionRef>& refs) const {
  std::vector<VersionRef> anew;
  for (const VersionRef& ref : refs) {
    bool isSame = false;
    for (const Place place : {Place::Live, Place::Trash}) {
      STRATA_TRY(const auto listed, catalog_->version(ref.name, ref.number, place));
      isSame = isSame || (listed && listed->manifestDigest == ref.manifestDigest);
    }
    if (!isSame) anew.push_back(ref);
  }
  return anew;
}

Result<void> StoreWriter::checkLineages(const std::vector<VersionRef>& refs) const {
  std::vector<Digest> contents;
  for (const VersionRef& ref : refs) contents.push_back(ref.contentDigest);
  const auto codingsOf = [&](const Digest& content) -> Result<std::vector<Descent>> {
    STRATA_TRY(const std::vector<VersionEntry> versions, catalog_->withContent(content));
    // What is lost may come back.
    if (versions.empty()) return std::vector<Descent>{{content, std::nullopt}};
    std::vector<Descent> codings;
    for (const VersionEntry& one : versions) codings.push_back({content, one.parentDigest});
    return codings;
  };
  STRATA_TRY(const std::set<Digest> rebuildable, rebuildableOf(contents, codingsOf));
  for (const VersionRef& ref : refs) {
    if (rebuildable.contains(ref.contentDigest)) continue;
    return fail(ErrorCode::CorruptData,
                fmt::format("{}: would be a difference to a version that stands on it here, so "
                            "neither would restore; nothing was changed. Take it from where it is "
                            "stored otherwise",
                            ref.label()));
  }
  return {};
}

Result<void> StoreWriter::replaceManifests(std::string_view purpose,
                                           std::vector<Replacement> wanted, Former former) {
  std::vector<Replacement> replacements;
  for (Replacement& one : wanted) {
    STRATA_TRY(std::vector<Replacement> kept, keepModes(std::move(one)));
    std::move(kept.begin(), kept.end(), std::back_inserter(replacements));
  }
  RefChange all;
  std::vector<Digest> old;
  std::vector<Digest> manifests;
  std::set<Digest> needed;
  for (Replacement& one : replacements) {
    STRATA_TRY(const std::vector<Digest> before, rest(one));
    old.insert(old.end(), before.begin(), before.end());
    all.versions.insert(all.versions.end(), one.refs.begin(), one.refs.end());
    manifests.push_back(one.manifest.entry.manifestDigest);
    needed.insert(manifests.back());
    needed.insert(one.manifest.packs.begin(), one.manifest.packs.end());
  }
  const auto inCatalog = [&]() -> Result<void> {
    for (const Replacement& one : replacements) {
      for (const VersionRef& ref : one.refs) {
        STRATA_TRY(catalog_->putVersion(ref, one.manifest));
      }
    }
    return catalog_->dropUnused();
  };
  // The objects belong to the versions, unless the change is taken back.
  std::vector<Digest> objects = std::exchange(unowned_, {});
  std::copy_if(objects.begin(), objects.end(), std::back_inserter(unowned_),
               [&](const Digest& object) { return !needed.contains(object); });
  const std::string labels = labelsOf(all.versions);
  const auto done = changeRefs(purpose, labels, all, inCatalog, [&]() -> Result<void> {
    if (former == Former::Kept) return {};
    const Result<void> removed = removeUnneeded(old);
    // Something else in the place of an object is no reason to take the new ones back.
    const bool isBlocked = !removed && removed.error().code == ErrorCode::CorruptData;
    return isBlocked ? Result<void>() : removed;
  });
  const bool isWholly = isOver(store_.refs());
  if (!done && isWholly) unowned_ = std::move(objects);
  if (!done) return fail(done.error());
  // The mark of a damage may stay: then the next check takes it off.
  (void)forgetDamage(store_.folder(), manifests);
  if (isWholly) return {};
  // A version whose ref is damaged cannot be read before.
  return fail(ErrorCode::Io, fmt::format("{}: the {} is not finished; the next command that "
                                         "writes finishes it",
                                         labels, purpose));
}

}  // namespace strata
