#pragma once

#include <cstdint>

namespace strata {

/// Bytes of one tensor that are read and passed on at a time: a multiple of what versions
/// are coded in, whatever the word.
inline constexpr std::uint64_t kChunkBytes = 4 << 20;

}  // namespace strata
