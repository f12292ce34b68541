#pragma once

#include <cstddef>
#include <span>

#include "tests/support/hostile_store.h"

namespace strata::test {

/// Opens and decodes hostile bytes as a payload: the first eight choose codec, words and shape.
/// Blocks whose checksums are wrong get the right ones, and are decoded once more: that must give
/// the same words. Empty where it does, else what went wrong.
std::string brokenByPayload(std::span<const std::byte> bytes);

/// Takes hostile bytes as a manifest's message and restores what it describes. Returns whether that
/// went well.
bool exerciseManifest(const SmallPair& pair, std::span<const std::byte> message);

}  // namespace strata::test
