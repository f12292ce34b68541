#pragma once

#include <cstdint>
#include <span>
#include <stop_token>

#include "core/transfer/transport.h"

namespace strata::hub {

/// Gives `sink` the bytes from `firstByte` on, some at a time, and tells `meter` of each.
/// `firstByte` is at most bytes.size(). Fails with Cancelled, and as the sink.
Result<void> appendBlocks(std::span<const std::byte> bytes, std::uint64_t firstByte,
                          ObjectSink& sink, const std::stop_token& stop,
                          const TransferMeter& meter);

}  // namespace strata::hub
