#include "core/ops/detail/described_version.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "core/archive/file_modes.h"
#include "core/archive/manifest.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/run_tags.h"

namespace strata {
namespace {

/// An undo, a prune or a removal may run beside a push.
Result<VersionRef> refToPush(const Store& store, const VersionEntry& entry) {
  auto ref = store.refs().readVersion(entry.name, entry.number, entry.place());
  if (ref || ref.error().code != ErrorCode::NotFound) return ref;
  STRATA_TRY(const auto now, store.catalog().version(entry.name, entry.number, entry.place()));
  if (now) return ref;
  return fail(ErrorCode::NotFound,
              fmt::format("{}: another command removed it meanwhile; nothing is lost, push again",
                          entry.label()));
}

}  // namespace

Result<RemoteVersion> describeVersion(const Store& store, const VersionEntry& entry) {
  RemoteVersion version;
  STRATA_TRY(version.ref, refToPush(store, entry));
  if (entry.place() == Place::Trash) {
    version.ref.isUnlisted = true;
    version.ref.tags.clear();
  }
  version.parentDigest = entry.parentDigest;
  version.originalBytes = entry.originalBytes;
  version.format = entry.format;
  version.lossy = entry.lossy;
  version.isWeightsOnly = isWeightsOnly(entry);
  if (entry.lossy && !version.ref.isUnlisted) {
    STRATA_TRY(const Manifest manifest,
               readManifest(store, entry.manifestDigest, entry.contentDigest));
    for (const QualityScore& one : manifest.quality) {
      if (!std::isfinite(one.reference) || !std::isfinite(one.score)) continue;
      version.scores.push_back({one.data, one.metric, one.reference, one.score, one.samples});
    }
  }
  STRATA_TRY(const auto objects, store.catalog().objectsOf(entry.manifestDigest));
  for (const CatalogObject& object : objects) {
    if (object.isManifest) {
      version.manifestBytes = object.byteCount;
    } else {
      version.packs.push_back({object.digest, object.byteCount, RemoteObject::Kind::Pack});
    }
  }
  return version;
}

Result<bool> mayHaveOtherModes(const Store& store, const VersionEntry& here,
                               const RemoteVersion& there) {
  if (here.manifestDigest == there.ref.manifestDigest) return false;
  STRATA_TRY(const auto objects, store.catalog().objectsOf(here.manifestDigest));
  std::set<Digest> packs;
  for (const CatalogObject& object : objects) {
    if (!object.isManifest) packs.insert(object.digest);
  }
  std::set<Digest> others;
  for (const RemoteObject& pack : there.packs) others.insert(pack.digest);
  if (packs != others) return false;
  const auto mine = readManifest(store, here.manifestDigest, here.contentDigest);
  const auto other = readManifest(store, there.ref.manifestDigest, there.ref.contentDigest);
  return !mine || !other || modesOf(*mine) != modesOf(*other);
}

const RemoteVersion* namelessThere(const RemoteLibrary& there, const std::string& refName,
                                   const Digest& content) {
  for (const RemoteVersion& parent : there.parents) {
    if (refNameOf(parent.ref) == refName && parent.ref.contentDigest == content) return &parent;
  }
  return nullptr;
}

void keepCoding(RemoteVersion& version, const RemoteVersion& there) {
  version.ref.manifestDigest = there.ref.manifestDigest;
  version.ref.storedBytes = there.ref.storedBytes;
  version.manifestBytes = there.manifestBytes;
  version.packs = there.packs;
  version.parentDigest = there.parentDigest;
  version.base = there.base;
}

}  // namespace strata
