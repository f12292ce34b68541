#pragma once

#include <bit>
#include <cstdint>

#include "kernels/shared_code.h"

namespace strata::kernels {

// What codecs do to words outside of the hot loops, for CPU and GPU.

/// The words of a part without their lowest `shift` bits, which are 0 in all of them: a parent's
/// rounded to nearest even, the part's own cut off, and back.
template <typename Word>
STRATA_SHARED inline Word roundedShift(Word word, unsigned shift) noexcept {
  constexpr Word kMagnitude = static_cast<Word>(static_cast<Word>(~Word{0}) >> 1);
  const Word half = static_cast<Word>((Word{1} << (shift - 1)) - 1);
  const Word magnitude = word & kMagnitude;
  const Word odd = static_cast<Word>(magnitude >> shift & 1);
  const auto rounded = static_cast<Word>(static_cast<Word>(magnitude + half + odd) >> shift);
  return static_cast<Word>((word & ~kMagnitude) | rounded);
}
template <typename Word>
STRATA_SHARED inline Word droppedShift(Word word, unsigned shift) noexcept {
  constexpr Word kMagnitude = static_cast<Word>(static_cast<Word>(~Word{0}) >> 1);
  return static_cast<Word>((word & ~kMagnitude) | (word & kMagnitude) >> shift);
}
template <typename Word>
STRATA_SHARED inline Word unshifted(Word word, unsigned shift) noexcept {
  constexpr Word kMagnitude = static_cast<Word>(static_cast<Word>(~Word{0}) >> 1);
  const auto magnitude = static_cast<Word>(static_cast<Word>(word << shift) & kMagnitude);
  return static_cast<Word>((word & ~kMagnitude) | magnitude);
}

/// Words of one byte as the difference coders see them, of two bytes, and back.
STRATA_SHARED inline std::uint16_t widenedByte(std::uint8_t b, bool isFloat,
                                               bool isSigned) noexcept {
  if (isFloat) return static_cast<std::uint16_t>((b & 0x80) << 8 | (b & 0x7f));
  return static_cast<std::uint16_t>(isSigned ? static_cast<std::int8_t>(b) : b);
}
STRATA_SHARED inline std::uint8_t narrowedByte(std::uint16_t w, bool isFloat) noexcept {
  return static_cast<std::uint8_t>(isFloat ? (w >> 8 & 0x80) | (w & 0x7f) : w);
}

/// 64 bits that look random: SplitMix64 (G. Steele, D. Lea, C. Flood 2014) of a counter. Codec
/// `patterns`.
STRATA_SHARED inline std::uint64_t flipWord(std::uint64_t basis, std::uint64_t word) noexcept {
  std::uint64_t z = ((basis << 16 | word) + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

/// Where a sketch counts the floats that have the same top bits (core/codec/lossy/level_sketch.h).
struct SketchBin {
  std::uint32_t edge = 0x7fffffff;  ///< magnitudes above, as bits, are counted one slot further out
  std::int32_t slot = 0;
};
/// The lower bits of a float that its bin does not depend on. 6 bits of the mantissa are left: bins
/// are narrower than buckets, so each has parts of two at most.
inline constexpr unsigned kSketchBinShift = 17;

/// The slot of a value; slots ascend by value.
STRATA_SHARED inline std::uint32_t sketchSlot(const SketchBin* bins, float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const SketchBin bin = bins[bits >> kSketchBinShift];
  const std::int32_t outward = 1 - 2 * static_cast<std::int32_t>(bits >> 31);
  return static_cast<std::uint32_t>(bin.slot + ((bits & 0x7fffffff) > bin.edge ? outward : 0));
}

}  // namespace strata::kernels
