#include "core/ops/detail/pull_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "core/archive/read/lineage_limit.h"
#include "core/checked_math.h"
#include "core/ops/detail/described_version.h"
#include "core/ops/detail/renamed_names.h"
#include "core/ops/detail/replaced_snapshots.h"
#include "core/store/objects/rebuildable_contents.h"
#include "core/store/refs/operation.h"

namespace strata {
namespace {

class Planning {
 public:
  Planning(const Store& store, const RemoteLibrary& library, const PullOptions& options,
           const SuspectObjects& objects, const LeftOut& leftOut)
      : store_(store), library_(library), options_(options), objects_(objects), leftOut_(leftOut) {}

  Result<PullPlan> run() {
    STRATA_TRY(const auto chosen, library_.select(options_.references, options_.latest));
    STRATA_TRY(const VersionMatching matching, VersionMatching::load(store_.catalog(), library_));
    return runOf(chosen, matching);
  }

  Result<PullPlan> runOf(std::span<const RemoteVersion* const> chosen,
                         const VersionMatching& matching) {
    for (const RemoteVersion* const version : chosen) {
      STRATA_TRY(const bool isReplaced, wasReplaced(*version, matching));
      if (isReplaced) continue;
      std::vector<const RemoteVersion*> line;
      const Result<void> whole = collectLine(*version, matching, line);
      if (!whole) {
        const ErrorCode code = whole.error().code;
        if (code == ErrorCode::Io || code == ErrorCode::Cancelled) return fail(whole.error());
        plan_.failed.push_back({version->ref.label(), whole.error()});
        continue;
      }
      for (auto one = line.rbegin(); one != line.rend(); ++one) STRATA_TRY(place(**one, matching));
    }
    return std::move(plan_);
  }

 private:
  /// The version and those of its parents that do not restore here, nearest first.
  Result<void> collectLine(const RemoteVersion& version, const VersionMatching& matching,
                           std::vector<const RemoteVersion*>& line) {
    for (const RemoteVersion* at = &version;;) {
      line.push_back(at);
      const auto why = leftOut_.find(at->ref.label());
      if (why != leftOut_.end()) return fail(why->second);
      if (!at->parentDigest) return {};
      STRATA_TRY(const bool isApart, standsApart(*at, matching));
      if (isApart) return {};
      STRATA_TRY(const auto removed, soundInTrash(*at, {}));
      if (removed) return {};
      const RemoteVersion* const parent = library_.withContent(*at->parentDigest);
      if (parent != nullptr && line.size() <= kMostParents &&
          std::find(line.begin(), line.end(), parent) == line.end()) {
        STRATA_TRY(const bool restores, restoresHere(parent->ref.contentDigest));
        if (restores) return {};
        at = parent;
        continue;
      }
      STRATA_TRY(const auto here, store_.catalog().withContent(*at->parentDigest));
      if (!here.empty()) return {};
      const BaseElsewhere* const base = library_.elsewhere(*at);
      if (base != nullptr && options_.dryRun) {
        needBase(*base, version.ref.label());
        return {};
      }
      if (base != nullptr) {
        return fail(ErrorCode::BaseMismatch,
                    fmt::format("{}: is a difference to {}, which is not here; import it from "
                                "there, then pull again",
                                at->ref.label(), placeText(*base)));
      }
      return fail(ErrorCode::BaseMismatch,
                  fmt::format("{}: is a difference to the model with content {}, which is neither "
                              "in this store nor on the remote",
                              at->ref.label(), shortHex(*at->parentDigest)));
    }
  }

  /// Whether a version is here by another coding than there, and whole: it stays so, and what it
  /// stands on there need not come for it.
  Result<bool> standsApart(const RemoteVersion& version, const VersionMatching& matching) {
    const VersionEntry* const here = matching.here(version);
    const bool isOther = here != nullptr && here->manifestDigest != version.ref.manifestDigest;
    return isOther ? restoresHere(version.ref.contentDigest) : Result<bool>(false);
  }

  void needBase(const BaseElsewhere& base, const std::string& label) {
    const auto known = std::find_if(
        plan_.bases.begin(), plan_.bases.end(),
        [&](const NeededBase& one) { return one.base.contentDigest == base.contentDigest; });
    (known == plan_.bases.end() ? plan_.bases.emplace_back(NeededBase{base, {}}) : *known)
        .labels.push_back(label);
  }

  /// Whether nothing of a version is lost. A lazy pull brings manifests alone, so packs that are
  /// awaited are no reason to take another coding.
  Result<bool> isSound(const VersionEntry& entry) const {
    const Catalog& catalog = store_.catalog();
    return options_.lazy ? objects_.areHereOrAwaited(catalog, entry.manifestDigest)
                         : objects_.areHere(catalog, entry.manifestDigest);
  }

  /// Whether this store restores the content from sound objects, its own and those of its parents.
  /// Parents count that the plan brings. A coding of another store takes the place of one here only
  /// where this is false: then all parents of it come, too, as they are coded there, unless they
  /// restore here. So no version comes to stand on itself.
  Result<bool> restoresHere(const Digest& content) {
    const auto codingsOf = [&](const Digest& one) -> Result<std::vector<Descent>> {
      const bool isComing = one != content && coming_.contains(one);
      if (isComing || restorable_.contains(one)) return std::vector<Descent>{{one, std::nullopt}};
      STRATA_TRY(const auto here, store_.catalog().withContent(one));
      std::vector<Descent> codings;
      for (const VersionEntry& entry : here) {
        STRATA_TRY(const bool isWhole, isSound(entry));
        if (isWhole) codings.push_back({one, entry.parentDigest});
      }
      return codings;
    };
    STRATA_TRY(const std::set<Digest> found, rebuildableOf({content}, codingsOf));
    for (const Digest& one : found) {
      if (!coming_.contains(one)) restorable_.insert(one);
    }
    return found.contains(content);
  }

  /// The version in the trash that this one is, if it restores. `removed`: under another name.
  Result<std::optional<VersionEntry>> soundInTrash(const RemoteVersion& version,
                                                   const std::optional<VersionEntry>& removed) {
    if (options_.packsOnly) return std::nullopt;
    const std::string& name = removed ? removed->name : version.ref.name;
    const std::uint32_t number = removed ? removed->number : version.ref.number;
    STRATA_TRY(std::optional<VersionEntry> found,
               store_.catalog().version(name, number, Place::Trash));
    if (!found || found->contentDigest != version.ref.contentDigest) return std::nullopt;
    STRATA_TRY(const bool isWhole, objects_.areHere(store_.catalog(), found->manifestDigest));
    STRATA_TRY(const bool restores, restoresHere(found->contentDigest));
    if (!isWhole || !restores) found.reset();
    return found;
  }

  Result<void> place(const RemoteVersion& version, const VersionMatching& matching) {
    if (!seen_.insert(version.ref.label()).second) return {};
    PlannedPull item{&version};
    if (const VersionEntry* const here = matching.here(version)) item.here = *here;
    if (!item.here && options_.references.empty()) STRATA_TRY(findRenamed(item, matching));
    if (!item.here) {
      STRATA_TRY(const auto removed, soundInTrash(version, item.removed));
      item.staysAsCoded = removed.has_value();
    }
    STRATA_TRY(const bool isWholeAnyhow, isHereByAnother(item));
    if (!isWholeAnyhow && !item.staysAsCoded) {
      STRATA_TRY(item.missing, missingOf(item));
    }
    // Damaged here, it takes the manifest from there, also where an earlier pull brought its
    // objects.
    const bool isDamaged = !options_.lazy && isOther(item) && !isWholeAnyhow;
    if (item.here) {
      STRATA_TRY(const bool haveOtherModes, mayHaveOtherModes(store_, *item.here, version));
      if (haveOtherModes) plan_.modesElsewhere.push_back(item.here->label());
    }
    if (item.here && item.missing.empty() && !isDamaged && !awaitsWhatIsHere(item)) {
      plan_.alreadyHere.push_back(*item.here);
    } else {
      if (!options_.lazy) coming_.insert(version.ref.contentDigest);
      plan_.items.push_back(std::move(item));
    }
    return {};
  }

  Result<const RenamedNames*> renamedNames() {
    if (!renamed_) {
      STRATA_TRY(RenamedNames renamed, RenamedNames::load(store_.catalog()));
      renamed_.emplace(std::move(renamed));
    }
    return &*renamed_;
  }

  /// Whether a version without its optimizer has the place here of one that nobody named.
  Result<bool> wasReplaced(const RemoteVersion& version, const VersionMatching& matching) {
    if (!options_.references.empty() || matching.here(version) != nullptr) return false;
    if (!replaced_) {
      STRATA_TRY(const RenamedNames* const renamed, renamedNames());
      replaced_.emplace(store_, *renamed);
    }
    STRATA_TRY(const auto instead, replaced_->inPlaceOf(version));
    if (instead) plan_.replaced.push_back(version.ref.label());
    return instead.has_value();
  }

  /// Finds the version that a rename gave another name than it has there.
  Result<void> findRenamed(PlannedPull& item, const VersionMatching& matching) {
    STRATA_TRY(const RenamedNames* const renamed, renamedNames());
    STRATA_TRY(const auto found, renamed->here(*item.there));
    if (!found) return {};
    const bool isListed = found->place() == Place::Live;
    (isListed ? item.here : item.removed) = found;
    // The remote may have it under both names.
    const bool isSaid = isListed && matching.there(*found) == nullptr;
    if (isSaid) plan_.renamed.emplace(item.there->ref.name, found->name);
    return {};
  }

  /// Its packs came by another way, or by a pull that was killed before it said so.
  bool awaitsWhatIsHere(const PlannedPull& item) const {
    if (options_.lazy || item.here->manifestDigest != item.there->ref.manifestDigest) return false;
    const auto ref = item.here->place() == Place::Live
                         ? store_.refs().readVersion(item.here->name, item.here->number)
                         : fail(ErrorCode::NotFound, "in the trash");
    return ref && ref->awaited;
  }

  /// Whether it is here by another manifest than there.
  static bool isOther(const PlannedPull& item) {
    return item.here && item.here->manifestDigest != item.there->ref.manifestDigest;
  }

  /// Of a version that is here by another manifest, it is that one's objects that count.
  Result<bool> isHereByAnother(const PlannedPull& item) {
    return isOther(item) ? restoresHere(item.there->ref.contentDigest) : Result<bool>(false);
  }

  Result<std::vector<RemoteObject>> missingOf(const PlannedPull& item) {
    std::vector<RemoteObject> missing;
    for (const RemoteObject& object : item.there->objects()) {
      if (options_.lazy && object.kind != RemoteObject::Kind::ManifestObject) continue;
      // One of another size, or of other bytes, is fetched again, over what lies here.
      STRATA_TRY(const bool isHere, objects_.isHere(object.digest, object.byteCount));
      if (!isHere && planned_.insert(listed(object)).second) missing.push_back(object);
    }
    return missing;
  }

  const Store& store_;
  const RemoteLibrary& library_;
  const PullOptions& options_;
  const SuspectObjects& objects_;
  const LeftOut& leftOut_;
  std::set<std::string> seen_;                 ///< labels
  std::optional<RenamedNames> renamed_;        ///< once they are needed
  std::optional<ReplacedSnapshots> replaced_;  ///< the same
  std::set<Digest> restorable_;                ///< contents: restoresHere
  std::set<Digest> coming_;                    ///< contents of the plan's items
  std::set<ListedObject> planned_;             ///< objects that an earlier version brings along
  PullPlan plan_;
};

/// Those of the missing objects that the remote has with the sizes that its versions list. A remote
/// that cannot tell has them all.
Result<std::set<ListedObject>> objectsThere(const PullPlan& plan, Transport& remote,
                                            const std::stop_token& stop) {
  std::set<ListedObject> all;
  for (const PlannedPull& item : plan.items) {
    for (const RemoteObject& object : item.missing) all.insert(listed(object));
  }
  std::vector<RemoteObject> asked;  // each object once
  for (const ListedObject& one : all) {
    if (asked.empty() || asked.back().digest != one.first) asked.push_back({one.first, one.second});
  }
  const auto sizes = remote.sizesOf(asked, stop);
  if (!sizes && sizes.error().code == ErrorCode::Cancelled) return fail(sizes.error());
  if (!sizes) return all;
  std::set<ListedObject> there;
  for (const ListedObject& one : all) {
    const auto size = sizes->find(one.first);
    if (size != sizes->end() && size->second == one.second) there.insert(one);
  }
  return there;
}

}  // namespace

std::filesystem::path partsFolder(const Store& store) { return store.folder() / "partial"; }

Result<PullPlan> planPull(const Store& store, const RemoteLibrary& library,
                          const PullOptions& options, const LeftOut& leftOut,
                          const std::stop_token& stop, const ProgressSink& progress) {
  const SuspectObjects objects(store, stop, progress);
  return Planning(store, library, options, objects, leftOut).run();
}

Result<PullPlan> planPullOf(const Store& store, const RemoteLibrary& library,
                            const RemoteVersion& version, const VersionMatching& matching,
                            const SuspectObjects& objects) {
  const PullOptions whole{.dryRun = true};
  const LeftOut none;
  const RemoteVersion* const chosen = &version;
  return Planning(store, library, whole, objects, none).runOf(std::span(&chosen, 1), matching);
}

Result<LeftOut> unfitVersions(const PullPlan& plan, Transport& remote, std::uint64_t freeBytes,
                              const std::stop_token& stop) {
  STRATA_TRY(const std::set<ListedObject> there, objectsThere(plan, remote, stop));
  LeftOut unfit;
  for (const PlannedPull& item : plan.items) {
    const std::string label = item.there->ref.label();
    std::uint64_t neededBytes = 0;
    for (const RemoteObject& object : item.missing) {
      neededBytes = saturatingAdd(neededBytes, object.byteCount);
      if (there.contains(listed(object))) continue;
      unfit.emplace(label,
                    Error{ErrorCode::CorruptData,
                          fmt::format("{}: the remote lists object {} with {} bytes, but has "
                                      "none of that size",
                                      label, shortHex(object.digest), object.byteCount)});
    }
    if (neededBytes > freeBytes) {
      unfit.emplace(label, Error{ErrorCode::NoSpace, fmt::format("{}: needs {} bytes, {} are free",
                                                                 label, neededBytes, freeBytes)});
    }
  }
  return unfit;
}

}  // namespace strata
