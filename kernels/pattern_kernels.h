#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu_kernels.h"

namespace strata::kernels {

/// Runs that one call of walshSizes works on, and of walshPeaks. They lie interleaved: entry j of
/// run r at j * batch + r.
inline constexpr std::size_t kWalshBatch = 32;
inline constexpr std::size_t kPatternBatch = 8;

/// A run's transform under one flip of signs, as number of the run * 2^16 + number of the flip.
using FlippedRun = std::uint32_t;

/// The search for the best pattern of runs of words: codec `patterns`. A run has 2^log2 entries, of
/// which those from `count` on are 0. All sets give the same bits.
struct PatternKernels {
  /// The run in whole numbers, scaled so that their sizes sum up to at most 32767.
  void (*roundRun)(const float* values, std::size_t count, unsigned log2,
                   std::int16_t* out) noexcept;
  /// Interleaves kWalshBatch runs of 2^log2 entries that lie one after the other.
  void (*interleave)(const std::int16_t* runs, unsigned log2, std::int16_t* out) noexcept;
  /// The largest size in the Walsh transform of each of kWalshBatch runs under `bases` flips of
  /// signs: flips holds `bases` times 2^log2 numbers ±1. sizes[m * kWalshBatch + r] is the size
  /// under flip m. `scratch` has the size of `x`.
  void (*walshSizes)(const std::int16_t* x, std::size_t count, unsigned log2,
                     const std::int16_t* flips, std::uint32_t bases, std::int16_t* scratch,
                     std::int16_t* sizes) noexcept;
  /// Lists by flip and run which of the first `runs` runs come within `margin` of their largest
  /// size under which of `bases` flips, but for runs of zeros. `out` takes bases * kWalshBatch.
  std::size_t (*listNear)(const std::int16_t* sizes, std::uint32_t bases, std::size_t runs,
                          std::int16_t margin, FlippedRun* out) noexcept;
  /// Interleaves kPatternBatch runs of `count` words, each under its flip; the entries of `out`
  /// behind are left alone.
  void (*loadFlipped)(const float* const* runs, const std::int16_t* const* flips, std::size_t count,
                      float* out) noexcept;
  /// The Walsh function that each of kPatternBatch interleaved runs is most like. `x` is lost.
  /// peaks[r] is the scalar product, 0 for a run of zeros; of equal ones that of the first
  /// function.
  void (*walshPeaks)(float* x, unsigned log2, float* peaks, std::uint32_t* functions) noexcept;
};

/// Those that go with a set of usableKernels().
const PatternKernels& patternKernels(const CpuKernels& set) noexcept;
/// Those that go with bestKernels().
const PatternKernels& bestPatternKernels() noexcept;

}  // namespace strata::kernels
