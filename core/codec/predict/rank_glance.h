#pragma once

#include "core/codec/codec.h"

namespace strata {

/// What a sample of a part's difference says about its largest components.
struct RankGlance {
  std::uint32_t rank = 0;       ///< that pays most; 0: none does
  double savedBitsPerWord = 0;  ///< about, less what the factors cost
};

/// Looks at some thousand words of a part of floats. A rank is at most kFewRanks: more of them cost
/// a quick encoder too much time.
RankGlance glanceAtRank(const EncodeInput& input);

inline constexpr std::uint32_t kFewRanks = 8;

}  // namespace strata
