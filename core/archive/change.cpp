#include "core/archive/change.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/codec/cast.h"

namespace strata {
namespace {

constexpr std::size_t kPieceWords = 2048;

template <typename Word>
std::uint64_t countChanged(std::span<const std::byte> a, std::span<const std::byte> b) {
  std::uint64_t changed = 0;
  for (std::size_t at = 0; at < a.size(); at += kPieceWords * sizeof(Word)) {
    const std::size_t n = std::min(kPieceWords * sizeof(Word), a.size() - at);
    if (std::memcmp(a.data() + at, b.data() + at, n) == 0) continue;
    Word x[kPieceWords];
    Word y[kPieceWords];
    std::memcpy(x, a.data() + at, n);
    std::memcpy(y, b.data() + at, n);
    std::uint32_t here = 0;
    for (std::size_t i = 0; i < n / sizeof(Word); ++i) here += x[i] != y[i] ? 1 : 0;
    changed += here;
  }
  return changed;
}

std::uint64_t changedWords(std::size_t wordBytes, std::span<const std::byte> a,
                           std::span<const std::byte> b) {
  switch (wordBytes) {
    case 1:
      return countChanged<std::uint8_t>(a, b);
    case 2:
      return countChanged<std::uint16_t>(a, b);
    case 4:
      return countChanged<std::uint32_t>(a, b);
    default:
      return countChanged<std::uint64_t>(a, b);
  }
}

/// Adds the squares of one piece, in eight partial sums. Squares that are not finite count as zero.
template <typename Float>
void addSquares(const Float* p, const Float* w, std::size_t n, Change& change) {
  Float difference[8] = {};
  Float parent[8] = {};
  const auto step = [&](std::size_t i, std::size_t lane) {
    const Float d = w[i] - p[i];
    difference[lane] += d * d;
    parent[lane] += p[i] * p[i];
  };
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    for (std::size_t lane = 0; lane < 8; ++lane) step(i + lane, lane);
  }
  for (; i < n; ++i) step(i, i % 8);
  for (std::size_t lane = 0; lane < 8; ++lane) {
    if (std::isfinite(difference[lane])) change.differenceSquares += difference[lane];
    if (std::isfinite(parent[lane])) change.parentSquares += parent[lane];
  }
}

template <typename Float>
void addAll(std::span<const std::byte> parent, std::span<const std::byte> words, Change& change) {
  for (std::size_t at = 0; at < words.size(); at += kPieceWords * sizeof(Float)) {
    const std::size_t n = std::min(kPieceWords * sizeof(Float), words.size() - at);
    Float p[kPieceWords];
    Float w[kPieceWords];
    std::memcpy(p, parent.data() + at, n);
    std::memcpy(w, words.data() + at, n);
    addSquares(p, w, n / sizeof(Float), change);
  }
}

void addCast(ElementType type, std::span<const std::byte> parent, std::span<const std::byte> words,
             Change& change) {
  const std::size_t wordBytes = wordFormat(type).bytes;
  for (std::size_t at = 0; at < words.size(); at += kPieceWords * wordBytes) {
    const std::size_t n = std::min(kPieceWords * wordBytes, words.size() - at);
    float p[kPieceWords];
    float w[kPieceWords];
    const std::size_t floatBytes = n / wordBytes * sizeof(float);
    castWords(type, parent.subspan(at, n), ElementType::F32,
              std::as_writable_bytes(std::span(p)).first(floatBytes));
    castWords(type, words.subspan(at, n), ElementType::F32,
              std::as_writable_bytes(std::span(w)).first(floatBytes));
    addSquares(p, w, n / wordBytes, change);
  }
}

}  // namespace

void Change::add(const Change& other) noexcept {
  words += other.words;
  changedWords += other.changedWords;
  differenceSquares += other.differenceSquares;
  parentSquares += other.parentSquares;
}

float Change::changedShare() const noexcept {
  if (words == 0) return 0;
  return static_cast<float>(static_cast<double>(changedWords) / static_cast<double>(words));
}

float Change::relativeChange() const noexcept {
  if (parentSquares <= 0) return 0;
  return static_cast<float>(std::sqrt(differenceSquares / parentSquares));
}

Change measureChange(ElementType type, std::span<const std::byte> parent,
                     std::span<const std::byte> words) {
  const std::size_t wordBytes = wordFormat(type).bytes;
  Change change;
  change.words = words.size() / wordBytes;
  change.changedWords = changedWords(wordBytes, parent, words);
  if (type == ElementType::F32) {
    addAll<float>(parent, words, change);
  } else if (type == ElementType::F64) {
    addAll<double>(parent, words, change);
  } else if (canCast(type, ElementType::F32)) {
    addCast(type, parent, words, change);
  }
  return change;
}

}  // namespace strata
