#include "core/ops/detail/word_change.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/ops/detail/word_values.h"

namespace strata {
namespace {

constexpr std::size_t kPieceWords = 2048;

template <typename Word>
void addPiece(ElementType type, std::span<const std::byte> a, std::span<const std::byte> b,
              WordChange& change) noexcept {
  Word wordsA[kPieceWords];
  Word wordsB[kPieceWords];
  double valuesA[kPieceWords];
  double valuesB[kPieceWords];
  const std::size_t count = a.size() / sizeof(Word);
  std::memcpy(wordsA, a.data(), a.size());
  std::memcpy(wordsB, b.data(), b.size());
  valuesOf(type, a, std::span(valuesA).first(count));
  valuesOf(type, b, std::span(valuesB).first(count));
  change.wordCount += count;
  for (std::size_t i = 0; i < count; ++i) {
    if (std::isfinite(valuesA[i])) change.squaredA += valuesA[i] * valuesA[i];
    if (wordsA[i] == wordsB[i]) continue;
    ++change.changedWords;
    const double difference = valuesB[i] - valuesA[i];
    if (!std::isfinite(difference)) continue;
    change.squaredChange += difference * difference;
    change.maxAbsChange = std::max(change.maxAbsChange, std::abs(difference));
  }
}

template <typename Word>
WordChange compare(ElementType type, std::span<const std::byte> a,
                   std::span<const std::byte> b) noexcept {
  WordChange change;
  const std::size_t whole = a.size() / sizeof(Word) * sizeof(Word);
  for (std::size_t at = 0; at < whole; at += kPieceWords * sizeof(Word)) {
    const std::size_t bytes = std::min(kPieceWords * sizeof(Word), whole - at);
    addPiece<Word>(type, a.subspan(at, bytes), b.subspan(at, bytes), change);
  }
  return change;
}

}  // namespace

WordChange& WordChange::operator+=(const WordChange& more) noexcept {
  wordCount += more.wordCount;
  changedWords += more.changedWords;
  squaredChange += more.squaredChange;
  squaredA += more.squaredA;
  maxAbsChange = std::max(maxAbsChange, more.maxAbsChange);
  return *this;
}

double WordChange::relativeChange() const noexcept {
  if (squaredChange == 0) return 0;
  if (squaredA == 0) return std::numeric_limits<double>::infinity();
  return std::sqrt(squaredChange / squaredA);
}

WordChange compareWords(ElementType type, std::span<const std::byte> a,
                        std::span<const std::byte> b) noexcept {
  switch (wordFormat(type).bytes) {
    case 1:
      return compare<std::uint8_t>(type, a, b);
    case 2:
      return compare<std::uint16_t>(type, a, b);
    case 4:
      return compare<std::uint32_t>(type, a, b);
    default:
      return compare<std::uint64_t>(type, a, b);
  }
}

}  // namespace strata
