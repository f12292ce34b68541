#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/archive/detail/wire_format.h"
#include "core/archive/manifest.h"
#include "core/result.h"

namespace strata {

/// How a message has the offsets of sections, tensors and views.
enum class Offsets {
  AsTheyAre,    ///< version 1 of manifests
  Differences,  ///< version 2 and later (core/archive/detail/manifest_offsets.h)
};

/// The manifest as the message of core/archive/manifest.proto, byte for byte as protobuf writes it.
/// Fails with CorruptData where differences are wanted and tensors make no sense.
Result<std::string> encodeMessage(const Manifest& manifest, Offsets offsets);

/// The object that holds a message of a version: a header and a zstd frame. Fails with
/// LimitExceeded for a message that readers would not take.
Result<std::string> objectOf(std::string_view message, std::uint32_t version);

/// Reads such a message from untrusted bytes, which has the offsets as `offsets` says; gives them
/// as they are. Takes at most `mostBytes` of memory, about. Fails with CorruptData where protobuf
/// would not read it, a digest is not of 32 bytes or differences lead nowhere, with Unsupported for
/// a codec and with CorruptData for a type that no version knows, and with LimitExceeded.
Result<Manifest> decodeMessage(std::string_view message, std::uint64_t mostBytes, Offsets offsets);

/// The fields of a tensor's message.
void writeTensor(const ManifestTensor& tensor, WireWriter& out);
/// Reads what writeTensor() wrote, with offsets and texts as they are, into `out`, whose lists keep
/// their room.
void readTensor(std::string_view message, ManifestTensor& out);
/// Its name alone; borrowed from the message.
std::string_view nameOfTensor(std::string_view message) noexcept;

}  // namespace strata
