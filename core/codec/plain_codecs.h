#pragma once

#include "core/codec/codec.h"

namespace strata {

/// The words as they are.
std::vector<std::byte> encodeRaw(const EncodeInput& input);
Result<std::unique_ptr<PartDecoder>> openRaw(const PartShape& shape,
                                             std::span<const std::byte> payload);

/// One zstd frame per block.
std::vector<std::byte> encodeZstd(const EncodeInput& input, int level);
Result<std::unique_ptr<PartDecoder>> openZstd(const PartShape& shape,
                                              std::span<const std::byte> payload);

/// What `planes` splits into bytes. Stored in payloads.
enum class PlanesOf : std::uint8_t { Words = 0, Difference = 1, Xor = 2 };

/// Byte planes, after ZipNN (arXiv 2411.05239), with rANS: the exponent of a float fills one plane.
/// With a parent the planes are those of the difference; meant for 8-byte words there.
std::vector<std::byte> encodePlanes(const EncodeInput& input, PlanesOf what);
Result<std::unique_ptr<PartDecoder>> openPlanes(const PartShape& shape,
                                                std::span<const std::byte> payload, bool hasParent);

}  // namespace strata
