#pragma once

#include <cstddef>
#include <span>

namespace strata {

/// Whether `bytes` are one zstd frame from the first to the last: no frames behind it, none that
/// decoders skip, and no format of before version 1.0. What it decodes to is another matter.
bool isOneZstdFrame(std::span<const std::byte> bytes) noexcept;

}  // namespace strata
