#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/codec/entropy/byte_io.h"

namespace strata {

/// Appends a short stream of small numbers (scales, palette indices, factors), entropy coded with
/// one table, or raw or as one repeated value where that is shorter. docs/FORMAT.md, "Byte
/// streams".
void writeByteStream(ByteWriter& out, std::span<const std::uint8_t> values);

/// Reads exactly `count` values; nothing if the bytes are damaged.
std::optional<std::vector<std::uint8_t>> readByteStream(ByteReader& in, std::uint64_t count);

}  // namespace strata
