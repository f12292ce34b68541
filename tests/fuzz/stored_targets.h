#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "tests/support/hostile_store.h"

namespace strata::test {

/// Opens and decodes hostile bytes as a payload: the first eight choose codec, words, shape and how
/// many sources it has.
/// Blocks whose checksums are wrong get the right ones, and are decoded once more: that must give
/// the same words. Empty where it does, else what went wrong.
std::string brokenByPayload(std::span<const std::byte> bytes);

/// Versions of runs whose parts have several sources, one step after its base and several, and one
/// whose weights of 16 bits are rounded from those behind them.
std::vector<std::unique_ptr<SteppedPair>> steppedPairs();

/// Takes hostile bytes as a manifest's message and restores what it describes. Returns whether that
/// went well.
bool exerciseManifest(const VersionPair& pair, std::span<const std::byte> message);

}  // namespace strata::test
