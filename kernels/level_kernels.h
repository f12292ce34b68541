#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu_kernels.h"

namespace strata::kernels {

/// A hash of bytes that come in pieces, between two calls; of the set that began it.
struct alignas(64) HashState {
  std::byte bytes[576];
};

struct Hash128 {
  std::uint64_t low;
  std::uint64_t high;
  friend bool operator==(const Hash128&, const Hash128&) = default;
};

/// Words behind its lists that listNonZero() may touch.
inline constexpr std::size_t kListSlack = 16;

/// How values become levels: steps of 1 / inverse.
struct LevelGrid {
  float inverse;
  float offset;  ///< added to sizes in steps before they are cut to whole numbers
  float most;    ///< largest size
};

/// More hot loops of an instruction set: those of the codec `levels`, and XXH3 in pieces. As for
/// CpuKernels, all sets give the same bits.
struct LevelKernels {
  /// Decodes `count` levels as decodeDeltas() does; values[i] grows by what the level stands for.
  void (*decodeLevels)(RansDecoder& decoder, const std::uint32_t* tables,
                       const std::uint8_t* contexts, const LevelValues& table, std::size_t count,
                       float* values) noexcept;
  /// Context numbers of words in one row: map[clamp(rowTerm + columnTerms[i], 1, 63)]; the sums
  /// fit 16 bits.
  void (*rowContexts)(const std::int16_t* columnTerms, int rowTerm, std::size_t count,
                      const std::uint8_t* map, std::uint8_t* out) noexcept;
  /// levels[i] has the sign of values[i] and the size min(|values[i]| * inverse + offset, most), at
  /// least 0, without its fraction. No value is a NaN.
  void (*quantize)(const float* values, std::size_t count, LevelGrid grid,
                   std::int32_t* levels) noexcept;
  /// Lists the levels that are not 0 and where they are; returns how many.
  std::size_t (*listNonZero)(const std::int32_t* levels, std::size_t count, std::uint32_t* places,
                             std::int32_t* kept) noexcept;

  /// XXH3, 64 bits, seed 0, of bytes in pieces. endHash() leaves the state as it is.
  void (*beginHash)(HashState& state) noexcept;
  void (*addToHash)(HashState& state, const std::byte* bytes, std::size_t count) noexcept;
  std::uint64_t (*endHash)(const HashState& state) noexcept;
  /// XXH3, 128 bits, of the same bytes: the same state, another end.
  Hash128 (*endHash128)(const HashState& state) noexcept;
};

/// Those that go with a set of usableKernels().
const LevelKernels& levelKernels(const CpuKernels& set) noexcept;
/// Those that go with bestKernels().
const LevelKernels& bestLevelKernels() noexcept;

}  // namespace strata::kernels
