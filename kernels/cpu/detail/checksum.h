#pragma once

// The library's hash, compiled once per instruction set (see loops.h).

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "kernels/cpu_kernels.h"

namespace strata::kernels::STRATA_LOOPS {
namespace {

inline std::uint64_t hashBytes(const std::byte* bytes, std::size_t count) noexcept {
  return XXH3_64bits(bytes, count);
}

}  // namespace
}  // namespace strata::kernels::STRATA_LOOPS
