#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/codec/entropy/byte_io.h"
#include "core/codec/lossy/level_quantizer.h"
#include "core/codec/lossy/lossy_codec.h"

namespace strata {

/// The first byte of a `levels` payload in its short form: levels as bit strings (R. Rice, 1979)
/// with one parameter, on a uniform grid, without tables, terms and factors. For norms, biases and
/// the like, of which tables would be most. docs/FORMAT.md, "Codec levels".
inline constexpr std::uint8_t kShortLevelsFlag = 16;

/// Rows of a part at most that writers use it for: vectors, heads of a few classes.
inline constexpr std::uint64_t kMostShortRows = 15;

/// A part's levels in the short form, and what they restore to; `step` is a bf16 number.
LossyPart encodeShortLevels(const EncodeInput& input, std::span<const std::int32_t> levels,
                            float step);

/// See openPart(). `in` is behind the first byte.
Result<std::unique_ptr<PartDecoder>> openShortLevels(const PartShape& shape, ByteReader in);

}  // namespace strata
