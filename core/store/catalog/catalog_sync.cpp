#include "core/store/catalog/catalog_sync.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "core/store/catalog/lost_versions.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/objects/needed_objects.h"
#include "core/store/read_errors.h"
#include "core/store/refs/lost_change.h"
#include "core/store/refs/ref_change.h"
#include "core/store/refs/ref_rename.h"
#include "core/store/refs/reference.h"
#include "core/store/store_places.h"

namespace strata {
namespace {

using Key = std::pair<std::string, std::uint32_t>;

std::set<Key> keysOf(const RefFolder::Numbers& numbers) {
  std::set<Key> keys;
  for (const auto& [name, list] : numbers) {
    for (const std::uint32_t number : list) keys.emplace(name, number);
  }
  return keys;
}

/// Versions as the catalog knows them, with their manifests.
using Known = std::map<Key, Digest>;

Known knownOf(const std::vector<VersionEntry>& entries) {
  Known known;
  for (const VersionEntry& entry : entries) {
    known.emplace(Key(entry.name, entry.number), entry.manifestDigest);
  }
  return known;
}

class Sync {
 public:
  Sync(Catalog& catalog, const RefFolder& refs, const ObjectFolder& objects, SyncScope scope,
       const RememberedRefs& remembered)
      : catalog_(catalog), refs_(refs), objects_(objects), scope_(scope), remembered_(remembered) {}

  Result<SyncReport> run(std::stop_token stop, const ProgressSink& progress) {
    if (scope_ != SyncScope::Differences) STRATA_TRY(mendChange());
    STRATA_TRY(change_, settleChange(refs_, objects_));
    for (const VersionRef& left : change_.value_or(RefChange{}).renumbered) {
      left_.emplace(left.name, left.number);
    }
    STRATA_TRY(names_, refs_.names());
    if (scope_ != SyncScope::Differences) STRATA_TRY(mendNotes());
    const std::vector<Operation> renames = renamesUnderWay();
    const auto finished = parseOperation(change_ ? change_->operation : std::string());
    if (finished) {
      for (const VersionStep& step : finished->versions) changed_.emplace(step.name, step.number);
    }
    STRATA_TRY(settleRenames(refs_, names_));
    STRATA_TRY(const RefFolder::Numbers live, refs_.versionNumbers());
    STRATA_TRY(const RefFolder::Numbers trashed, refs_.versionNumbers(Place::Trash));
    live_ = keysOf(live);
    trashed_ = keysOf(trashed);
    STRATA_TRY(settle());
    if (scope_ != SyncScope::Differences) {
      STRATA_TRY(rescue());
      STRATA_TRY(names_, refs_.names());  // some have a folder again
    }
    STRATA_TRY(catalog_.transact([&]() -> Result<void> {
      STRATA_TRY(forget());
      STRATA_TRY(putVersions(live_, Place::Live, stop, progress));
      STRATA_TRY(putVersions(trashed_, Place::Trash, stop, progress));
      STRATA_TRY(putTags());
      STRATA_TRY(catalog_.dropUnused());
      return logFinished(finished ? &*finished : nullptr, renames);
    }));
    if (change_) STRATA_TRY(refs_.eraseChange());
    report_.versionCount = live_.size() - unreadableLive_;
    report_.trashedCount = trashed_.size() - unreadableTrashed_;
    return std::move(report_);
  }

 private:
  /// Those that a writer that died has begun and this sync finishes.
  std::vector<Operation> renamesUnderWay() const {
    std::vector<Operation> renames;
    for (const std::string& to : names_) {
      const auto name = refs_.readFormerName(to);
      if (!name || name->empty()) continue;
      renames.push_back(makeOperation("rename", *name + " to " + to));
      renames.back().renamedFrom = *name;
      renames.back().renamedTo = to;
    }
    return renames;
  }

  /// What was finished for writers that died belongs to the log of operations, unless they could
  /// still write it: a change says it itself, a rename or new version is compared.
  Result<void> logFinished(const Operation* change, const std::vector<Operation>& renames) {
    if (scope_ == SyncScope::Everything) return {};
    STRATA_TRY(auto latest, catalog_.operations(100));
    std::erase_if(latest, [](const Operation& one) { return one.kind == "verify"; });
    const Operation last = latest.empty() ? Operation{} : std::move(latest.front());
    for (const Operation& rename : renames) {
      const bool isThere =
          last.renamedFrom == rename.renamedFrom && last.renamedTo == rename.renamedTo;
      if (!isThere) STRATA_TRY(catalog_.log(rename));
    }
    for (const Operation& addition : additions_) {
      if (addition.at >= last.at) STRATA_TRY(catalog_.log(addition));
    }
    return change != nullptr ? catalog_.log(*change) : Result<void>();
  }

  /// A change whose file is damaged becomes what the catalog knows of it, or none.
  Result<void> mendChange() {
    const auto read = refs_.readChange();
    if (read || read.error().code != ErrorCode::CorruptData) return {};
    RefChange change;
    if (remembered_.isSound) {
      STRATA_TRY(change, rebuildChange(refs_, objects_, remembered_));
    } else {
      report_.problems.push_back(read.error().message +
                                 "; nothing else knows which refs it was about");
    }
    STRATA_TRY(auto copy, refs_.copyChangeAside());
    report_.setAside.push_back(std::move(copy));
    for (const VersionRef& ref : change.versions) report_.finished.push_back(ref.label());
    for (const auto* tags : {&change.tags, &change.erasedTags}) {
      for (const TagRef& tag : *tags) report_.finished.push_back(tag.name + ":" + tag.tag);
    }
    return report_.finished.empty() ? refs_.eraseChange() : refs_.writeChange(change);
  }

  /// The highest number of a name is known without its note. Of a damaged mark of a rename both
  /// names keep what they have.
  Result<void> mendNotes() {
    for (const std::string& name : names_) {
      const auto last = refs_.readLastNumber(name);
      if (!last && last.error().code == ErrorCode::CorruptData) {
        STRATA_TRY(const std::uint32_t listed, catalog_.lastNumber(name));
        STRATA_TRY(keepNumbers(refs_, name, std::max(listed, 1U), {}));
      }
      const auto former = refs_.readFormerName(name);
      if (!former && former.error().code == ErrorCode::CorruptData) {
        STRATA_TRY(auto path, refs_.setFormerNameAside(name));
        report_.setAside.push_back(std::move(path));
      }
    }
    return {};
  }

  /// A version both live and in the trash was on its way in one direction: it stays live, if its
  /// ref there is whole. A tag of a version in the trash goes; the trash has it.
  Result<void> settle() {
    for (auto key = trashed_.begin(); key != trashed_.end();) {
      if (!live_.contains(*key) || !refs_.readVersion(key->first, key->second)) {
        ++key;
        continue;
      }
      // A folder in that place is no ref: verify names it, and writers go on.
      const std::filesystem::path place = refs_.versionPath(key->first, key->second, Place::Trash);
      std::error_code problem;
      const bool isFolder =
          std::filesystem::is_directory(std::filesystem::symlink_status(place, problem));
      if (!isFolder) STRATA_TRY(refs_.eraseVersion(key->first, key->second, Place::Trash));
      key = trashed_.erase(key);
    }
    for (const std::string& name : names_) {
      STRATA_TRY(const std::vector<std::string> tags, refs_.tagNames(name));
      for (const std::string& tag : tags) {
        const Result<TagRef> ref = refs_.readTag(name, tag);
        if (!ref || !trashed_.contains({name, ref->number})) continue;
        STRATA_TRY(refs_.eraseTag(name, tag));
      }
    }
    return {};
  }

  /// Versions without a ref that somebody deleted or renamed. Those that only lost it stay listed.
  Result<void> forget() {
    if (scope_ == SyncScope::Everything) return catalog_.clear();
    STRATA_TRY(const auto live, catalog_.versions(Place::Live));
    STRATA_TRY(const auto trashed, catalog_.versions(Place::Trash));
    knownLive_ = knownOf(live);
    knownTrashed_ = knownOf(trashed);
    STRATA_TRY(const auto lost, versionsWithoutRef(refs_, catalog_));
    std::set<Key> kept;
    for (const VersionEntry& version : lost) {
      const Key key(version.name, version.number);
      if (!left_.contains(key)) kept.insert(key);
    }
    for (const Known* known : {&knownLive_, &knownTrashed_}) {
      for (const auto& [key, manifest] : *known) {
        if (live_.contains(key) || trashed_.contains(key) || kept.contains(key)) continue;
        STRATA_TRY(catalog_.eraseVersion(key.first, key.second));
      }
    }
    return {};
  }

  /// Writes refs anew that are missing, old or damaged. That what is remembered is true is said by
  /// the manifest; where that is lost, by a catalog that is sound (writeLost).
  Result<void> rescue() {
    STRATA_TRY(const std::vector<const VersionRef*> lost, lostRefs());
    if (!lost.empty()) {
      const auto unlisted = unlistedRefs();
      for (const VersionRef* ref : lost) {
        if (unlisted.contains({ref->manifestDigest, ref->addedAt})) continue;
        STRATA_TRY(rescue(*ref));
      }
    }
    for (const TagRef& tag : remembered_.tags) {
      if (!live_.contains({tag.name, tag.number}) || wasErased(tag)) continue;
      const auto ref = refs_.readTag(tag.name, tag.tag);
      if (!ref && isLost(ref.error().code)) STRATA_TRY(refs_.writeTag(tag));
    }
    return {};
  }

  /// Of what is remembered, that which nobody deleted or renamed and whose ref is missing, old or
  /// damaged.
  Result<std::vector<const VersionRef*>> lostRefs() const {
    STRATA_TRY(const auto goingNumbers, refs_.goingNumbers());
    const std::set<Key> going = keysOf(goingNumbers);
    std::vector<const VersionRef*> lost;
    for (const VersionRef& ref : remembered_.versions) {
      const Key key(ref.name, ref.number);
      const bool isLive = live_.contains(key);
      if (isLive || trashed_.contains(key)) {
        if (isWrongRef(key, isLive, ref)) lost.push_back(&ref);
        continue;
      }
      STRATA_TRY(const bool isElsewhere, wasRenamed(refs_, ref));
      const bool isGone = going.contains(key) || left_.contains(key);
      if (!isElsewhere && !isGone) lost.push_back(&ref);
    }
    return lost;
  }

  bool isWrongRef(const Key& key, bool isLive, const VersionRef& remembered) const {
    if (isLive != (remembered.removedAt == 0)) return false;
    const auto ref = refs_.readVersion(key.first, key.second, isLive ? Place::Live : Place::Trash);
    if (ref) {
      return isOldRef(objects_, *ref, remembered.contentDigest, remembered.manifestDigest);
    }
    if (ref.error().code != ErrorCode::CorruptData) return false;
    if (scope_ == SyncScope::Repair) return true;
    // What is not the store's in its place is its owner's to move; a repair fails and says so.
    const auto path = refs_.versionPath(key.first, key.second, remembered.place());
    const auto problem = placeProblem(path, PlaceKind::File);
    return problem && !*problem;
  }

  /// Refs of versions that are not remembered: manifests and times of them. What is remembered with
  /// the same ones is such a version under a name or number that was damaged.
  std::set<std::pair<Digest, std::int64_t>> unlistedRefs() const {
    std::set<Key> known;
    for (const VersionRef& ref : remembered_.versions) known.emplace(ref.name, ref.number);
    std::set<std::pair<Digest, std::int64_t>> unlisted;
    for (const auto& [keys, place] :
         {std::pair(&live_, Place::Live), std::pair(&trashed_, Place::Trash)}) {
      for (const Key& key : *keys) {
        if (known.contains(key)) continue;
        const auto ref = refs_.readVersion(key.first, key.second, place);
        if (ref) unlisted.emplace(ref->manifestDigest, ref->addedAt);
      }
    }
    return unlisted;
  }

  Result<void> rescue(const VersionRef& ref) {
    const auto manifest = readManifest(objects_, ref.manifestDigest, ref.contentDigest);
    if (!manifest && !isUnusable(manifest.error().code)) return fail(manifest.error());
    const bool isLive = ref.removedAt == 0;
    if (!manifest && remembered_.isSound && isLost(manifest.error().code)) return writeLost(ref);
    if (!manifest) {
      report_.problems.push_back(fmt::format(
          "{}: its ref {} is lost, and {}", ref.label(),
          refs_.versionPath(ref.name, ref.number, isLive ? Place::Live : Place::Trash).string(),
          manifest.error().message));
      return {};
    }
    STRATA_TRY(isLive ? refs_.writeVersion(ref) : refs_.writeTrashed(ref));
    (isLive ? live_ : trashed_).emplace(ref.name, ref.number);
    report_.rescued.push_back(ref.label());
    return {};
  }

  /// Without its manifest nothing else says that what is remembered is true, so a damaged ref stays
  /// beside it. The ref names the manifest, which a remote may give.
  Result<void> writeLost(const VersionRef& ref) {
    const Place place = ref.place();
    if ((place == Place::Live ? live_ : trashed_).contains({ref.name, ref.number})) {
      STRATA_TRY(auto path, refs_.setAside(ref.name, ref.number, place));
      report_.setAside.push_back(std::move(path));
    }
    STRATA_TRY(place == Place::Live ? refs_.writeVersion(ref) : refs_.writeTrashed(ref));
    (place == Place::Live ? live_ : trashed_).emplace(ref.name, ref.number);
    report_.rescued.push_back(ref.label());
    return {};
  }

  Result<void> putVersions(const std::set<Key>& keys, Place place, const std::stop_token& stop,
                           const ProgressSink& progress) {
    const Known& known = place == Place::Live ? knownLive_ : knownTrashed_;
    std::size_t done = 0;
    for (const auto& [name, number] : keys) {
      if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
      if (progress && ++done % 100 == 0) {
        progress({"reading refs", fmt::format("{}:v{}", name, number), done, keys.size()});
      }
      const auto knownAs = known.find({name, number});
      Result<void> put =
          putVersion(name, number, place,
                     knownAs == known.end() ? std::nullopt : std::optional(knownAs->second));
      if (put) continue;
      if (!isUnusable(put.error().code)) return put;
      ++(place == Place::Live ? unreadableLive_ : unreadableTrashed_);
      report_.problems.push_back(put.error().within(fmt::format("{}:v{}", name, number)).message);
    }
    return {};
  }

  /// Only the words of people may differ where the catalog knows the version with the manifest that
  /// the ref names, unless it awaits packs, which may be here by now, no name leads to it, which a
  /// catalog of an earlier program does not say, or a change of it was just finished.
  Result<void> putVersion(const std::string& name, std::uint32_t number, Place place,
                          const std::optional<Digest>& knownManifest) {
    STRATA_TRY(const VersionRef ref, refs_.readVersion(name, number, place));
    const bool isAddition = !knownManifest && !changed_.contains({name, number});
    if (place == Place::Live && isAddition) noteAddition(ref);
    if (place == Place::Live) STRATA_TRY(giveTags(refs_, ref));
    const bool isKnown = scope_ == SyncScope::Differences && knownManifest == ref.manifestDigest;
    if (isKnown && !ref.awaited && !ref.isUnlisted && !changed_.contains({name, number})) {
      return catalog_.setWords(ref);
    }
    STRATA_TRY(const Manifest manifest,
               readManifest(objects_, ref.manifestDigest, ref.contentDigest));
    return catalog_.putVersion(ref, summarize(manifest, ref.manifestDigest, objects_));
  }

  /// One that the catalog does not know: its writer may have died before the catalog knew of it.
  void noteAddition(const VersionRef& ref) {
    if (knownTrashed_.contains({ref.name, ref.number})) return;
    Operation addition = makeOperation("add", ref.label());
    addition.at = ref.addedAt;
    addSteps(addition, refs_, {.versions = {ref}, .tags = ref.tags});
    for (VersionStep& step : addition.versions) step.before = {};
    additions_.push_back(std::move(addition));
  }

  /// Of the refs there are, readable or not: their numbers are taken.
  std::uint32_t highestOf(const std::string& name) const {
    std::uint32_t highest = 0;
    for (const std::set<Key>* keys : {&live_, &trashed_}) {
      const auto after = keys->upper_bound({name, std::numeric_limits<std::uint32_t>::max()});
      if (after == keys->begin()) continue;
      const Key& last = *std::prev(after);
      if (last.first == name) highest = std::max(highest, last.second);
    }
    return highest;
  }

  /// By the change that was finished.
  bool wasErased(const TagRef& tag) const {
    if (!change_) return false;
    return std::any_of(
        change_->erasedTags.begin(), change_->erasedTags.end(),
        [&](const TagRef& erased) { return erased.name == tag.name && erased.tag == tag.tag; });
  }

  /// A tag of a live version whose file is missing or damaged: who removes a tag takes it from the
  /// catalog first or dies and leaves a change, and who moves a version to the trash marks it there
  /// first.
  Result<bool> isLostTag(const TagRef& tag) const {
    if (wasErased(tag)) return false;
    const auto ref = refs_.readTag(tag.name, tag.tag);
    if (ref || !isUnusable(ref.error().code)) return false;
    STRATA_TRY(const auto version, catalog_.version(tag.name, tag.number));
    return version.has_value();
  }

  Result<void> putTags() {
    STRATA_TRY(const std::vector<TagRef> known, catalog_.tags());
    for (const TagRef& tag : known) {
      STRATA_TRY(const bool hasNoFile, isLostTag(tag));
      if (!hasNoFile) STRATA_TRY(catalog_.eraseTag(tag.name, tag.tag));
    }
    for (const std::string& name : names_) {
      const Result<LastNumber> last = refs_.readLastNumber(name);
      if (!last) report_.problems.push_back(last.error().message);
      STRATA_TRY(catalog_.noteLastNumber(
          name, std::max(last.value_or(LastNumber{}).number, highestOf(name))));
      STRATA_TRY(const std::vector<std::string> tags, refs_.tagNames(name));
      for (const std::string& tag : tags) {
        const Result<TagRef> ref = refs_.readTag(name, tag);
        if (ref) {
          STRATA_TRY(catalog_.putTag(*ref));
          ++report_.tagCount;
        } else {
          report_.problems.push_back(ref.error().message);
        }
      }
    }
    return {};
  }

  Catalog& catalog_;
  const RefFolder& refs_;
  const ObjectFolder& objects_;
  SyncScope scope_;
  const RememberedRefs& remembered_;
  std::vector<std::string> names_;
  std::set<Key> live_, trashed_;      ///< as the refs say
  Known knownLive_, knownTrashed_;    ///< as the catalog said, for SyncScope::Differences
  std::optional<RefChange> change_;   ///< that was finished
  std::set<Key> changed_;             ///< its versions
  std::set<Key> left_;                ///< numbers that versions left by it
  std::vector<Operation> additions_;  ///< versions that the catalog did not know
  std::uint64_t unreadableLive_ = 0, unreadableTrashed_ = 0;
  SyncReport report_;
};

}  // namespace

Result<SyncReport> syncCatalog(Catalog& catalog, const RefFolder& refs, const ObjectFolder& objects,
                               SyncScope scope, const RememberedRefs& remembered,
                               std::stop_token stop, const ProgressSink& progress) {
  return Sync(catalog, refs, objects, scope, remembered).run(std::move(stop), progress);
}

}  // namespace strata
