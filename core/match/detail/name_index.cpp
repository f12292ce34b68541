#include "core/match/detail/name_index.h"

#include <algorithm>
#include <utility>

namespace strata::match {
namespace {

/// Parents that one ending of a name leads to.
constexpr std::size_t kMostAlike = 64;
/// Modules from which on an ending tells of a weight; see NamePath::similarity().
constexpr std::size_t kTellingModules = 2;

}  // namespace

NameIndex::NameIndex(std::span<const ParentTensor> parents) {
  const auto keysOf = [&](std::uint32_t i) {
    return NamePath::ofName(parents[i].name).endingKeys();
  };
  // Counted first: lists that grow take twice their memory.
  std::size_t endingCount = 0;
  for (std::uint32_t i = 0; i < parents.size(); ++i) {
    const std::size_t keyCount = keysOf(i).size();
    endingCount += keyCount - std::min(keyCount, kTellingModules);
  }
  whole_.reserve(parents.size());
  endings_.reserve(endingCount);
  for (std::uint32_t i = 0; i < parents.size(); ++i) {
    const std::vector<std::uint64_t> keys = keysOf(i);
    if (keys.empty()) continue;
    whole_.push_back(entryOf(keys.back(), i));
    for (std::size_t count = kTellingModules; count < keys.size(); ++count) {
      endings_.push_back(entryOf(keys[count - 1], i));
    }
  }
  for (std::vector<Entry>* entries : {&whole_, &endings_}) {
    std::sort(entries->begin(), entries->end(), [](const Entry& a, const Entry& b) {
      return std::pair(a.key, a.parent) < std::pair(b.key, b.parent);
    });
  }
}

void NameIndex::find(std::span<const Entry> entries, std::uint64_t key,
                     std::vector<std::size_t>& found) {
  const std::uint32_t wanted = entryOf(key, 0).key;
  auto at = std::lower_bound(entries.begin(), entries.end(), wanted,
                             [](const Entry& entry, std::uint32_t k) { return entry.key < k; });
  for (std::size_t i = 0; i < kMostAlike && at != entries.end() && at->key == wanted; ++i, ++at) {
    found.push_back(at->parent);
  }
}

void NameIndex::find(const NamePath& path, std::vector<std::size_t>& found) const {
  const std::vector<std::uint64_t> keys = path.endingKeys();
  if (keys.empty()) return;
  for (std::size_t count = kTellingModules; count < keys.size(); ++count) {
    find(whole_, keys[count - 1], found);
  }
  find(whole_, keys.back(), found);
  if (keys.size() >= kTellingModules) find(endings_, keys.back(), found);
}

std::vector<std::size_t> NameIndex::find(const VariantWeight& variant) const {
  std::vector<std::size_t> found;
  find(NamePath::ofName(variant.name), found);
  if (!variant.place.empty()) find(NamePath::ofPlace(variant.place), found);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace strata::match
