#include "core/store/refs/ref_change.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/store/store_places.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

Place otherPlace(const VersionRef& ref) noexcept {
  return ref.place() == Place::Live ? Place::Trash : Place::Live;
}

/// A tag that was moved on by then is another version's.
Result<void> eraseTags(const RefFolder& refs, const VersionRef& ref) {
  for (const TagRef& tag : ref.tags) {
    const auto kept = refs.readTag(tag.name, tag.tag);
    if (kept && kept->number == ref.number) STRATA_TRY(refs.eraseTag(tag.name, tag.tag));
  }
  return {};
}

bool hasRef(const RefFolder& refs, const std::string& name, std::uint32_t number, Place place) {
  const auto standing = refs.readVersion(name, number, place);
  return standing || standing.error().code != ErrorCode::NotFound;
}

bool hasAnyRef(const RefFolder& refs, const std::string& name, std::uint32_t number) {
  return hasRef(refs, name, number, Place::Live) || hasRef(refs, name, number, Place::Trash);
}

/// A tag that was moved since the change began, or whose version was deleted.
bool wasMoved(const RefFolder& refs, const RefChange& change, const TagRef& tag) {
  const std::uint32_t other = change.otherNumber(tag.name, tag.number);
  const bool isBrought = std::ranges::any_of(change.versions, [&](const VersionRef& ref) {
    return ref.name == tag.name && ref.number == tag.number;
  });
  const bool hasVersion = isBrought || hasAnyRef(refs, tag.name, tag.number) ||
                          (other != 0 && hasAnyRef(refs, tag.name, other));
  if (!hasVersion) return true;
  const auto standing = refs.readTag(tag.name, tag.tag);
  return standing && standing->taggedAt > tag.taggedAt;
}

/// A version that got a tag since its removal began: the removal takes all tags with it, but for
/// those that the change gives to others.
Result<bool> wasTagged(const RefFolder& refs, const RefChange& change, const VersionRef& ref) {
  if (ref.place() == Place::Live) return false;
  STRATA_TRY(const std::vector<std::string> tags, refs.tagNames(ref.name));
  return std::any_of(tags.begin(), tags.end(), [&](const std::string& tag) {
    const auto standing = refs.readTag(ref.name, tag);
    const auto isIt = [&](const TagRef& one) { return one.name == ref.name && one.tag == tag; };
    const bool isKnown = std::any_of(ref.tags.begin(), ref.tags.end(), isIt) ||
                         std::any_of(change.tags.begin(), change.tags.end(), isIt) ||
                         std::any_of(change.erasedTags.begin(), change.erasedTags.end(), isIt);
    return standing && standing->number == ref.number && !isKnown;
  });
}

/// A version that was deleted, renamed or given another manifest since. One whose ref is lost is
/// neither: its number is not among those of deleted versions.
Result<bool> wasReplaced(const RefFolder& refs, const ObjectFolder& objects,
                         const VersionRef& ref) {
  bool isHere = false;
  for (const Place place : {Place::Live, Place::Trash}) {
    const auto standing = refs.readVersion(ref.name, ref.number, place);
    isHere = isHere || standing || standing.error().code != ErrorCode::NotFound;
    const bool isOther = standing && standing->manifestDigest != ref.manifestDigest;
    if (isOther && !objects.byteCount(ref.manifestDigest)) return true;
  }
  if (isHere) return false;
  return refs.readLastNumber(ref.name).value_or(LastNumber{}).number >= ref.number;
}

/// Killed at any step, a program that knows `change.json` leaves none of these.
Result<bool> isTooLate(const RefFolder& refs, const ObjectFolder& objects,
                       const RefChange& change) {
  for (const TagRef& tag : change.tags) {
    if (wasMoved(refs, change, tag)) return true;
  }
  for (const TagRef& tag : change.erasedTags) {
    const auto standing = refs.readTag(tag.name, tag.tag);
    if (standing && standing->taggedAt > tag.taggedAt) return true;
  }
  for (const VersionRef& ref : change.versions) {
    // Under one of its two numbers it is there at each instant.
    const std::uint32_t other = change.otherNumber(ref.name, ref.number);
    if (other != 0 && hasRef(refs, ref.name, other, Place::Live)) continue;
    STRATA_TRY(const bool isTagged, wasTagged(refs, change, ref));
    STRATA_TRY(const bool isReplaced, wasReplaced(refs, objects, ref));
    if (isTagged || isReplaced) return true;
  }
  return false;
}

/// All of placeRefs() but its last step.
Result<void> placeAll(const RefFolder& refs, const RefChange& change, RefBatch& prepared) {
  STRATA_TRY(prepared.place());
  // Each version has a ref at each instant, and its tags at one place at least.
  for (const VersionRef& ref : change.versions) {
    STRATA_TRY(refs.eraseVersion(ref.name, ref.number, otherPlace(ref)));
  }
  for (const VersionRef& ref : change.versions) {
    if (ref.place() == Place::Trash) STRATA_TRY(eraseTags(refs, ref));
  }
  for (const TagRef& tag : change.erasedTags) STRATA_TRY(refs.eraseTag(tag.name, tag.tag));
  for (const VersionRef& left : change.renumbered) {
    STRATA_TRY(refs.eraseVersion(left.name, left.number));
  }
  return {};
}

}  // namespace

std::string labelsOf(const std::vector<VersionRef>& refs) {
  std::string labels;
  for (const VersionRef& ref : refs) labels += (labels.empty() ? "" : ", ") + ref.label();
  return labels;
}

Result<void> checkTargets(const RefFolder& refs, const RefChange& change) {
  const fs::path store = refs.changePath().parent_path();
  const auto checkTags = [&](const std::string& name, const TagRef& tag) {
    return checkOwnFile(store, refs.tagPath(name, tag.tag));
  };
  for (const TagRef& tag : change.tags) STRATA_TRY(checkTags(tag.name, tag));
  for (const TagRef& tag : change.erasedTags) STRATA_TRY(checkTags(tag.name, tag));
  for (const VersionRef& left : change.renumbered) {
    STRATA_TRY(checkOwnFile(store, refs.versionPath(left.name, left.number)));
  }
  for (const VersionRef& ref : change.versions) {
    for (const Place place : {Place::Live, Place::Trash}) {
      STRATA_TRY(checkOwnFile(store, refs.versionPath(ref.name, ref.number, place)));
    }
    if (ref.place() == Place::Trash) continue;  // it keeps them itself
    for (const TagRef& tag : ref.tags) STRATA_TRY(checkTags(ref.name, tag));
  }
  return {};
}

Result<RefBatch> prepareRefs(const RefFolder& refs, const RefChange& change) {
  STRATA_TRY(checkTargets(refs, change));
  STRATA_TRY(RefBatch prepared, RefBatch::begin(refs.changePath().parent_path(),
                                                change.tags.size() + change.versions.size()));
  for (const TagRef& tag : change.tags) {
    STRATA_TRY(prepared.write(refs.tagPath(tag.name, tag.tag), serializeTagRef(tag)));
  }
  for (const VersionRef& ref : change.versions) {
    const fs::path place = refs.versionPath(ref.name, ref.number, ref.place());
    STRATA_TRY(prepared.write(place, serializeVersionRef(ref)));
  }
  STRATA_TRY(prepared.sync());
  return prepared;
}

Result<void> placeRefs(const RefFolder& refs, const RefChange& change, RefBatch& prepared) {
  STRATA_TRY(placeAll(refs, change, prepared));
  return refs.eraseChange();
}

bool isOver(const RefFolder& refs) {
  const auto change = refs.readChange();
  return change && !*change;
}

Result<std::optional<RefChange>> pendingChange(const RefFolder& refs, const ObjectFolder& objects) {
  STRATA_TRY(std::optional<RefChange> change, refs.readChange());
  if (!change) return std::nullopt;
  STRATA_TRY(const bool isLate, isTooLate(refs, objects, *change));
  if (isLate) return std::nullopt;
  return change;
}

Result<std::optional<RefChange>> settleChange(const RefFolder& refs, const ObjectFolder& objects) {
  Result<std::optional<RefChange>> change = pendingChange(refs, objects);
  if (!change && change.error().code == ErrorCode::CorruptData) {
    return fail(ErrorCode::CorruptData,
                change.error().message +
                    "; it says what a command did to several refs at once, so nothing is written "
                    "until \"strata verify --repair\" has made that good");
  }
  if (!change) return fail(change.error());
  if (!*change) {
    if (!isOver(refs)) STRATA_TRY(refs.eraseChange());
    return std::nullopt;
  }
  Result<RefBatch> prepared = prepareRefs(refs, **change);
  if (!prepared && prepared.error().code == ErrorCode::CorruptData) {
    return fail(ErrorCode::CorruptData,
                prepared.error().message +
                    "; a change that has begun writes there, so nothing is written until that is "
                    "moved away");
  }
  if (!prepared) return fail(prepared.error());
  STRATA_TRY(placeAll(refs, **change, *prepared));
  return change;
}

}  // namespace strata
