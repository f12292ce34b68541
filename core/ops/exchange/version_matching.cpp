#include "core/ops/exchange/version_matching.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

namespace strata {
namespace {

/// Name and content; number and time, or 0 where they do not count.
using Kind = std::tuple<std::string, Digest, std::uint32_t, std::int64_t>;

}  // namespace

/// In the order of numbers.
struct VersionMatching::Left {
  std::vector<const VersionEntry*> here;
  std::vector<const RemoteVersion*> there;
};

VersionMatching::VersionMatching(std::vector<VersionEntry> here, const RemoteLibrary& there)
    : here_(std::move(here)) {
  for (const bool byTime : {true, false}) {
    matchNumbers(there, byTime);
    matchRenumbered(there, byTime);
    if (byTime) matchFollowing(there);
  }
}

Result<VersionMatching> VersionMatching::load(const Catalog& catalog, const RemoteLibrary& there) {
  STRATA_TRY(std::vector<VersionEntry> here, catalog.versions());
  return VersionMatching(std::move(here), there);
}

const RemoteVersion* VersionMatching::there(const VersionEntry& here) const {
  const auto found = thereOf_.find(here.label());
  return found == thereOf_.end() ? nullptr : found->second;
}

const VersionEntry* VersionMatching::here(const RemoteVersion& there) const {
  const auto found = hereOf_.find(there.ref.label());
  return found == hereOf_.end() ? nullptr : &here_[found->second];
}

void VersionMatching::match(const VersionEntry& here, const RemoteVersion& there) {
  thereOf_.emplace(here.label(), &there);
  hereOf_.emplace(there.ref.label(), static_cast<std::size_t>(&here - here_.data()));
}

std::vector<VersionMatching::Left> VersionMatching::left(const RemoteLibrary& library,
                                                         bool byNumber, bool byTime) const {
  std::map<Kind, Left> all;
  for (const VersionEntry& one : here_) {
    if (there(one) != nullptr) continue;
    all[Kind{one.name, one.contentDigest, byNumber ? one.number : 0, byTime ? one.addedAt : 0}]
        .here.push_back(&one);
  }
  for (const RemoteVersion& one : library.versions) {
    if (here(one) != nullptr) continue;
    const VersionRef& ref = one.ref;
    all[Kind{ref.name, ref.contentDigest, byNumber ? ref.number : 0, byTime ? ref.addedAt : 0}]
        .there.push_back(&one);
  }
  std::vector<Left> both;
  for (auto& [kind, one] : all) {
    if (!one.here.empty() && !one.there.empty()) both.push_back(std::move(one));
  }
  return both;
}

void VersionMatching::matchNumbers(const RemoteLibrary& library, bool byTime) {
  for (const Left& one : left(library, true, byTime)) match(*one.here.front(), *one.there.front());
}

void VersionMatching::matchRenumbered(const RemoteLibrary& library, bool byTime) {
  for (const Left& one : left(library, false, byTime)) {
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < one.here.size() && j < one.there.size()) {
      const VersionEntry& mine = *one.here[i];
      const VersionRef& other = one.there[j]->ref;
      const bool isHigherHere = mine.number > other.number;
      // What had the number here may be gone; the time tells as well.
      const bool isIt = isHigherHere ? byTime || has(mine.name, other.number)
                                     : library.find(mine.name, mine.number) != nullptr;
      if (isIt) match(mine, *one.there[j]);
      // The lower number fits none of the higher ones that follow on the other side, either.
      if (isIt || !isHigherHere) ++i;
      if (isIt || isHigherHere) ++j;
    }
  }
}

void VersionMatching::matchFollowing(const RemoteLibrary& library) {
  std::vector<std::pair<const VersionEntry*, const RemoteVersion*>> pairs;
  for (const Left& one : left(library, false, true)) {
    const std::size_t count = std::min(one.here.size(), one.there.size());
    for (std::size_t i = 0; i < count; ++i) pairs.emplace_back(one.here[i], one.there[i]);
  }
  // The older ones first, which the others follow.
  std::sort(pairs.begin(), pairs.end(),
            [](const auto& a, const auto& b) { return a.first->number < b.first->number; });
  for (const auto& [mine, other] : pairs) {
    if (isBehindOlder(library, *mine, other->ref.number)) match(*mine, *other);
  }
}

bool VersionMatching::isBehindOlder(const RemoteLibrary& library, const VersionEntry& mine,
                                    std::uint32_t number) const {
  for (const RemoteVersion& one : library.named(mine.name)) {
    if (one.ref.number < mine.number) continue;
    if (one.ref.number >= number) return false;
    const VersionEntry* const older = here(one);
    if (older != nullptr &&
        std::tuple(older->addedAt, older->number) < std::tuple(mine.addedAt, mine.number)) {
      return true;
    }
  }
  return false;
}

bool VersionMatching::has(std::string_view name, std::uint32_t number) const {
  const auto at =
      std::lower_bound(here_.begin(), here_.end(), std::pair(name, number),
                       [](const VersionEntry& one, const auto& wanted) {
                         return std::pair(std::string_view(one.name), one.number) < wanted;
                       });
  return at != here_.end() && at->name == name && at->number == number;
}

}  // namespace strata
