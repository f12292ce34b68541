#pragma once

#include <span>
#include <vector>

#include "core/archive/manifest.h"
#include "core/archive/write/effort.h"

namespace strata {

/// Largest skeleton a reader takes: readers make opaque tensors of what is larger.
inline constexpr std::uint64_t kMostSkeletonBytes = 256U << 20;

struct EncodedSkeleton {
  SkeletonCodec codec = SkeletonCodec::Raw;
  std::vector<std::byte> payload;  ///< empty for Same and for no bytes
};

/// Encodes a skeleton; `dictionary` is the parent's, or empty.
Result<EncodedSkeleton> encodeSkeleton(std::span<const std::byte> skeleton,
                                       std::span<const std::byte> dictionary,
                                       Effort effort = Effort::Best);

/// Decodes and checks it. Fails with CorruptData, or LimitExceeded above kMostSkeletonBytes.
Result<std::vector<std::byte>> decodeSkeleton(const ManifestFile& file,
                                              std::span<const std::byte> payload,
                                              std::span<const std::byte> dictionary);

}  // namespace strata
