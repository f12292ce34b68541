#include "core/transfer/remote_library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/store/objects/rebuildable_contents.h"
#include "core/store/refs/reference.h"
#include "core/store/run_tags.h"
#include "core/text/glob.h"
#include "core/text/suggest.h"

namespace strata {
namespace {

using Kind = Reference::Kind;

bool byNameAndNumber(const RemoteVersion& a, const RemoteVersion& b) noexcept {
  return std::tie(a.ref.name, a.ref.number) < std::tie(b.ref.name, b.ref.number);
}

}  // namespace

bool isGlob(std::string_view word) noexcept {
  return word.find_first_of("*?") != std::string_view::npos;
}

RemoteLibrary RemoteLibrary::from(const RefListing& listing) {
  RemoteLibrary library;
  library.revision = listing.revision;
  for (const auto& [name, text] : listing.refs) {
    const auto parts = parseRefName(name);
    if (parts && parts->isTag()) {
      auto tag = parseRemoteTag(name, text);
      tag ? library.tags.push_back(*std::move(tag))
          : library.problems.push_back(tag.error().message);
      continue;
    }
    auto version = parseRemoteVersion(name, text);
    if (!version) {
      library.problems.push_back(version.error().message);
      continue;
    }
    auto& list = version->ref.isUnlisted ? library.parents : library.versions;
    list.push_back(*std::move(version));
  }
  std::sort(library.versions.begin(), library.versions.end(), &byNameAndNumber);
  std::sort(library.parents.begin(), library.parents.end(), &byNameAndNumber);
  std::sort(library.tags.begin(), library.tags.end(), [](const TagRef& a, const TagRef& b) {
    return std::tie(a.name, a.tag) < std::tie(b.name, b.tag);
  });
  std::vector<Descent> copies;
  for (const RemoteVersion* const version : library.all()) {
    copies.push_back({version->ref.contentDigest, version->parentDigest});
  }
  library.byContent_ = copiesToRebuild(copies);
  return library;
}

std::vector<const RemoteVersion*> RemoteLibrary::all() const {
  std::vector<const RemoteVersion*> both;
  for (const auto* list : {&versions, &parents}) {
    for (const RemoteVersion& version : *list) both.push_back(&version);
  }
  return both;
}

const RemoteVersion* RemoteLibrary::withContent(const Digest& content) const noexcept {
  const auto found = byContent_.find(content);
  if (found == byContent_.end()) return nullptr;
  const std::size_t place = found->second;
  return place < versions.size() ? &versions[place] : &parents[place - versions.size()];
}

std::span<const RemoteVersion> RemoteLibrary::named(std::string_view name) const noexcept {
  const auto begin = std::lower_bound(
      versions.begin(), versions.end(), name,
      [](const RemoteVersion& one, std::string_view wanted) { return one.ref.name < wanted; });
  const auto end = std::upper_bound(
      begin, versions.end(), name,
      [](std::string_view wanted, const RemoteVersion& one) { return wanted < one.ref.name; });
  return {begin, end};
}

const RemoteVersion* RemoteLibrary::find(std::string_view name,
                                         std::uint32_t number) const noexcept {
  const std::span<const RemoteVersion> all = named(name);
  const auto found = std::lower_bound(
      all.begin(), all.end(), number,
      [](const RemoteVersion& one, std::uint32_t wanted) { return one.ref.number < wanted; });
  return found == all.end() || found->ref.number != number ? nullptr : &*found;
}

const TagRef* RemoteLibrary::tag(std::string_view name, std::string_view tag) const noexcept {
  const std::pair wanted(name, tag);
  const auto found =
      std::lower_bound(tags.begin(), tags.end(), wanted, [](const TagRef& one, const auto& two) {
        return std::pair(std::string_view(one.name), std::string_view(one.tag)) < two;
      });
  const bool isIt = found != tags.end() && found->name == name && found->tag == tag;
  return isIt ? &*found : nullptr;
}

std::string RemoteLibrary::parentOf(const RemoteVersion& version) const {
  const RemoteVersion* const parent =
      version.parentDigest ? withContent(*version.parentDigest) : nullptr;
  return parent == nullptr ? std::string() : parent->ref.label();
}

const BaseElsewhere* RemoteLibrary::elsewhere(const RemoteVersion& version) const noexcept {
  const bool isThere = version.parentDigest && withContent(*version.parentDigest) != nullptr;
  return version.base && !isThere ? &*version.base : nullptr;
}

std::vector<BaseElsewhere> RemoteLibrary::basesElsewhere() const {
  std::vector<BaseElsewhere> bases;
  std::set<Digest> seen;
  for (const RemoteVersion* const version : all()) {
    const BaseElsewhere* const base = elsewhere(*version);
    if (base != nullptr && seen.insert(base->contentDigest).second) bases.push_back(*base);
  }
  return bases;
}

std::vector<std::string> RemoteLibrary::tagsOf(const RemoteVersion& version) const {
  std::vector<std::string> names;
  for (const TagRef& tag : tags) {
    if (tag.name == version.ref.name && tag.number == version.ref.number) names.push_back(tag.tag);
  }
  return names;
}

void RemoteLibrary::sortAsStore(std::vector<const RemoteVersion*>& ofName) const {
  const auto isWeightsOnly = [](const RemoteVersion* one) { return one->isWeightsOnly; };
  if (std::ranges::none_of(ofName, isWeightsOnly)) return;  // numbers count, and are in order
  std::vector<VersionEntry> entries;
  std::map<std::uint32_t, const RemoteVersion*> byNumber;
  std::map<std::uint32_t, std::size_t> places;  ///< in `entries`
  for (const RemoteVersion* const one : ofName) {
    VersionEntry entry;
    entry.number = one->ref.number;
    entry.lossy = one->lossy;
    if (one->isWeightsOnly) entry.profile = kWeightsOnly;
    entry.addedAt = one->ref.addedAt;
    places.emplace(entry.number, entries.size());
    entries.push_back(std::move(entry));
    byNumber.emplace(one->ref.number, one);
  }
  for (const TagRef& tag : tags) {
    if (tag.name != ofName.front()->ref.name) continue;
    const auto place = places.find(tag.number);
    if (place != places.end()) entries[place->second].tags.push_back(tag.tag);
  }
  sortByAge(entries);
  for (std::size_t i = 0; i < entries.size(); ++i) ofName[i] = byNumber.at(entries[i].number);
}

std::vector<const RemoteVersion*> RemoteLibrary::newest(std::vector<const RemoteVersion*> chosen,
                                                        std::uint32_t count) const {
  std::vector<const RemoteVersion*> kept;
  for (auto first = chosen.begin(); first != chosen.end();) {
    const auto last = std::find_if(first, chosen.end(), [&](const RemoteVersion* one) {
      return one->ref.name != (*first)->ref.name;
    });
    std::vector<const RemoteVersion*> ofName(first, last);
    sortAsStore(ofName);
    if (ofName.size() > count) ofName.erase(ofName.begin(), ofName.end() - count);
    kept.insert(kept.end(), ofName.begin(), ofName.end());
    first = last;
  }
  std::ranges::sort(kept, [](const auto* a, const auto* b) { return byNameAndNumber(*a, *b); });
  return kept;
}

std::string RemoteLibrary::noSuchName(const std::string& name) const {
  constexpr std::size_t kMostNamed = 5;
  if (versions.empty()) return "the remote has no versions";
  std::vector<std::string> names;  // versions are sorted by theirs
  for (const RemoteVersion& version : versions) {
    if (names.empty() || names.back() != version.ref.name) names.push_back(version.ref.name);
  }
  const std::string guess = didYouMean(name, names);
  const std::string said = "the remote has no such version";
  if (!guess.empty()) return said + guess;
  const std::size_t count = std::min(names.size(), kMostNamed);
  const std::size_t rest = names.size() - count;
  names.resize(count);
  return fmt::format("{}; there are {}{}", said, fmt::join(names, ", "),
                     rest == 0 ? "" : fmt::format(" and {} more", rest));
}

Result<const RemoteVersion*> RemoteLibrary::resolve(const std::string& text) const {
  STRATA_TRY(const Reference reference, parseReference(text));
  std::vector<const RemoteVersion*> named;
  for (const RemoteVersion& version : versions) {
    const bool isMeant = reference.kind == Kind::Hash
                             ? toHex(version.ref.contentDigest).starts_with(reference.hash)
                             : version.ref.name == reference.name;
    if (isMeant) named.push_back(&version);
  }
  const auto missing = [&](std::string_view why) {
    return fail(ErrorCode::NotFound, fmt::format("{}: {}", text, why));
  };
  // What was pulled without its packs asks for them by the number that a parent had.
  const auto parent = std::find_if(parents.begin(), parents.end(), [&](const auto& one) {
    return reference.kind == Kind::Number && one.ref.name == reference.name &&
           one.ref.number == reference.number;
  });
  if (parent != parents.end()) return &*parent;
  if (named.empty()) return missing(noSuchName(reference.name));
  std::uint32_t number = reference.number;
  switch (reference.kind) {
    case Kind::Hash:
      if (std::all_of(named.begin(), named.end(), [&](const RemoteVersion* one) {
            return one->ref.contentDigest == named.front()->ref.contentDigest;
          })) {
        return named.front();
      }
      return fail(ErrorCode::InvalidArgument, text + ": is the beginning of several hashes");
    case Kind::Newest:
      sortAsStore(named);
      return named.back();
    case Kind::Back:
      sortAsStore(named);
      if (number < named.size()) return named[named.size() - 1 - number];
      return missing(fmt::format("the remote has {} versions of it", named.size()));
    case Kind::Tag: {
      const TagRef* const tag = this->tag(reference.name, reference.tag);
      if (tag == nullptr) return missing("the remote has no such tag");
      number = tag->number;
      break;
    }
    case Kind::Number:
      break;
  }
  if (const RemoteVersion* const version = find(reference.name, number)) return version;
  return missing(named.size() == 1
                     ? fmt::format("the remote has only v{} of it", named[0]->ref.number)
                     : fmt::format("the remote has v{} to v{} of it", named.front()->ref.number,
                                   named.back()->ref.number));
}

Result<std::vector<const RemoteVersion*>> RemoteLibrary::select(
    std::span<const std::string> references, std::uint32_t latest) const {
  std::vector<const RemoteVersion*> chosen;
  for (const std::string& word : references) {
    const bool isPlainName = word.find_first_of(":~@") == std::string::npos;
    if (!isGlob(word) && !(latest > 0 && isPlainName)) {
      STRATA_TRY(const RemoteVersion* const version, resolve(word));
      chosen.push_back(version);
      continue;
    }
    const std::size_t before = chosen.size();
    for (const RemoteVersion& version : versions) {
      if (matchesGlob(version.ref.name, word) || matchesGlob(version.ref.label(), word)) {
        chosen.push_back(&version);
      }
    }
    if (chosen.size() == before) {
      return fail(ErrorCode::NotFound, fmt::format("{}: {}", word, noSuchName(word)));
    }
  }
  if (references.empty()) {
    for (const RemoteVersion& version : versions) chosen.push_back(&version);
  }
  std::sort(chosen.begin(), chosen.end(),
            [](const RemoteVersion* a, const RemoteVersion* b) { return byNameAndNumber(*a, *b); });
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return latest > 0 ? newest(std::move(chosen), latest) : chosen;
}

}  // namespace strata
