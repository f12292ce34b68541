#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/archive/manifest.pb.h"
#include "core/digest.h"
#include "core/result.h"

namespace strata {

using Manifest = archive::Manifest;

/// Version of manifests that this program writes; it reads older ones, too.
inline constexpr std::uint32_t kManifestVersion = 2;

/// The manifest object's bytes: a header and the zstd-coded message, whatever version the manifest
/// was read from. Fails with LimitExceeded, and with CorruptData where tensors
/// make no sense.
Result<std::string> serializeManifest(const Manifest& manifest);

/// Reads a manifest object and checks everything in it that can be checked without packs: ranges,
/// order, digests' lengths, paths. Offsets are as in version 1: places in files and packs. Fails
/// with CorruptData, FormatTooNew, and LimitExceeded for one whose entries would fill the memory.
Result<Manifest> parseManifest(std::span<const std::byte> object);

/// A number for people as lossy manifests have it: three digits do, and what is dropped is a good
/// part of so small a file.
float toThreeDigits(double number) noexcept;

/// Content digest of a model: SHA-256 over its files, sorted by path, each as
/// `path NUL size(8 bytes, little-endian) sha256(32 bytes)`.
Digest contentDigest(const Manifest& manifest);

/// Sum of the files' sizes.
std::uint64_t originalBytes(const Manifest& manifest) noexcept;

/// Bytes of the sections that one tensor holds in packs, without the manifest's share.
std::uint64_t storedBytes(const archive::Tensor& tensor) noexcept;

/// Of the library that reads manifests, such as "3.21.12".
std::string protobufVersion();

/// Words that people know the tensor's parts by: "same", "integer", "planes", several joined by
/// "+".
std::string codecNames(const archive::Tensor& tensor);

}  // namespace strata
