#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>

#include "core/archive/read/file_check.h"
#include "core/archive/read/piece_decoder.h"
#include "core/archive/read/version_reader.h"
#include "core/io/models/model_sink.h"
#include "core/progress_meter.h"

namespace strata {

/// Decodes file number `file` of a version, several pieces at a time, and gives its bytes to `sink`
/// in order. Each block is checked before, and the file as `level` says while it leaves: a sink has
/// the file only once this ended well. Fails with CorruptData, naming the file, Cancelled, and what
/// `sink` and `decoder` fail with.
Result<void> streamFile(const VersionReader& reader, std::size_t file, ByteSink& sink,
                        FileCheck::Level level, const std::stop_token& stop, ProgressMeter& meter,
                        PieceDecoder& decoder);

/// Whether there are checksums of the file's pieces.
bool hasPieces(const VersionReader& reader, std::size_t file);

/// As streamFile() for the bytes from `begin` to `end` of a file that has checksums of pieces,
/// which are compared: `begin` is where a piece begins, `end` where one ends.
Result<void> streamPieces(const VersionReader& reader, std::size_t file, std::uint64_t begin,
                          std::uint64_t end, ByteSink& sink, const std::stop_token& stop,
                          ProgressMeter& meter, PieceDecoder& decoder);

/// Takes bytes and forgets them.
class NullSink final : public ByteSink {
 public:
  Result<void> append(std::span<const std::byte>) override { return {}; }
};

}  // namespace strata
