#pragma once

#include "core/codec/codec.h"
#include "core/codec/entropy/block_index.h"

namespace strata {

/// The words as they are.
std::vector<std::byte> encodeRaw(const EncodeInput& input);
Result<std::unique_ptr<PartDecoder>> openRaw(const PartShape& shape,
                                             std::span<const std::byte> payload);

/// One zstd frame per block of 2^blockLog2 words. Words that repeat far away want large blocks.
std::vector<std::byte> encodeZstd(const EncodeInput& input, int level,
                                  unsigned blockLog2 = kMinBlockLog2);
Result<std::unique_ptr<PartDecoder>> openZstd(const PartShape& shape,
                                              std::span<const std::byte> payload);

/// The same, each with the parent's words of the block as its dictionary: for words that repeat
/// those of another tensor of the model, in other places.
std::vector<std::byte> encodeZstdView(const EncodeInput& input, int level,
                                      unsigned blockLog2 = kMinBlockLog2);
Result<std::unique_ptr<PartDecoder>> openZstdView(const PartShape& shape,
                                                  std::span<const std::byte> payload);

/// What `planes` splits into bytes. Stored in payloads.
enum class PlanesOf : std::uint8_t { Words = 0, Difference = 1, Xor = 2 };

/// Byte planes, after ZipNN (arXiv 2411.05239), with rANS: the exponent of a float fills one plane.
/// With a parent the planes are those of the difference; meant for 8-byte words there.
std::vector<std::byte> encodePlanes(const EncodeInput& input, PlanesOf what);
Result<std::unique_ptr<PartDecoder>> openPlanes(const PartShape& shape,
                                                std::span<const std::byte> payload, bool hasParent);

}  // namespace strata
