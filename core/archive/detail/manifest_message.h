#pragma once

#include <cstdint>
#include <string>
#include <string_view>

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

/// What serializeManifest() gives, of a manifest that is not needed any more: each tensor goes once
/// it is written. A million tensors and their message would take much memory side by side.
Result<std::string> serializeSpent(Manifest& manifest);

/// The object that holds a message of a version: a header and a zstd frame. Fails with
/// LimitExceeded for a message that readers would not take.
Result<std::string> objectOf(std::string_view message, std::uint32_t version);

/// Reads such a message from untrusted bytes; offsets are what they are there. Takes at most
/// `mostBytes` of memory, about. Fails with CorruptData where protobuf would not read it or a
/// digest is not of 32 bytes, with Unsupported for a codec and with CorruptData for a type that no
/// version knows, and with LimitExceeded.
Result<Manifest> decodeMessage(std::string_view message, std::uint64_t mostBytes);

}  // namespace strata
