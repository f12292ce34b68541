#include "core/ops/care/detail/ref_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/ops/care/detail/former_names.h"
#include "core/store/catalog/lost_versions.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/catalog/number_notes.h"
#include "core/store/catalog/true_catalog.h"
#include "core/store/objects/needed_objects.h"
#include "core/store/objects/rebuildable_contents.h"
#include "core/store/store_places.h"

namespace strata {
namespace {

using Key = std::pair<std::string, std::uint32_t>;

bool agrees(const VersionRef& ref, const VersionEntry& version) {
  return ref.contentDigest == version.contentDigest &&
         ref.manifestDigest == version.manifestDigest && ref.note == version.note &&
         ref.license == version.license && ref.sourceUrl == version.sourceUrl &&
         ref.addedAt == version.addedAt && ref.removedAt == version.removedAt &&
         ref.storedBytes == version.storedBytes && ref.isUnlisted == version.isUnlisted;
}

class Comparing {
 public:
  Comparing(const Store& store, bool isUnfinished, const RefChange& pending)
      : store_(store), isUnfinished_(isUnfinished) {
    for (const auto* refs : {&pending.versions, &pending.renumbered}) {
      for (const VersionRef& ref : *refs) changing_.emplace(ref.name, ref.number);
    }
    for (const auto* tags : {&pending.tags, &pending.erasedTags}) {
      for (const TagRef& tag : *tags) movingTags_.emplace(tag.name, tag.tag);
    }
  }

  Result<RefComparison> run(const std::vector<VersionEntry>& versions, bool isWhole) {
    STRATA_TRY(findWithoutRef());
    for (const VersionEntry& version : versions) compare(version);
    if (isWhole) {
      for (const Place place : {Place::Live, Place::Trash}) STRATA_TRY(findUnlisted(place));
      STRATA_TRY(compareTags());
      STRATA_TRY(checkNotes());
    }
    return std::move(found_);
  }

 private:
  /// A folder that is a link cannot be listed. Who surveys the store names it.
  static Result<void> goOn(const Error& error) {
    if (error.code == ErrorCode::CorruptData) return {};
    return fail(error);
  }

  Result<void> findWithoutRef() {
    const auto lost = versionsWithoutRef(store_.refs(), store_.catalog());
    if (!lost) return goOn(lost.error());
    for (const VersionEntry& version : *lost) withoutRef_.emplace(version.name, version.number);
    return {};
  }

  void compare(const VersionEntry& version) {
    const Place place = version.place();
    const auto ref = store_.refs().readVersion(version.name, version.number, place);
    if (changing_.contains({version.name, version.number})) {
      found_.unfinished.push_back(version.label());
      return;
    }
    if (ref && agrees(*ref, version)) {
      if (ref->awaited) found_.awaiting.push_back(*ref);
      return;
    }
    if (isUnfinished_ && isOnItsWay(version, ref)) {
      found_.unfinished.push_back(version.label());
      return;
    }
    const auto path = store_.refs().versionPath(version.name, version.number, place);
    if (ref && isOldRef(store_.objects(), *ref, version.contentDigest, version.manifestDigest)) {
      addRefDamage(path,
                   fmt::format("names the manifest {}, which is lost; the catalog has another one",
                               shortHex(ref->manifestDigest)),
                   {version.label()});
    } else if (ref) {
      addCatalogDamage(fmt::format("does not agree with {}", path.string()));
    } else if (withoutRef_.contains({version.name, version.number})) {
      const bool isHere =
          readManifest(store_, version.manifestDigest, version.contentDigest).has_value();
      addRefDamage(path, isHere ? "is missing; its model is still here" : "is missing",
                   {version.label()});
    } else {
      addRefDamage(path, ref.error().message, {version.label()});
    }
  }

  /// To or from the trash, to another name, to another manifest, or for good.
  bool isOnItsWay(const VersionEntry& version, const Result<VersionRef>& ref) const {
    if (ref) return ref->contentDigest == version.contentDigest && isReadable(*ref);
    if (ref.error().code != ErrorCode::NotFound) return false;
    return !withoutRef_.contains({version.name, version.number});
  }

  bool isReadable(const VersionRef& ref) const {
    return readManifest(store_, ref.manifestDigest, ref.contentDigest).has_value();
  }

  /// Refs that the catalog does not list.
  Result<void> findUnlisted(Place place) {
    const auto numbers = store_.refs().versionNumbers(place);
    if (!numbers) return goOn(numbers.error());
    STRATA_TRY(const auto versions, store_.catalog().versions(place));
    std::set<Key> listed;
    for (const VersionEntry& version : versions) listed.emplace(version.name, version.number);
    for (const auto& [name, list] : *numbers) {
      for (const std::uint32_t number : list) {
        if (!listed.contains({name, number})) addUnlisted(name, number, place);
      }
    }
    return {};
  }

  void addUnlisted(const std::string& name, std::uint32_t number, Place place) {
    const std::string label = fmt::format("{}:v{}", name, number);
    const auto ref = store_.refs().readVersion(name, number, place);
    const bool isGone = !ref && ref.error().code == ErrorCode::NotFound;
    const bool isOnItsWay = isUnfinished_ && (isGone || (ref && isReadable(*ref)));
    if (isOnItsWay || changing_.contains({name, number})) {
      found_.unfinished.push_back(label);
    } else if (ref) {
      addUnlisted(*ref);
    } else if (ref.error().code == ErrorCode::CorruptData) {
      addRefDamage(store_.refs().versionPath(name, number, place), ref.error().message, {label});
    } else {
      addCatalogDamage(fmt::format("does not list {}: {}", label, ref.error().message));
    }
  }

  /// A catalog that is written anew lists it if its manifest can be read.
  void addUnlisted(const VersionRef& ref) {
    const auto manifest = readManifest(store_, ref.manifestDigest, ref.contentDigest);
    const ErrorCode code = manifest ? ErrorCode::Internal : manifest.error().code;
    if (code == ErrorCode::NotFound) {
      found_.lostManifests.push_back({ref, "is missing"});
    } else if (code == ErrorCode::CorruptData) {
      found_.lostManifests.push_back({ref, manifest.error().message});
    } else {
      addCatalogDamage("does not list " + ref.label());
    }
  }

  Result<void> compareTags() {
    STRATA_TRY(const auto listed, store_.catalog().tags());
    STRATA_TRY(const auto names, store_.refs().names());
    std::map<std::pair<std::string, std::string>, TagRef> known;
    for (const TagRef& tag : listed) known.emplace(std::pair(tag.name, tag.tag), tag);
    for (const std::string& name : names) {
      const auto tags = store_.refs().tagNames(name);
      if (!tags) STRATA_TRY(goOn(tags.error()));
      for (const std::string& tag : tags.value_or(std::vector<std::string>{})) {
        const auto at = known.find({name, tag});
        compareTag(name, tag, at == known.end() ? nullptr : &at->second);
        if (at != known.end()) known.erase(at);
      }
    }
    for (const auto& [key, tag] : known) compareTag(tag.name, tag.tag, &tag);
    return {};
  }

  void compareTag(const std::string& name, const std::string& tag, const TagRef* listed) {
    const auto ref = store_.refs().readTag(name, tag);
    const bool isListed = ref && listed != nullptr && *ref == *listed;
    const bool hasLost = isListed && hasLostVersion(store_.refs(), *ref) &&
                         !withoutRef_.contains({name, ref->number});
    if (isListed && !hasLost) return;
    const bool isReadable = ref || ref.error().code == ErrorCode::NotFound;
    const bool isMoving = movingTags_.contains({name, tag}) ||
                          (ref && changing_.contains({name, ref->number})) ||
                          (listed != nullptr && changing_.contains({name, listed->number}));
    if (isReadable && (isUnfinished_ || isMoving)) {
      found_.unfinished.push_back(name + ":" + tag);
    } else if (hasLost) {
      addRefDamage(store_.refs().tagPath(name, tag),
                   fmt::format("points to {0}:v{1}, whose ref was lost; where nothing brings that "
                               "back, \"strata tag remove {0}:{2}\" takes the tag away",
                               name, ref->number, tag),
                   {});
    } else if (listed == nullptr && ref) {
      addCatalogDamage(fmt::format("does not list the tag {}:{}", name, tag));
    } else {
      addRefDamage(store_.refs().tagPath(name, tag),
                   ref ? "does not agree with the catalog" : ref.error().message, {});
    }
  }

  /// What is kept of names beside their versions.
  Result<void> checkNotes() {
    const RefFolder& refs = store_.refs();
    STRATA_TRY(const auto names, refs.names());
    const auto isDamaged = [](const auto& note) {
      return !note && note.error().code == ErrorCode::CorruptData;
    };
    for (const std::string& name : names) {
      const auto last = refs.readLastNumber(name);
      if (isDamaged(last)) addRefDamage(refs.lastNumberPath(name), last.error().message, {});
      const auto former = refs.readFormerName(name);
      if (isDamaged(former)) addRefDamage(refs.formerNamePath(name), former.error().message, {});
    }
    return checkNumbers();
  }

  /// Numbers that were used up and that a file no longer names might be given again.
  Result<void> checkNumbers() {
    const RefFolder& refs = store_.refs();
    const auto lost = lostNumberNotes(store_.folder() / "catalog.sqlite", refs, NumberFiles::All);
    if (!lost) return goOn(lost.error());
    for (const LostNumberNote& one : *lost) {
      const auto path = refs.lastNumberPath(one.name);
      const auto file = refs.readLastNumber(one.name);
      if (!file) continue;  // named above
      addRefDamage(
          path,
          fmt::format("{}: it says which numbers up to v{} are used up",
                      file->number == 0 ? "is missing" : "is an older copy", one.whole.number),
          {});
    }
    return {};
  }

  void addCatalogDamage(std::string reason) {
    found_.damages.push_back({.kind = Damage::Kind::Catalog,
                              .path = store_.folder() / "catalog.sqlite",
                              .reason = std::move(reason)});
  }

  void addRefDamage(std::filesystem::path path, std::string reason,
                    std::vector<std::string> versions) {
    found_.damages.push_back({.kind = Damage::Kind::Ref,
                              .path = std::move(path),
                              .reason = std::move(reason),
                              .versions = std::move(versions)});
  }

  const Store& store_;
  const bool isUnfinished_;
  std::set<Key> changing_;                                    ///< versions of the pending change
  std::set<std::pair<std::string, std::string>> movingTags_;  ///< and its tags
  std::set<Key> withoutRef_;                                  ///< listed, with a ref nowhere
  RefComparison found_;
};

/// Versions whose parents are all there and that nothing rebuilds. `missing`: by content.
std::vector<Damage> circles(const std::vector<VersionEntry>& versions,
                            const std::map<Digest, std::vector<std::string>>& missing) {
  std::vector<Descent> descents;
  for (const auto& [content, labels] : missing) descents.push_back({content, std::nullopt});
  for (const VersionEntry& version : versions) {
    descents.push_back({version.contentDigest, version.parentDigest});
  }
  const std::set<Digest> rebuildable = rebuildableContents(descents);
  std::vector<Damage> damages;
  for (const VersionEntry& version : versions) {
    if (rebuildable.contains(version.contentDigest)) continue;
    damages.push_back({.kind = Damage::Kind::Parent,
                       .digest = *version.parentDigest,
                       .path = {},
                       .reason = "is rebuilt through itself alone",
                       .versions = {version.label()}});
  }
  return damages;
}

}  // namespace

Result<RefComparison> compareRefs(const Store& store, const std::vector<VersionEntry>& versions,
                                  bool isWhole, bool isUnfinished, const RefChange& pending) {
  return Comparing(store, isUnfinished, pending).run(versions, isWhole);
}

Result<std::vector<Damage>> missingParents(const Store& store,
                                           const std::vector<VersionEntry>& versions,
                                           const std::stop_token& stop) {
  std::map<Digest, std::vector<std::string>> children;  // by content of a parent that is missing
  std::map<Digest, bool> isListed;
  for (const VersionEntry& version : versions) {
    if (!version.parentDigest) continue;
    const auto [known, isNew] = isListed.try_emplace(*version.parentDigest, false);
    if (isNew) {
      STRATA_TRY(const auto manifests, store.catalog().manifestsWithContent(*version.parentDigest));
      known->second = !manifests.empty();
    }
    if (!known->second) children[*version.parentDigest].push_back(version.label());
  }
  std::vector<Damage> damages = circles(versions, children);
  if (children.empty()) return damages;
  STRATA_TRY(const TrueCatalog truth, readTrueCatalog(store.refs(), store.objects(), stop));
  STRATA_TRY(const auto unnamed, unnamedManifests(store.objects(), *truth.catalog, stop));
  std::map<Digest, Digest> here;  // manifests by content
  for (const UnnamedManifest& one : unnamed) {
    here.emplace(one.summary.entry.contentDigest, one.digest);
  }
  for (auto& [content, labels] : children) {
    const auto found = here.find(content);
    const bool isHere = found != here.end();
    damages.push_back(
        {.kind = Damage::Kind::Parent,
         .digest = content,
         .path = isHere ? store.objects().pathOf(found->second) : std::filesystem::path(),
         .reason = isHere ? "has lost its ref; its model is still here" : "is not in this store",
         .versions = std::move(labels)});
  }
  return damages;
}

void nameMisplaced(const StoreSurvey& survey, std::vector<Damage>& damages,
                   std::vector<std::filesystem::path>& foreign) {
  for (const StoreSurvey::Misplaced& one : survey.misplaced) {
    const auto known = std::find_if(damages.begin(), damages.end(),
                                    [&](const Damage& damage) { return damage.path == one.path; });
    if (known == damages.end()) {
      damages.push_back({.kind = Damage::Kind::Place, .path = one.path, .reason = one.reason});
      continue;
    }
    known->kind = Damage::Kind::Place;
    known->reason = one.reason;
  }
  std::erase_if(foreign, [&](const std::filesystem::path& file) {
    auto problem = placeProblem(file, PlaceKind::Folder);
    if (!problem || !*problem) return false;
    std::set<std::string> labels;
    const auto blocked = std::erase_if(damages, [&](const Damage& damage) {
      const std::filesystem::path folder = damage.path.parent_path();
      if (folder != file && folder.parent_path() != file) return false;
      labels.insert(damage.versions.begin(), damage.versions.end());
      return true;
    });
    if (blocked == 0) return false;
    damages.push_back({.kind = Damage::Kind::Place,
                       .path = file,
                       .reason = **std::move(problem),
                       .versions = {labels.begin(), labels.end()}});
    return true;
  });
}

}  // namespace strata
