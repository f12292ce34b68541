#pragma once

#include <cstddef>
#include <span>

#include "core/archive/write/part_encoder.h"

namespace strata {

/// Decodes a part again; `words` is what must come out. Fails with Internal if it does not.
Result<void> checkDecodes(const EncodeInput& input, std::span<const std::byte> words,
                          const EncodedPart& part, const SharedTables& shared);

}  // namespace strata
