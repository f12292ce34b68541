#include "core/store/refs/lost_change.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/store/catalog/manifest_summary.h"
#include "core/store/read_errors.h"
#include "core/store/refs/ref_renumber.h"

namespace strata {
namespace {

using Key = std::pair<std::string, std::uint32_t>;

Place otherPlace(Place place) noexcept { return place == Place::Live ? Place::Trash : Place::Live; }

/// But for what the catalog does not keep, and dates.
bool saysTheSame(const VersionRef& a, const VersionRef& b) {
  return a.manifestDigest == b.manifestDigest && a.isUnlisted == b.isUnlisted && a.note == b.note &&
         a.license == b.license && a.sourceUrl == b.sourceUrl;
}

class Rebuilding {
 public:
  Rebuilding(const RefFolder& refs, const ObjectFolder& objects) : refs_(refs), objects_(objects) {}

  Result<RefChange> run(const RememberedRefs& remembered) {
    STRATA_TRY(lookForRenumbered(remembered.versions));
    for (const VersionRef& version : remembered.versions) STRATA_TRY(look(version));
    for (const TagRef& tag : remembered.tags) STRATA_TRY(look(tag));
    STRATA_TRY(lookForErased(remembered.tags));
    return std::move(change_);
  }

 private:
  /// The version's ref at one place. Nothing for one that is not there, or of another content.
  Result<std::optional<VersionRef>> refAt(const VersionRef& version, Place place) const {
    auto ref = refs_.readVersion(version.name, version.number, place);
    if (!ref && !isUnusable(ref.error().code)) return fail(std::move(ref).error());
    if (!ref || ref->contentDigest != version.contentDigest) return std::nullopt;
    return *std::move(ref);
  }

  /// Refs under numbers that the catalog does not list, of versions that it has under others.
  Result<void> lookForRenumbered(const std::vector<VersionRef>& remembered) {
    std::map<std::pair<Digest, std::int64_t>, const VersionRef*> byTime;
    std::map<std::string, std::set<std::uint32_t>> listed;
    for (const VersionRef& one : remembered) {
      byTime.emplace(std::pair(one.manifestDigest, one.addedAt), &one);
      listed[one.name].insert(one.number);
    }
    for (const auto& [name, known] : listed) {
      STRATA_TRY(const auto numbers, refs_.versionNumbers(name));
      for (const std::uint32_t number : numbers) {
        if (known.contains(number)) continue;
        auto left = refs_.readVersion(name, number);
        const auto wanted =
            left ? byTime.find({left->manifestDigest, left->addedAt}) : byTime.end();
        if (wanted == byTime.end() || !isRenumbered(*left, *wanted->second)) continue;
        change_.renumbered.push_back(*left);
        left->number = wanted->second->number;
        live_.emplace(name, left->number);
        change_.versions.push_back(*std::move(left));
      }
    }
    return {};
  }

  Result<void> look(const VersionRef& wanted) {
    STRATA_TRY(auto there, refAt(wanted, wanted.place()));
    STRATA_TRY(auto elsewhere, refAt(wanted, otherPlace(wanted.place())));
    if (!there && !elsewhere) return {};
    const bool isDone = there && !elsewhere && saysTheSame(*there, wanted);
    if (wanted.place() == Place::Live) live_.emplace(wanted.name, wanted.number);
    if (isDone) return {};
    const bool isHere =
        readManifest(objects_, wanted.manifestDigest, wanted.contentDigest).has_value();
    if (!isHere) return {};
    VersionRef ref = there ? *std::move(there) : *std::move(elsewhere);
    ref.manifestDigest = wanted.manifestDigest;
    ref.storedBytes = wanted.storedBytes;
    ref.removedAt = wanted.removedAt;
    ref.isUnlisted = wanted.isUnlisted;
    ref.note = wanted.note;
    ref.license = wanted.license;
    ref.sourceUrl = wanted.sourceUrl;
    if (!wanted.awaited) ref.awaited.reset();
    STRATA_TRY(ref.tags, tagsOf(ref, wanted.tags));
    change_.versions.push_back(std::move(ref));
    return {};
  }

  /// All that a version of the trash had: none may be lost with their files.
  Result<std::vector<TagRef>> tagsOf(const VersionRef& ref, const std::vector<TagRef>& listed) {
    std::vector<TagRef> tags;
    if (ref.place() == Place::Live) return tags;
    const auto take = [&](const TagRef& tag) {
      const bool isKnown = std::any_of(tags.begin(), tags.end(),
                                       [&](const TagRef& one) { return one.tag == tag.tag; });
      if (!isKnown) tags.push_back(tag);
    };
    STRATA_TRY(const auto names, refs_.tagNames(ref.name));
    for (const std::string& name : names) {
      const auto tag = refs_.readTag(ref.name, name);
      if (tag && tag->number == ref.number) take(*tag);
    }
    for (const TagRef& tag : ref.tags) take(tag);
    for (const TagRef& tag : listed) take(tag);
    return tags;
  }

  Result<void> look(const TagRef& wanted) {
    if (!live_.contains({wanted.name, wanted.number})) return {};
    const auto tag = refs_.readTag(wanted.name, wanted.tag);
    if (!tag && !isUnusable(tag.error().code)) return fail(tag.error());
    const bool isDone = tag && (tag->number == wanted.number || tag->taggedAt > wanted.taggedAt);
    if (!isDone) change_.tags.push_back(wanted);
    return {};
  }

  /// Tags of live versions that the catalog does not list any more: it loses them first.
  Result<void> lookForErased(const std::vector<TagRef>& listed) {
    std::set<std::string> names;
    for (const auto& [name, number] : live_) names.insert(name);
    for (const std::string& name : names) {
      STRATA_TRY(const auto tags, refs_.tagNames(name));
      for (const std::string& tag : tags) {
        const auto ref = refs_.readTag(name, tag);
        const bool isListed = std::any_of(listed.begin(), listed.end(), [&](const TagRef& one) {
          return one.name == name && one.tag == tag;
        });
        if (ref && !isListed && live_.contains({name, ref->number})) {
          change_.erasedTags.push_back(*ref);
        }
      }
    }
    return {};
  }

  const RefFolder& refs_;
  const ObjectFolder& objects_;
  std::set<Key> live_;  ///< that have a ref, and are live once the change is done
  RefChange change_;
};

}  // namespace

Result<RefChange> rebuildChange(const RefFolder& refs, const ObjectFolder& objects,
                                const RememberedRefs& remembered) {
  return Rebuilding(refs, objects).run(remembered);
}

}  // namespace strata
