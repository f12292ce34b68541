#include "core/archive/write/change.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/archive/word_values.h"
#include "core/codec/words/cast.h"
#include "kernels/cpu_kernels.h"

namespace strata {
namespace {

using kernels::FloatKind;

constexpr std::size_t kPieceWords = 2048;

std::size_t countChanged(const std::uint16_t* a, const std::uint16_t* b, std::size_t n) {
  return kernels::bestKernels().countChanged16(a, b, n);
}
std::size_t countChanged(const std::uint32_t* a, const std::uint32_t* b, std::size_t n) {
  return kernels::bestKernels().countChanged32(a, b, n);
}
template <typename Word>
std::size_t countChanged(const Word* a, const Word* b, std::size_t n) {
  std::size_t changed = 0;
  for (std::size_t i = 0; i < n; ++i) changed += a[i] != b[i] ? 1 : 0;
  return changed;
}

constexpr double kFillOnBothSides = 1e4;
constexpr double kFillOnOneSide = 1e30;

bool areFillValues(double parent, double word) noexcept {
  const double smaller = std::min(std::abs(parent), std::abs(word));
  const double larger = std::max(std::abs(parent), std::abs(word));
  // An infinity is one where the other side is, too: exporters differ in what they mask with.
  if (std::isinf(larger)) return std::isfinite(smaller) && smaller >= kFillOnBothSides;
  return std::isfinite(larger) && (smaller >= kFillOnBothSides || larger >= kFillOnOneSide);
}

/// Adds the squares of weights one by one, and counts fill values.
template <typename Value>
void addWeights(const Value* parent, const Value* words, std::size_t n, Change& change) {
  for (std::size_t i = 0; i < n; ++i) {
    const auto p = static_cast<double>(parent[i]);
    const auto w = static_cast<double>(words[i]);
    if (areFillValues(p, w)) {
      ++change.leftOutWords;
      continue;
    }
    const double d = w - p;
    if (std::isfinite(d)) change.differenceSquares += d * d;
    if (std::isfinite(p)) change.parentSquares += p * p;
  }
}

bool hasFillValues(const float* parent, const float* words, std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i) {
    if (areFillValues(parent[i], words[i])) return true;
  }
  return false;
}

void addSquares(const float* parent, const float* words, std::size_t n, Change& change) {
  const kernels::Squares sums = kernels::bestKernels().squares(parent, words, n);
  // A pair of fill values alone makes one of the sums as large as that.
  constexpr double kLeastWithFill = 0.5 * kFillOnBothSides * kFillOnBothSides;
  const bool isLarge = sums.parent >= kLeastWithFill || sums.difference >= kLeastWithFill;
  if (isLarge && hasFillValues(parent, words, n)) return addWeights(parent, words, n, change);
  change.differenceSquares += sums.difference;
  change.parentSquares += sums.parent;
}

/// Values of a piece of either side.
struct PieceValues {
  double parent[kPieceWords];
  double words[kPieceWords];

  PieceValues(const TypedWords& parentWords, const TypedWords& ownWords, std::size_t n) noexcept {
    valuesOf(parentWords.type, parentWords.bytes, std::span(parent).first(n));
    valuesOf(ownWords.type, ownWords.bytes, std::span(words).first(n));
  }
};

/// Adds the squares of a piece of words.
template <typename Word>
void addSquaresOf(ElementType type, const Word* parent, const Word* words, std::size_t n,
                  Change& change) {
  if (type == ElementType::BF16 || type == ElementType::F16) {
    if constexpr (sizeof(Word) == 2) {
      float p[kPieceWords];
      float w[kPieceWords];
      const auto kind = type == ElementType::BF16 ? FloatKind::BF16 : FloatKind::F16;
      kernels::bestKernels().widen16(parent, kind, n, p);
      kernels::bestKernels().widen16(words, kind, n, w);
      addSquares(p, w, n, change);
    }
  } else if (type == ElementType::F32 || type == ElementType::C64) {
    if constexpr (sizeof(Word) == 4) {
      addSquares(reinterpret_cast<const float*>(parent), reinterpret_cast<const float*>(words), n,
                 change);
    }
  } else {
    const PieceValues values({type, std::as_bytes(std::span(parent, n))},
                             {type, std::as_bytes(std::span(words, n))}, n);
    addWeights(values.parent, values.words, n, change);
  }
}

/// Words where they lie, if they are aligned, else copied to `own`.
template <typename Word>
const Word* wordsAt(const std::byte* bytes, std::size_t byteCount, Word* own) {
  if (reinterpret_cast<std::uintptr_t>(bytes) % alignof(Word) == 0) {
    return reinterpret_cast<const Word*>(bytes);
  }
  std::memcpy(own, bytes, byteCount);
  return own;
}

template <typename Word>
void measure(ElementType type, std::span<const std::byte> parent, std::span<const std::byte> words,
             Change& change) {
  const bool areWeights = hasDistance(type);
  if (hasValues(type) && !areWeights) change.leftOutWords += words.size() / sizeof(Word);
  for (std::size_t at = 0; at < words.size(); at += kPieceWords * sizeof(Word)) {
    const std::size_t bytes = std::min(kPieceWords * sizeof(Word), words.size() - at);
    const std::size_t n = bytes / sizeof(Word);
    Word ownParent[kPieceWords];
    Word ownWords[kPieceWords];
    const Word* const p = wordsAt(parent.data() + at, bytes, ownParent);
    const Word* const w = wordsAt(words.data() + at, bytes, ownWords);
    change.changedWords += countChanged(p, w, n);
    if (areWeights) addSquaresOf(type, p, w, n, change);
  }
}

/// `count` words from word `first` on.
TypedWords pieceOf(const TypedWords& words, std::size_t first, std::size_t count) {
  const std::size_t bytes = wordFormat(words.type).bytes;
  return {words.type, words.bytes.subspan(first * bytes, count * bytes)};
}

std::size_t countOf(const TypedWords& words) {
  return words.bytes.size() / wordFormat(words.type).bytes;
}

/// A piece of words as f32, which holds floats of 16 bits exactly.
struct FloatPiece {
  float values[kPieceWords];

  explicit FloatPiece(const TypedWords& words) noexcept {
    castWords(words.type, words.bytes, ElementType::F32, bytes(countOf(words)));
  }
  /// The same rounded to a type.
  FloatPiece(const FloatPiece& piece, std::size_t count, ElementType type) noexcept {
    std::byte rounded[kPieceWords * sizeof(float)];
    const auto words = std::span(rounded).first(count * wordFormat(type).bytes);
    castWords(ElementType::F32, std::as_bytes(std::span(piece.values).first(count)), type, words);
    castWords(type, words, ElementType::F32, bytes(count));
  }

 private:
  std::span<std::byte> bytes(std::size_t count) noexcept {
    return std::as_writable_bytes(std::span(values).first(count));
  }
};

/// A value of a narrower type, as torch rounds to it.
double roundedTo(ElementType type, double value) noexcept {
  if (type == ElementType::F64) return value;
  const auto single = static_cast<float>(value);
  float rounded = single;
  std::byte word[sizeof(float)];
  const auto words = std::span(word).first(wordFormat(type).bytes);
  castWords(ElementType::F32, std::as_bytes(std::span(&single, 1)), type, words);
  castWords(type, words, ElementType::F32, std::as_writable_bytes(std::span(&rounded, 1)));
  return rounded;
}

/// A piece of words of two types, one of them f64.
void measureDoublePiece(const TypedWords& parent, const TypedWords& words, Change& change) {
  const std::size_t n = countOf(words);
  const PieceValues values(parent, words, n);
  addWeights(values.parent, values.words, n, change);
  const auto isSame = [](double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  };
  for (std::size_t i = 0; i < n; ++i) {
    const double a = values.parent[i];
    const double b = values.words[i];
    if (isSame(a, b) || (std::isnan(a) && std::isnan(b))) continue;
    ++change.changedWords;
    const bool isNear = isSame(roundedTo(words.type, a), b) || isSame(roundedTo(parent.type, b), a);
    if (isNear && std::isfinite(a) == std::isfinite(b)) ++change.roundedWords;
  }
}

/// A piece of words of two types. What a narrower type cannot hold, and is infinite there, is not
/// rounded.
void measureCastPiece(const TypedWords& parent, const TypedWords& words, Change& change) {
  const std::size_t n = countOf(words);
  const FloatPiece a(parent);
  const FloatPiece b(words);
  const FloatPiece roundedA(a, n, words.type);
  const FloatPiece roundedB(b, n, parent.type);
  addSquares(a.values, b.values, n, change);
  const auto bitsOf = [](float value) { return std::bit_cast<std::uint32_t>(value); };
  constexpr std::uint32_t kExponent = 0x7f800000;
  std::uint32_t changed = 0;
  std::uint32_t rounded = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t bitsA = bitsOf(a.values[i]);
    const std::uint32_t bitsB = bitsOf(b.values[i]);
    const bool isNear =
        (bitsOf(roundedA.values[i]) == bitsB) | (bitsOf(roundedB.values[i]) == bitsA);
    const bool isAlike = ((bitsA & kExponent) == kExponent) == ((bitsB & kExponent) == kExponent);
    changed += static_cast<std::uint32_t>(bitsA != bitsB);
    rounded += static_cast<std::uint32_t>((bitsA != bitsB) & isNear & isAlike);
  }
  change.changedWords += changed;
  change.roundedWords += rounded;
}

}  // namespace

void Change::add(const Change& other) noexcept {
  words += other.words;
  changedWords += other.changedWords;
  roundedWords += other.roundedWords;
  leftOutWords += other.leftOutWords;
  differenceSquares += other.differenceSquares;
  parentSquares += other.parentSquares;
}

double Change::changedShare() const noexcept {
  return words == 0 ? 0 : static_cast<double>(changedWords) / static_cast<double>(words);
}

double Change::relativeChange() const noexcept {
  if (differenceSquares == 0) return 0;
  if (parentSquares == 0) return std::numeric_limits<double>::infinity();
  return std::sqrt(differenceSquares / parentSquares);
}

bool canCompare(ElementType a, ElementType b) noexcept {
  const auto isFloat = [](ElementType type) {
    return type == ElementType::F64 || canCast(type, ElementType::F32);
  };
  return isFloat(a) && isFloat(b);
}

Change measureChange(ElementType type, std::span<const std::byte> parent,
                     std::span<const std::byte> words) {
  const std::size_t wordBytes = wordFormat(type).bytes;
  Change change;
  change.words = words.size() / wordBytes;
  switch (wordBytes) {
    case 1:
      measure<std::uint8_t>(type, parent, words, change);
      break;
    case 2:
      measure<std::uint16_t>(type, parent, words, change);
      break;
    case 4:
      measure<std::uint32_t>(type, parent, words, change);
      break;
    default:
      measure<std::uint64_t>(type, parent, words, change);
  }
  return change;
}

Change measureChange(const TypedWords& parent, const TypedWords& words) {
  if (parent.type == words.type) return measureChange(words.type, parent.bytes, words.bytes);
  const bool isDouble = parent.type == ElementType::F64 || words.type == ElementType::F64;
  const auto measurePiece = isDouble ? measureDoublePiece : measureCastPiece;
  Change change;
  change.words = countOf(words);
  for (std::size_t at = 0; at < change.words; at += kPieceWords) {
    const std::size_t n = std::min(kPieceWords, change.words - at);
    measurePiece(pieceOf(parent, at, n), pieceOf(words, at, n), change);
  }
  return change;
}

double largestDifference(const TypedWords& parent, const TypedWords& words) {
  const std::size_t count = countOf(words);
  double largest = 0;
  for (std::size_t at = 0; at < count; at += kPieceWords) {
    const std::size_t n = std::min(kPieceWords, count - at);
    const PieceValues values(pieceOf(parent, at, n), pieceOf(words, at, n), n);
    for (std::size_t i = 0; i < n; ++i) {
      const double distance = std::abs(values.words[i] - values.parent[i]);
      if (distance > largest && std::isfinite(distance)) largest = distance;
    }
  }
  return largest;
}

}  // namespace strata
