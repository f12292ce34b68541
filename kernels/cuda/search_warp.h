#pragma once

// The search for the pattern that a run of values is most like (codec `patterns`), one run a warp:
// what core/codec/lossy/pattern_search.h does, sum for sum. See rans_warp.h.

#include "kernels/cuda/rans_warp.h"
#include "kernels/part_words.h"

namespace strata::kernels::STRATA_LOOPS {
namespace {

/// Memory of one warp: see searchScratchBytes().
struct SearchScratch {
  std::int32_t* rounded;  ///< the run in whole numbers, filled up with zeros
  void* transform;        ///< as many numbers of 32 bits
  std::int16_t* sizes;    ///< the largest size in the transform of each basis

  STRATA_SHARED SearchScratch(std::byte* memory, const DeviceSearch& work) noexcept
      : rounded(reinterpret_cast<std::int32_t*>(memory)),
        transform(rounded + work.entries()),
        sizes(reinterpret_cast<std::int16_t*>(rounded + 2 * work.entries())) {}
};

/// Calls f(lane, i) for all i < count, each in one lane.
template <typename Warp, typename F>
STRATA_SHARED inline void eachOf(Warp& warp, std::uint32_t count, F&& f) {
  warp.each([&](unsigned lane) {
    for (std::uint32_t i = lane; i < count; i += kMaxLanes) f(lane, i);
  });
}

/// The Walsh-Hadamard transform of y, in place.
template <typename Number, typename Warp>
STRATA_SHARED inline void walsh(Warp& warp, Number* y, std::uint32_t entries) {
  for (std::uint32_t stride = 1; stride < entries; stride *= 2) {
    eachOf(warp, entries / 2, [&](unsigned, std::uint32_t i) {
      const std::uint32_t low = i & (stride - 1);
      const std::uint32_t at = 2 * (i - low) + low;
      const Number sum = y[at] + y[at + stride];
      y[at + stride] = y[at] - y[at + stride];
      y[at] = sum;
    });
  }
}

STRATA_SHARED inline bool isFlipped(std::uint32_t basis, std::uint32_t entry) noexcept {
  return (flipWord(basis, entry / 64) >> entry % 64 & 1) != 0;
}

/// The run in whole numbers, as large as its transform in 16 bits takes.
template <typename Warp>
STRATA_SHARED inline void roundRun(Warp& warp, const float* values, std::uint32_t count,
                                   std::uint32_t entries, const SearchScratch& scratch) {
  constexpr std::uint32_t kSums = 8;
  auto* const sums = static_cast<float*>(scratch.transform);
  warp.each([&](unsigned lane) {
    if (lane >= kSums) return;
    float sum = 0;
    for (std::uint32_t j = lane; j < count; j += kSums)
      sum += values[j] < 0 ? -values[j] : values[j];
    sums[lane] = sum;
  });
  eachOf(warp, entries, [&](unsigned, std::uint32_t j) {
    float sum = 0;
    for (std::uint32_t i = 0; i < kSums; ++i) sum += sums[i];
    const float quotient = (32766.0F - static_cast<float>(entries) / 2) / sum;
    const float scale = sum > 0 && quotient <= 3.402823466e38F ? quotient : 0;
    const float value = j < count ? values[j] : 0;
    scratch.rounded[j] = static_cast<std::int32_t>(value * scale + (value < 0 ? -0.5F : 0.5F));
  });
}

/// The largest of what the lanes have.
template <typename Warp, typename Lanes>
STRATA_SHARED inline auto largestOf(Warp& warp, Lanes mine) {
  for (unsigned distance = kMaxLanes / 2; distance > 0; distance /= 2) {
    const auto other = warp.exchanged(mine, distance);
    warp.each([&](unsigned lane) {
      if (other[lane] > mine[lane]) mine[lane] = other[lane];
    });
  }
  return warp.first(mine);
}

/// The largest size in the transform of the rounded run, flipped as `basis` says.
template <typename Warp>
STRATA_SHARED inline std::int32_t roundedSize(Warp& warp, std::uint32_t basis,
                                              std::uint32_t entries, const SearchScratch& scratch) {
  auto* const y = static_cast<std::int32_t*>(scratch.transform);
  eachOf(warp, entries, [&](unsigned, std::uint32_t j) {
    y[j] = isFlipped(basis, j) ? -scratch.rounded[j] : scratch.rounded[j];
  });
  walsh(warp, y, entries);
  typename Warp::template Of<std::int32_t> most;
  warp.each([&](unsigned lane) { most[lane] = 0; });
  eachOf(warp, entries, [&](unsigned lane, std::uint32_t j) {
    const std::int32_t size = y[j] < 0 ? -y[j] : y[j];
    if (size > most[lane]) most[lane] = size;
  });
  return largestOf(warp, most);
}

/// An entry of a transform in one number: the larger its size, and of equal ones the nearer to the
/// front, the larger is the key. Sizes are in the order of their bits.
STRATA_SHARED inline std::uint64_t peakKey(float value, std::uint32_t at) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint64_t>(bits & 0x7fffffffU) << 32 | (0x7fffffffU - at) << 1 |
         bits >> 31;
}
STRATA_SHARED inline float valueOfPeak(std::uint64_t key) noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(key >> 32) |
                              static_cast<std::uint32_t>(key & 1) << 31);
}
STRATA_SHARED inline std::uint32_t placeOfPeak(std::uint64_t key) noexcept {
  return 0x7fffffffU - (static_cast<std::uint32_t>(key) >> 1);
}

/// The key of the largest entry of the transform of the run, flipped as `basis` says.
template <typename Warp>
STRATA_SHARED inline std::uint64_t peakOf(Warp& warp, const float* values, std::uint32_t count,
                                          std::uint32_t basis, std::uint32_t entries,
                                          const SearchScratch& scratch) {
  auto* const y = static_cast<float*>(scratch.transform);
  eachOf(warp, entries, [&](unsigned, std::uint32_t j) {
    const float value = j < count ? values[j] : 0;
    y[j] = isFlipped(basis, j) && j < count ? -value : value;
  });
  walsh(warp, y, entries);
  typename Warp::template Of<std::uint64_t> best;
  warp.each([&](unsigned lane) { best[lane] = 0; });
  eachOf(warp, entries, [&](unsigned lane, std::uint32_t j) {
    const std::uint64_t key = peakKey(y[j], j);
    if (key > best[lane]) best[lane] = key;
  });
  return largestOf(warp, best);
}

/// The best pattern of run `run`; `memory` holds searchScratchBytes().
template <typename Warp>
STRATA_SHARED inline PatternMatch searchRun(Warp& warp, const std::byte* input,
                                            const DeviceSearch& work, std::uint32_t run,
                                            std::byte* memory) {
  const SearchScratch scratch(memory, work);
  const std::uint32_t first = work.firstWord(run);
  const std::uint32_t count = work.wordsIn(run);
  const float* const values = arrayAt<float>(input, work.valuesAt) + first;
  const std::uint32_t entries = work.entries();
  roundRun(warp, values, count, entries, scratch);
  std::int32_t largest = 0;
  for (std::uint32_t basis = 0; basis < 1U << work.basesLog2; ++basis) {
    const std::int32_t size = roundedSize(warp, basis, entries, scratch);
    if (size > largest) largest = size;
    warp.each([&](unsigned lane) {
      if (lane == 0) scratch.sizes[basis] = static_cast<std::int16_t>(size);
    });
  }
  PatternMatch match;
  if (largest == 0) return match;
  const std::int32_t margin = 3 << (work.lengthLog2 + 1) / 2;
  for (std::uint32_t basis = 0; basis < 1U << work.basesLog2; ++basis) {
    const std::uint32_t isNear =
        warp.ballot([&](unsigned) { return scratch.sizes[basis] + margin >= largest; });
    if (isNear == 0) continue;
    const std::uint64_t key = peakOf(warp, values, count, basis, entries, scratch);
    const float peak = valueOfPeak(key);
    const float size = peak < 0 ? -peak : peak;
    if (size <= match.peak) continue;
    const std::uint32_t negative = peak < 0 ? 1U << (work.lengthLog2 + work.basesLog2) : 0;
    match = {size, negative | basis << work.lengthLog2 | placeOfPeak(key)};
  }
  return match;
}

}  // namespace
}  // namespace strata::kernels::STRATA_LOOPS
