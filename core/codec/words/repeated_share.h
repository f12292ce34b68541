#pragma once

#include "core/codec/codec.h"

namespace strata {

/// About what share of a part's words repeats earlier words of the part, 0 to 1: of single words
/// that have many bits, and else of short runs. Random weights have next to none; matrices of
/// transforms and rows that are there twice have many. Looks at all words, and keeps some thousand.
double repeatedShare(const PartShape& shape, std::span<const std::byte> words);

}  // namespace strata
