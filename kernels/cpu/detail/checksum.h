#pragma once

// The library's hash, compiled once per instruction set (see loops.h).

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "kernels/level_kernels.h"

namespace strata::kernels::STRATA_LOOPS {
namespace {

inline std::uint64_t hashBytes(const std::byte* bytes, std::size_t count) noexcept {
  return XXH3_64bits(bytes, count);
}

inline XXH3_state_t* hashOf(HashState& state) noexcept {
  static_assert(sizeof(XXH3_state_t) <= sizeof(HashState));
  static_assert(alignof(XXH3_state_t) <= alignof(HashState));
  return reinterpret_cast<XXH3_state_t*>(state.bytes);
}

inline void beginHash(HashState& state) noexcept { XXH3_64bits_reset(hashOf(state)); }

inline void addToHash(HashState& state, const std::byte* bytes, std::size_t count) noexcept {
  XXH3_64bits_update(hashOf(state), bytes, count);
}

inline std::uint64_t endHash(const HashState& state) noexcept {
  return XXH3_64bits_digest(reinterpret_cast<const XXH3_state_t*>(state.bytes));
}

inline Hash128 endHash128(const HashState& state) noexcept {
  const XXH128_hash_t hash =
      XXH3_128bits_digest(reinterpret_cast<const XXH3_state_t*>(state.bytes));
  return {.low = hash.low64, .high = hash.high64};
}

}  // namespace
}  // namespace strata::kernels::STRATA_LOOPS
