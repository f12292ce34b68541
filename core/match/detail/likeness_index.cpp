#include "core/match/detail/likeness_index.h"

#include <algorithm>
#include <utility>

#include "core/match/detail/plan.h"

namespace strata::match {
namespace {

/// How keys are made: how many, and of how many words each.
struct KeyKind {
  std::size_t keys = 0;
  std::size_t words = 0;
  std::uint32_t mantissaBits = 0;  ///< that are left of a float
  std::uint32_t droppedBits = 0;   ///< of other words
};
/// Words that hardly moved, then words that moved by some percent.
constexpr std::array<KeyKind, 2> kKinds{{{8, 4, 3, 0}, {8, 6, 0, 2}}};
constexpr std::size_t kKeyCount = kKinds[0].keys + kKinds[1].keys;

/// Parents that are compared for one key.
constexpr std::size_t kMostCompared = 32;
/// Of those that were compared for earlier keys, as many as are faster looked up than compared.
constexpr std::size_t kMostRemembered = 64;
/// Share of what the words cost alone, below which their difference tells of one weight. Words of
/// two unrelated weights differ by about all of it.
constexpr double kSurelyRelated = 0.7;

/// Bits of all differences between a variant's words and related ones at most.
std::uint64_t mostRelatedBits(const VariantWeight& variant, std::size_t words) noexcept {
  return static_cast<std::uint64_t>(kSurelyRelated * variant.alone.bitsPerWord *
                                    static_cast<double>(words));
}

Word rounded(Word word, const WordFormat& format, const KeyKind& kind) noexcept {
  if (!format.isFloat) return word >> kind.droppedBits;
  return word >> (format.mantissaBits - std::min(format.mantissaBits, kind.mantissaBits));
}

}  // namespace

Result<LikenessIndex> LikenessIndex::make(ParentSampler& sampler,
                                          std::span<const std::size_t> parents,
                                          std::uint64_t wordCount) {
  LikenessIndex index(sampler);
  for (std::size_t i = 0; i < kWords; ++i) {
    index.places_[i] = ParentSampler::placeOf(wordCount, i, kWords);
  }
  for (const std::size_t parent : parents) {
    ++index.tables_[sampler.weight(parent).type].wordBytes;  // how many there are, for now
  }
  for (auto& [type, table] : index.tables_) {
    const std::size_t count = std::exchange(table.wordBytes, wordFormat(type).bytes);
    table.parents.reserve(count);
    table.words.reserve(count * kWords * table.wordBytes);
    table.keys.reserve(count * kKeyCount);
  }
  for (const std::size_t parent : parents) {
    Table& table = index.tables_[sampler.weight(parent).type];
    Words words;
    for (std::size_t i = 0; i < kWords; ++i) {
      STRATA_TRY(words[i], sampler.wordAtPlace(parent, i, kWords));
      const auto* const bytes = reinterpret_cast<const std::byte*>(&words[i]);
      table.words.insert(table.words.end(), bytes, bytes + table.wordBytes);
    }
    const auto entry = static_cast<std::uint32_t>(table.parents.size());
    for (const std::uint32_t key : keysOf(words, sampler.weight(parent).type)) {
      table.keys.push_back({key, entry});
    }
    table.parents.push_back(static_cast<std::uint32_t>(parent));
  }
  for (auto& [type, table] : index.tables_) {
    std::sort(table.keys.begin(), table.keys.end(), [](const Key& a, const Key& b) {
      return std::pair(a.key, a.entry) < std::pair(b.key, b.entry);
    });
  }
  return index;
}

LikenessIndex::Words LikenessIndex::Table::wordsOf(std::size_t entry) const noexcept {
  Words out{};
  for (std::size_t i = 0; i < kWords; ++i) {
    out[i] = loadWord(words, entry * kWords + i, wordBytes);
  }
  return out;
}

std::vector<std::uint32_t> LikenessIndex::keysOf(const Words& words, ElementType type) {
  const WordFormat format = wordFormat(type);
  std::vector<std::uint32_t> keys;
  for (const KeyKind& kind : kKinds) {
    for (std::size_t k = 0; k < kind.keys; ++k) {
      std::uint64_t key = keys.size() + 1;
      for (std::size_t i = 0; i < kind.words; ++i) {
        // Odd steps reach other words each time; a word that moved far spoils few keys.
        const Word word = words[(k * 2 + i * (2 * (k % 4) + 1)) % kWords];
        key = (key ^ rounded(word, format, kind)) * 0x9E3779B97F4A7C15ULL;
        key ^= key >> 29;
      }
      keys.push_back(static_cast<std::uint32_t>(key >> 32));
    }
  }
  return keys;
}

void LikenessIndex::findIn(const Table& table, ElementType type, const VariantWeight& variant,
                           const Words& own, std::vector<Found>& found) const {
  Words asParent = own;
  for (Word& word : asParent) word = castWord(word, variant.type, type);
  const std::uint64_t related = mostRelatedBits(variant, kWords);
  for (const std::uint32_t key : keysOf(asParent, type)) {
    auto at = std::lower_bound(table.keys.begin(), table.keys.end(), key,
                               [](const Key& entry, std::uint32_t k) { return entry.key < k; });
    bool isSure = false;
    for (std::size_t n = 0; n < kMostCompared && at != table.keys.end() && at->key == key;
         ++n, ++at) {
      const std::size_t parent = table.parents[at->entry];
      const auto compared = std::span(found).first(std::min(found.size(), kMostRemembered));
      const bool isKnown =
          std::ranges::any_of(compared, [&](const Found& other) { return other.parent == parent; });
      if (isKnown) continue;
      const Words words = table.wordsOf(at->entry);
      std::uint64_t bits = 0;
      for (std::size_t i = 0; i < kWords; ++i) {
        bits += differenceBits(own[i], castWord(words[i], type, variant.type), variant.format,
                               variant.alone.zeroLowBits);
      }
      found.push_back({bits, parent});
      isSure = isSure || bits < related;
    }
    if (isSure) return;
  }
}

LikenessIndex::Nearest LikenessIndex::nearest(const VariantWeight& variant, bool transposed,
                                              bool allowCasts) const {
  const PartMatch whole = wholeMatch(variant, {}, transposed);
  Words own;
  for (std::size_t i = 0; i < kWords; ++i) {
    own[i] = variant.word(indexInVariant(whole, variant.matrix.columns, places_[i]).value_or(0));
  }
  std::vector<Found> found;
  for (const auto& [type, table] : tables_) {
    if (!canServe(sampler_->weight(table.parents.front()), variant, allowCasts)) continue;
    findIn(table, type, variant, own, found);
  }
  sampler_->notePairs(found.size());
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return std::pair(a.bits, a.parent) < std::pair(b.bits, b.parent);
  });
  Nearest nearest;
  const std::uint64_t related = mostRelatedBits(variant, kWords);
  nearest.areRelated = !found.empty() && found.front().bits < related;
  for (const Found& one : found) {
    if (!nearest.parents.empty() && nearest.parents.back() == one.parent) continue;
    if (nearest.areRelated && one.bits >= related) break;
    if (nearest.parents.size() == kMostNearest) break;
    nearest.parents.push_back(one.parent);
  }
  return nearest;
}

}  // namespace strata::match
