#include "core/match/detail/transposed_copies.h"

#include <algorithm>
#include <utility>

namespace strata::match {
namespace {

constexpr std::uint64_t kKeyWords = 8;
constexpr std::uint64_t kComparedWords = 256;
/// Weights of one key that are compared: there are more only of words that hardly vary.
constexpr std::size_t kMostCompared = 16;

std::uint64_t place(std::uint64_t k, std::uint64_t wordCount) noexcept {
  return (k * 0x9E3779B97F4A7C15ULL >> 16) % wordCount;
}

/// Where word `at` of the transposed matrix lies in `weight`.
std::uint64_t turned(const VariantWeight& weight, std::uint64_t at) noexcept {
  const auto [rows, columns] = weight.matrix;
  return at % rows * columns + at / rows;
}

bool mayTurn(const VariantWeight& weight) noexcept {
  const auto [rows, columns] = weight.matrix;
  return rows > 1 && columns > 1 && weight.splitsColumns && weight.alone.bitsPerWord != 0;
}

/// Key of a weight, or of the matrix that it is the transposed one of.
std::uint64_t keyOf(const VariantWeight& weight, bool isTurned) noexcept {
  const auto [rows, columns] = weight.matrix;
  std::uint64_t key = static_cast<std::uint64_t>(weight.type);
  const auto mix = [&](std::uint64_t value) {
    key = (key ^ value) * 0x9E3779B97F4A7C15ULL;
    key ^= key >> 29;
  };
  mix(isTurned ? columns : rows);
  mix(isTurned ? rows : columns);
  for (std::uint64_t k = 0; k < kKeyWords; ++k) {
    const std::uint64_t at = place(k, weight.wordCount());
    mix(weight.word(isTurned ? turned(weight, at) : at));
  }
  return key;
}

bool isTurnedCopy(const VariantWeight& weight, const VariantWeight& other) noexcept {
  const auto [rows, columns] = weight.matrix;
  if (other.type != weight.type || other.matrix != WordMatrix{columns, rows}) return false;
  for (std::uint64_t k = 0; k < kComparedWords; ++k) {
    const std::uint64_t at = place(k, weight.wordCount());
    if (other.word(at) != weight.word(turned(weight, at))) return false;
  }
  return true;
}

}  // namespace

TransposedCopies::TransposedCopies(const VariantWeights& weights) : weights_(weights) {
  entries_.reserve(weights.size());
  for (std::uint32_t i = 0; i < weights.size(); ++i) {
    const VariantWeight weight = weights[i];
    if (mayTurn(weight)) entries_.push_back({keyOf(weight, false), i});
  }
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.key, a.weight) < std::pair(b.key, b.weight);
  });
}

std::optional<std::size_t> TransposedCopies::originalOf(std::size_t index) const {
  const VariantWeight weight = weights_[index];
  if (!mayTurn(weight)) return std::nullopt;
  const std::uint64_t key = keyOf(weight, true);
  auto at = std::lower_bound(entries_.begin(), entries_.end(), key,
                             [](const Entry& entry, std::uint64_t k) { return entry.key < k; });
  for (std::size_t n = 0; n < kMostCompared && at != entries_.end(); ++n, ++at) {
    if (at->key != key || at->weight >= index) break;
    if (isTurnedCopy(weight, weights_[at->weight])) return at->weight;
  }
  return std::nullopt;
}

}  // namespace strata::match
