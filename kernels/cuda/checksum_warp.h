#pragma once

// XXH3 of 64 bits, seed 0, for blocks of more than 240 bytes, as one warp computes it (xxHash's
// specification, "XXH3 algorithm for long inputs"): lane l adds up accumulator l mod 8 of every
// fourth stripe. See rans_warp.h for `Warp`.

#include "kernels/cuda/rans_warp.h"

namespace strata::kernels::STRATA_LOOPS {
namespace {

inline constexpr std::uint32_t kStripeBytes = 64;
inline constexpr std::uint32_t kStripesPerBlock = 16;

STRATA_SHARED inline std::uint64_t highProduct(std::uint64_t a, std::uint64_t b) noexcept {
#ifdef __CUDA_ARCH__
  return __umul64hi(a, b);
#else
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Wide>(a) * b >> 64);
#endif
}

/// What one stripe adds to the accumulators: `product` to lane's own, `word` to its neighbour's.
template <typename Warp>
struct StripeSums {
  typename Warp::template Of<std::uint64_t> product;
  typename Warp::template Of<std::uint64_t> word;
};

template <typename Warp>
STRATA_SHARED inline void addAcross(Warp& warp, typename Warp::template Of<std::uint64_t>& value,
                                    unsigned distance) {
  const auto other = warp.exchanged(value, distance);
  warp.each([&](unsigned lane) { value[lane] += other[lane]; });
}

/// Adds `count` stripes, at most 16, from `bytes` on; `keys` has one number for each stripe and the
/// seven behind.
template <typename Warp>
STRATA_SHARED inline void addStripes(Warp& warp, const std::byte* bytes, std::uint32_t count,
                                     const std::uint64_t* keys,
                                     typename Warp::template Of<std::uint64_t>& accumulator) {
  StripeSums<Warp> sums;
  warp.each([&](unsigned lane) {
    sums.product[lane] = 0;
    sums.word[lane] = 0;
    const unsigned number = lane % 8;
    for (std::uint32_t stripe = lane / 8; stripe < count; stripe += 4) {
      const auto word = loaded<std::uint64_t>(bytes + stripe * kStripeBytes + number * 8);
      const std::uint64_t keyed = word ^ keys[stripe + number];
      sums.word[lane] += word;
      sums.product[lane] += (keyed & 0xffffffff) * (keyed >> 32);
    }
  });
  for (const unsigned distance : {8U, 16U}) {
    addAcross(warp, sums.product, distance);
    addAcross(warp, sums.word, distance);
  }
  const auto swapped = warp.exchanged(sums.word, 1);
  warp.each([&](unsigned lane) { accumulator[lane] += sums.product[lane] + swapped[lane]; });
}

/// The low 32 bits of the hash of `count` bytes, at least kLeastDeviceBytes.
template <typename Warp>
STRATA_SHARED inline std::uint32_t blockChecksum(Warp& warp, const std::byte* bytes,
                                                 std::uint64_t count, const ChecksumKeys& keys) {
  constexpr std::uint64_t kPrime32 = 0x9e3779b1;
  constexpr std::uint64_t kPrime64 = 0x9e3779b185ebca87;
  typename Warp::template Of<std::uint64_t> accumulator;
  warp.each([&](unsigned lane) { accumulator[lane] = keys.start[lane % 8]; });
  constexpr std::uint64_t kBlockBytes = kStripeBytes * kStripesPerBlock;
  const std::uint64_t blocks = (count - 1) / kBlockBytes;
  for (std::uint64_t block = 0; block < blocks; ++block) {
    addStripes(warp, bytes + block * kBlockBytes, kStripesPerBlock, keys.stripes, accumulator);
    warp.each([&](unsigned lane) {
      std::uint64_t& a = accumulator[lane];
      a = (a ^ a >> 47 ^ keys.stripes[kStripesPerBlock + lane % 8]) * kPrime32;
    });
  }
  const std::uint64_t done = blocks * kBlockBytes;
  const auto stripes = static_cast<std::uint32_t>((count - 1 - done) / kStripeBytes);
  addStripes(warp, bytes + done, stripes, keys.stripes, accumulator);
  addStripes(warp, bytes + count - kStripeBytes, 1, keys.last, accumulator);
  typename Warp::template Of<std::uint64_t> sum;
  warp.each([&](unsigned lane) { sum[lane] = accumulator[lane] ^ keys.merge[lane % 8]; });
  const auto partner = warp.exchanged(sum, 1);
  warp.each([&](unsigned lane) {
    const std::uint64_t a = sum[lane];
    const std::uint64_t b = partner[lane];
    sum[lane] = a * b ^ highProduct(a, b);
  });
  for (const unsigned distance : {2U, 4U}) addAcross(warp, sum, distance);
  std::uint64_t hash = warp.first(sum) + count * kPrime64;
  hash = (hash ^ hash >> 37) * 0x165667919e3779f9;
  return static_cast<std::uint32_t>(hash ^ hash >> 32);
}

}  // namespace
}  // namespace strata::kernels::STRATA_LOOPS
