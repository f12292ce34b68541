#pragma once

#include <cstddef>
#include <stop_token>

#include "core/archive/piece_decoder.h"
#include "core/archive/version_reader.h"
#include "core/io/model_sink.h"
#include "core/progress_meter.h"

namespace strata {

/// Decodes file number `file` of a version, several pieces at a time, and gives its bytes to `sink`
/// in order. Each block is checked before; with `verify`, the SHA-256 of the whole file after.
/// Fails with CorruptData, naming the file, Cancelled, and what `sink` and `decoder` fail with.
Result<void> streamFile(const VersionReader& reader, std::size_t file, ByteSink& sink, bool verify,
                        const std::stop_token& stop, ProgressMeter& meter, PieceDecoder& decoder);

/// Takes bytes and forgets them.
class NullSink final : public ByteSink {
 public:
  Result<void> append(std::span<const std::byte>) override { return {}; }
};

}  // namespace strata
