#include "core/ops/care/recover_versions.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "core/archive/file_modes.h"
#include "core/model/file_mode.h"
#include "core/ops/care/detail/circle_ends.h"
#include "core/ops/care/detail/former_names.h"
#include "core/ops/care/detail/lost_again.h"
#include "core/ops/care/unnamed_models.h"
#include "core/ops/detail/lineage_reach.h"
#include "core/ops/exchange/asked_lists.h"
#include "core/ops/exchange/kept_damage.h"
#include "core/store/catalog/catalog_sync.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/catalog/true_catalog.h"
#include "core/store/objects/needed_objects.h"
#include "core/store/objects/object_hold.h"
#include "core/store/objects/staged_objects.h"
#include "core/store/read_errors.h"
#include "core/store/refs/ref_rename.h"
#include "core/store/store_writer.h"

namespace strata {
namespace {

constexpr const char* kName = "recovered";

/// Contents that versions, or models that get a name of their own, rest on through whatever many
/// models without one.
Result<std::set<Digest>> parentsIn(const TrueCatalog& truth,
                                   const std::vector<UnnamedManifest>& unnamed,
                                   const std::function<bool(const UnnamedManifest&)>& getsName) {
  std::vector<Digest> found;
  const auto find = [&](const std::optional<Digest>& parent) {
    if (parent) found.push_back(*parent);
  };
  STRATA_TRY(const auto versions, truth.versions());
  for (const VersionEntry& version : versions) find(version.parentDigest);
  std::multimap<Digest, std::optional<Digest>> parentsOf;
  for (const UnnamedManifest& one : unnamed) {
    const VersionEntry& entry = one.summary.entry;
    parentsOf.emplace(entry.contentDigest, entry.parentDigest);
    if (getsName(one)) find(entry.parentDigest);
  }
  std::set<Digest> parents;
  while (!found.empty()) {
    const Digest content = found.back();
    found.pop_back();
    if (!parents.insert(content).second) continue;
    for (auto [at, last] = parentsOf.equal_range(content); at != last; ++at) find(at->second);
  }
  return parents;
}

/// A ref that nothing can read makes room for that of its version, and keeps the number for it.
Result<void> makeRoom(StoreWriter& writer, const VersionRef& version, RecoverReport& report) {
  const RefFolder& refs = writer.store().refs();
  for (const Place place : {Place::Live, Place::Trash}) {
    const auto ref = refs.readVersion(version.name, version.number, place);
    if (ref || ref.error().code != ErrorCode::CorruptData) continue;
    STRATA_TRY(writer.checkLock());
    STRATA_TRY(keepNumbers(refs, version.name, 0, {{version.number, version.contentDigest}}));
    STRATA_TRY(auto path, refs.setAside(version.name, version.number, place));
    report.setAside.push_back(std::move(path));
  }
  return {};
}

/// Its former one, or another.
Result<void> giveName(StoreWriter& writer, const UnnamedManifest& model, FormerNames& former,
                      RecoverReport& report) {
  const ManifestSummary& summary = model.summary;
  const std::optional<VersionRef> known = former.take(summary.entry.contentDigest);
  VersionRef ref = known.value_or(VersionRef{});
  ref.contentDigest = summary.entry.contentDigest;
  ref.manifestDigest = model.digest;
  ref.storedBytes =
      std::accumulate(summary.packBytes.begin(), summary.packBytes.end(), summary.manifestBytes);
  VersionEntry named;
  if (known) {
    STRATA_TRY(makeRoom(writer, ref, report));
    STRATA_TRY(named, writer.recoverVersion({std::move(ref), summary, {}}));
  } else {
    ref.name = kName;
    ref.note = "its name was lost";
    STRATA_TRY(named, writer.addVersion(std::move(ref), summary, {}));
  }
  report.named.push_back(named.label());
  return {};
}

/// Numbers that were lost, of models that other versions have, too.
Result<void> giveNumbersBack(const Store& store, StoreWriter& writer, RecoverReport& report) {
  STRATA_TRY(std::vector<LostAgain> lost, lostAgain(store, writer.catalog()));
  for (LostAgain& one : lost) {
    STRATA_TRY(makeRoom(writer, one.ref, report));
    STRATA_TRY(const VersionEntry named,
               writer.recoverVersion({std::move(one.ref), std::move(one.manifest), {}}));
    report.named.push_back(named.label());
  }
  return {};
}

/// Whether a ref cannot be read and nothing else knows what it said.
Result<bool> isRefLost(const StoreWriter& writer, const TrueCatalog& truth) {
  for (const UnreadableVersion& one : truth.unreadable) {
    if (one.ref || one.error.code != ErrorCode::CorruptData) continue;
    STRATA_TRY(const auto listed, writer.catalog().version(one.name, one.number, one.place));
    if (!listed) return true;
  }
  return false;
}

/// Parents first, and of several manifests of one model those with all packs.
void sortForNames(std::vector<UnnamedManifest>& unnamed) {
  std::stable_sort(unnamed.begin(), unnamed.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.summary.entry.depth, !a.isWhole()) <
           std::tuple(b.summary.entry.depth, !b.isWhole());
  });
}

/// What a store says of itself, read anew.
struct Truth {
  TrueCatalog named;
  std::vector<UnnamedManifest> unnamed;

  static Result<Truth> read(const Store& store, const std::stop_token& stop) {
    Truth truth;
    STRATA_TRY(truth.named, readTrueCatalog(store.refs(), store.objects(), stop));
    STRATA_TRY(truth.unnamed, unnamedManifests(store.objects(), *truth.named.catalog, stop));
    return truth;
  }
};

/// Another manifest of `content`, with all its packs, that does not itself stand on the content.
Result<std::optional<ManifestSummary>> manifestOf(const Store& store, const Truth& truth,
                                                  const LineageReach& reach,
                                                  const Digest& content) {
  const auto serves = [&](const ManifestSummary& summary) {
    const auto& parent = summary.entry.parentDigest;
    const bool isCircle = parent && reach.isCircle(*parent, content);
    return !isCircle && UnnamedManifest{summary.entry.manifestDigest, summary}.isWhole();
  };
  STRATA_TRY(const auto named, truth.named.catalog->manifestsWithContent(content));
  for (const Digest& digest : named) {
    const auto manifest = readManifest(store.objects(), digest, content);
    if (!manifest) continue;
    ManifestSummary summary = summarize(*manifest, digest, store.objects());
    if (serves(summary)) return summary;
  }
  for (const UnnamedManifest& one : truth.unnamed) {
    if (one.summary.entry.contentDigest == content && serves(one.summary)) return one.summary;
  }
  return std::nullopt;
}

/// The manifest without all permission bits but its files' owner's. Takes it into the store; false
/// if it has no others.
Result<bool> makePrivate(const Store& store, StoreWriter& writer, ManifestSummary& summary) {
  Digest& digest = summary.entry.manifestDigest;
  STRATA_TRY(const Manifest manifest, readManifest(store, digest, summary.entry.contentDigest));
  FileModes modes = modesOf(manifest);
  for (auto& [path, mode] : modes) mode = modeToRestore(mode) & kOwnerBits;
  if (modes == modesOf(manifest)) return false;
  STRATA_TRY(const auto staged, StagedObjects::make(store.folder()));
  STRATA_TRY(digest, writeManifest(withModes(manifest, modes), *staged));
  STRATA_TRY(writer.take(*staged));
  summary.manifestBytes = store.objects().byteCount(digest).value_or(0);
  return true;
}

/// Refs whose manifest is gone take another one of their content. Their permission bits stood in
/// the manifest that is gone.
Result<void> renewManifests(const Store& store, StoreWriter& writer, const Truth& truth,
                            RecoverReport& report) {
  STRATA_TRY(const LineageReach reach, LineageReach::load(*truth.named.catalog));
  for (const UnreadableVersion& one : truth.named.unreadable) {
    if (!one.ref || !isLost(one.error.code)) continue;
    STRATA_TRY(auto manifest, manifestOf(store, truth, reach, one.ref->contentDigest));
    if (!manifest) continue;
    STRATA_TRY(const bool isMade, makePrivate(store, writer, *manifest));
    STRATA_TRY(writer.replaceManifests("repair", {{{*one.ref}, *manifest}}));
    report.rewritten.push_back(one.label());
    if (isMade) report.madePrivate.push_back(one.label());
  }
  return {};
}

}  // namespace

Result<RecoverReport> recoverVersions(Store& store, std::stop_token stop) {
  STRATA_TRY(const auto writer, store.lockForRepair("verify", stop));
  RecoverReport report;
  // What cannot be mended here stays damage, which verify names; the rest need not wait for it.
  report.numbersMade = mendAsked(store.folder()).value_or(false);
  STRATA_TRY(SyncReport synced, writer->rescueRefs());
  report.rewritten = std::move(synced.rescued);
  report.finished = std::move(synced.finished);
  report.setAside = std::move(synced.setAside);
  static_cast<void>(forgetUnnamedDamages(store, report.forgotten));
  STRATA_TRY(Truth read, Truth::read(store, stop));
  const std::size_t rescued = report.rewritten.size();
  STRATA_TRY(renewManifests(store, *writer, read, report));
  STRATA_TRY(auto ended, endCircles(*writer, read.named, stop));
  std::move(ended.begin(), ended.end(), std::back_inserter(report.rewritten));
  if (report.rewritten.size() > rescued) {
    STRATA_TRY(read, Truth::read(store, stop));
  }
  const TrueCatalog& truth = read.named;
  std::vector<UnnamedManifest>& unnamed = read.unnamed;
  // A ref that is set aside no longer keeps what it named, so that gets its name first.
  STRATA_TRY(const bool isAnyLost, isRefLost(*writer, truth));
  STRATA_TRY(const HeldObjects held, HeldObjects::collect(store.folder(), stop));
  STRATA_TRY(const std::set<Digest> restorable, restorableContents(*truth.catalog, unnamed));
  const auto getsName = [&, isAnyLost = isAnyLost](const UnnamedManifest& model) {
    const bool isRestorable =
        model.isWhole() && restorable.contains(model.summary.entry.contentDigest);
    return !held.contains(model.digest) && (isRestorable || isAnyLost);
  };
  STRATA_TRY(const std::set<Digest> parents, parentsIn(truth, unnamed, getsName));
  sortForNames(unnamed);
  std::erase_if(unnamed, [&](const UnnamedManifest& model) {
    return !getsName(model) && !parents.contains(model.summary.entry.contentDigest);
  });
  std::set<Digest> contents;
  for (const UnnamedManifest& one : unnamed) contents.insert(one.summary.entry.contentDigest);
  STRATA_TRY(FormerNames former, FormerNames::find(store, *writer, contents));
  std::set<std::pair<Digest, FileModes>> done;
  for (const UnnamedManifest& model : unnamed) {
    const Digest& content = model.summary.entry.contentDigest;
    STRATA_TRY(const Manifest manifest, readManifest(store, model.digest, content));
    if (!done.emplace(content, modesOf(manifest)).second) continue;
    STRATA_TRY(giveName(*writer, model, former, report));
  }
  STRATA_TRY(giveNumbersBack(store, *writer, report));
  STRATA_TRY(auto unreadable, writer->setUnreadableAside());
  std::move(unreadable.begin(), unreadable.end(), std::back_inserter(report.setAside));
  return report;
}

}  // namespace strata
