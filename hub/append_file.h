#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>

#include "core/transfer/remote_object.h"

namespace strata::hub {

/// Gives `sink` the bytes of a file from `firstByte` to `endByte`, some at a time, and tells
/// `meter` of each. They are read, not mapped: a disk that is pulled out, or a share that goes
/// away, is a failure then and not the end of the program. Fails with Io, CorruptData if the file
/// ends before, Cancelled, and as the sink.
Result<void> appendFile(const std::filesystem::path& file, std::uint64_t firstByte,
                        std::uint64_t endByte, ObjectSink& sink, const std::stop_token& stop,
                        const TransferMeter& meter);

}  // namespace strata::hub
