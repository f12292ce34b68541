#include "core/store/refs/ref_rename.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <utility>

#include "core/store/read_errors.h"
#include "core/store/refs/ref_change.h"
#include "core/store/store_places.h"

namespace strata {
namespace {

/// What a name has.
struct RefSet {
  std::vector<VersionRef> live, trashed;
  std::vector<TagRef> tags;
};

enum class Unreadable { Refused, LeftOut };

template <typename Ref>
Result<void> take(Result<Ref> ref, Unreadable unreadable, std::vector<Ref>& all) {
  if (ref) {
    all.push_back(*std::move(ref));
  } else if (unreadable == Unreadable::Refused || !isUnusable(ref.error().code)) {
    return fail(std::move(ref).error());
  }
  return {};
}

Result<RefSet> readAll(const RefFolder& refs, const std::string& name, Unreadable unreadable) {
  RefSet all;
  STRATA_TRY(const auto live, refs.versionNumbers(name));
  STRATA_TRY(const auto trashed, refs.versionNumbers(name, Place::Trash));
  STRATA_TRY(const auto tags, refs.tagNames(name));
  for (const std::uint32_t number : live) {
    STRATA_TRY(take(refs.readVersion(name, number), unreadable, all.live));
  }
  for (const std::uint32_t number : trashed) {
    STRATA_TRY(take(refs.readVersion(name, number, Place::Trash), unreadable, all.trashed));
  }
  for (const std::string& tag : tags) {
    STRATA_TRY(take(refs.readTag(name, tag), unreadable, all.tags));
  }
  return all;
}

RefSet renamed(RefSet all, const std::string& to) {
  for (auto* versions : {&all.live, &all.trashed}) {
    for (VersionRef& ref : *versions) {
      ref.name = to;
      for (TagRef& tag : ref.tags) tag.name = to;
    }
  }
  for (TagRef& tag : all.tags) tag.name = to;
  return all;
}

/// Tags come before the versions that they name go, and nothing reads them without.
Result<void> writeAll(const RefFolder& refs, const RefSet& all) {
  for (const VersionRef& ref : all.live) STRATA_TRY(refs.writeVersion(ref));
  for (const TagRef& tag : all.tags) STRATA_TRY(refs.writeTag(tag));
  for (const VersionRef& ref : all.trashed) STRATA_TRY(refs.writeTrashed(ref));
  return {};
}

/// Something else may lie where a file of the rename is due. What was begun could neither be
/// finished nor taken back then.
Result<void> checkPlacesOf(const RefFolder& refs, const RefSet& all, const std::string& name,
                           const std::string& to) {
  RefChange change{.versions = all.live, .tags = all.tags};
  change.versions.insert(change.versions.end(), all.trashed.begin(), all.trashed.end());
  STRATA_TRY(checkTargets(refs, change));
  const std::filesystem::path store = refs.changePath().parent_path();
  for (const auto& note :
       {refs.formerNamePath(to), refs.lastNumberPath(to), refs.lastNumberPath(name)}) {
    STRATA_TRY(checkOwnFile(store, note));
  }
  return {};
}

Result<void> eraseAll(const RefFolder& refs, const RefSet& all, const std::string& name) {
  for (const VersionRef& ref : all.live) STRATA_TRY(refs.eraseVersion(name, ref.number));
  for (const TagRef& tag : all.tags) STRATA_TRY(refs.eraseTag(name, tag.tag));
  for (const VersionRef& ref : all.trashed) {
    STRATA_TRY(refs.eraseVersion(name, ref.number, Place::Trash));
  }
  return {};
}

/// The highest number of the versions that the name has; 0 for none.
Result<std::uint32_t> highestListed(const RefFolder& refs, std::string_view name) {
  STRATA_TRY(const auto live, refs.versionNumbers(name));
  STRATA_TRY(const auto trashed, refs.versionNumbers(name, Place::Trash));
  std::uint32_t highest = 0;
  for (const auto* numbers : {&live, &trashed}) {
    if (!numbers->empty()) highest = std::max(highest, numbers->back());
  }
  return highest;
}

/// What is kept of a name, with the highest number that it has or had. Of a note that is damaged
/// nobody knows what its numbers stood for.
Result<LastNumber> lastNumberOf(const RefFolder& refs, const std::string& name,
                                std::uint32_t atLeast) {
  Result<LastNumber> kept = refs.readLastNumber(name);
  if (!kept && !isUnusable(kept.error().code)) return kept;
  STRATA_TRY(const std::uint32_t highest, highestListed(refs, name));
  LastNumber last = kept.value_or(LastNumber{});
  last.number = std::max({last.number, highest, atLeast});
  if (!kept) last.unknownTo = last.number;
  return last;
}

/// Written whole at each deletion: 129 kB where 5,000 versions left, read and written in 10 ms.
/// That is less than the rest of a deletion takes, and one of many versions writes it once.
void noteContents(std::map<std::uint32_t, std::string>& former, const NumberedContents& leaving) {
  for (const auto& [number, content] : leaving) {
    former[number] = toHex(content).substr(0, LastNumber::kFormerDigits);
  }
}

Result<void> drop(const RefFolder& refs, const RefSet& all, const std::string& name,
                  const std::string& to) {
  STRATA_TRY(const std::uint32_t had, highestNumber(refs, name));
  STRATA_TRY(LastNumber there, lastNumberOf(refs, to, had));
  there.movedTo.clear();
  STRATA_TRY(refs.writeLastNumber(to, there));
  NumberedContents moved;
  for (const auto* versions : {&all.live, &all.trashed}) {
    for (const VersionRef& ref : *versions) moved.emplace(ref.number, ref.contentDigest);
  }
  STRATA_TRY(LastNumber here, lastNumberOf(refs, name, had));
  noteContents(here.former, moved);
  here.movedTo = to;
  STRATA_TRY(refs.writeLastNumber(name, here));
  STRATA_TRY(eraseAll(refs, all, name));
  return refs.eraseFormerName(to);
}

}  // namespace

Result<std::uint32_t> highestNumber(const RefFolder& refs, std::string_view name) {
  STRATA_TRY(std::uint32_t highest, highestListed(refs, name));
  highest = std::max(highest, refs.readLastNumber(name).value_or(LastNumber{}).number);
  return std::max(highest, highestTagged(refs, name, {}));
}

// Where they cannot be listed, a tag cannot be given either, and that is what fails.
std::uint32_t highestTagged(const RefFolder& refs, std::string_view name, const TagNumbers& known) {
  std::uint32_t highest = 0;
  const auto tags = refs.tagNames(name);
  for (const std::string& tag : tags.value_or(std::vector<std::string>{})) {
    const auto isKnown = known.find(tag);
    if (isKnown != known.end()) {
      highest = std::max(highest, isKnown->second);
    } else if (const auto ref = refs.readTag(name, tag)) {
      highest = std::max(highest, ref->number);
    }
  }
  return highest;
}

Result<void> keepNumbers(const RefFolder& refs, const std::string& name, std::uint32_t atLeast,
                         const NumberedContents& leaving, const NumberedContents& sources) {
  STRATA_TRY(LastNumber last, lastNumberOf(refs, name, atLeast));
  noteContents(last.former, leaving);
  noteContents(last.sources, sources);
  return refs.writeLastNumber(name, last);
}

Result<void> copyRefs(const RefFolder& refs, const std::string& name, const std::string& to) {
  STRATA_TRY(RefSet all, readAll(refs, name, Unreadable::Refused));
  const RefSet copies = renamed(std::move(all), to);
  STRATA_TRY(checkPlacesOf(refs, copies, name, to));
  STRATA_TRY(refs.writeFormerName(to, name));
  return writeAll(refs, copies);
}

Result<void> dropCopies(const RefFolder& refs, const std::string& name, const std::string& to) {
  STRATA_TRY(const std::string former, refs.readFormerName(to));
  if (former != name) return {};  // nothing was written
  STRATA_TRY(const RefSet all, readAll(refs, name, Unreadable::Refused));
  STRATA_TRY(eraseAll(refs, all, to));
  return refs.eraseFormerName(to);
}

Result<void> dropCopiedRefs(const RefFolder& refs, const std::string& name, const std::string& to) {
  STRATA_TRY(const RefSet all, readAll(refs, name, Unreadable::LeftOut));
  return drop(refs, all, name, to);
}

Result<void> settleRenames(const RefFolder& refs, const std::vector<std::string>& names) {
  for (const std::string& to : names) {
    const Result<std::string> name = refs.readFormerName(to);
    if (!name && !isUnusable(name.error().code)) return fail(name.error());
    if (!name || name->empty()) continue;
    STRATA_TRY(const RefSet all, readAll(refs, *name, Unreadable::LeftOut));
    STRATA_TRY(writeAll(refs, renamed(all, to)));
    STRATA_TRY(drop(refs, all, *name, to));
  }
  return {};
}

Result<bool> wasRenamed(const RefFolder& refs, const VersionRef& version) {
  constexpr int kMostRenames = 100;
  std::string name = version.name;
  for (int i = 0; i < kMostRenames; ++i) {
    const auto last = refs.readLastNumber(name);
    if (!last && !isUnusable(last.error().code)) return fail(last.error());
    if (!last || last->movedTo.empty()) return false;
    name = last->movedTo;
    for (const Place place : {Place::Live, Place::Trash}) {
      const auto ref = refs.readVersion(name, version.number, place);
      if (ref && ref->contentDigest == version.contentDigest) return true;
    }
  }
  return false;
}

}  // namespace strata
