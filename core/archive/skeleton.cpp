#include "core/archive/skeleton.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

#include "core/codec/entropy/zstd_frame.h"
#include "core/digest.h"

namespace strata {
namespace {

/// Small skeletons take a strong level; it would be slow on large ones.
constexpr std::size_t kSmallBytes = 4096;
constexpr std::size_t kSmallForBest = 2U << 20;
constexpr int kUsualLevel = 9;
constexpr int kStrongLevel = 15;

struct FreeContext {
  void operator()(ZSTD_CCtx* c) const { ZSTD_freeCCtx(c); }
  void operator()(ZSTD_DCtx* d) const { ZSTD_freeDCtx(d); }
};

Result<std::vector<std::byte>> frameOf(std::span<const std::byte> skeleton,
                                       std::span<const std::byte> dictionary, int level) {
  const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, 27);
  ZSTD_CCtx_refPrefix(context.get(), dictionary.data(), dictionary.size());
  std::vector<std::byte> frame(ZSTD_compressBound(skeleton.size()));
  const std::size_t n =
      ZSTD_compress2(context.get(), frame.data(), frame.size(), skeleton.data(), skeleton.size());
  if (ZSTD_isError(n) != 0) return fail(ErrorCode::Internal, "skeleton cannot be coded");
  frame.resize(n);
  return frame;
}

}  // namespace

Result<EncodedSkeleton> encodeSkeleton(std::span<const std::byte> skeleton,
                                       std::span<const std::byte> dictionary, Effort effort) {
  if (skeleton.size() > kMostSkeletonBytes) {
    return fail(ErrorCode::LimitExceeded,
                fmt::format("{} bytes outside of the weights, at most {} are taken",
                            skeleton.size(), kMostSkeletonBytes));
  }
  EncodedSkeleton out;
  if (skeleton.empty()) return out;
  if (std::ranges::equal(skeleton, dictionary)) {
    out.codec = SkeletonCodec::Same;
    return out;
  }
  const bool isSmall = skeleton.size() <= kSmallBytes;
  STRATA_TRY(out.payload, frameOf(skeleton, dictionary, isSmall ? kStrongLevel : kUsualLevel));
  if (!isSmall && effort == Effort::Best && skeleton.size() <= kSmallForBest) {
    STRATA_TRY(auto strong, frameOf(skeleton, dictionary, kStrongLevel));
    if (strong.size() < out.payload.size()) out.payload = std::move(strong);
  }
  out.codec = SkeletonCodec::Zstd;
  if (out.payload.size() >= skeleton.size()) {
    out.codec = SkeletonCodec::Raw;
    out.payload.assign(skeleton.begin(), skeleton.end());
  }
  return out;
}

Result<std::vector<std::byte>> decodeSkeleton(const ManifestFile& file,
                                              std::span<const std::byte> payload,
                                              std::span<const std::byte> dictionary) {
  if (file.skeletonBytes > kMostSkeletonBytes) {
    return fail(ErrorCode::LimitExceeded, fmt::format("skeleton of {} bytes, at most {} are read",
                                                      file.skeletonBytes, kMostSkeletonBytes));
  }
  std::vector<std::byte> bytes;
  switch (file.skeletonCodec) {
    case SkeletonCodec::Raw:
      bytes.assign(payload.begin(), payload.end());
      break;
    case SkeletonCodec::Same:
      bytes.assign(dictionary.begin(), dictionary.end());
      break;
    case SkeletonCodec::Zstd: {
      bytes.resize(file.skeletonBytes);
      const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
      ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, 29);
      ZSTD_DCtx_refPrefix(context.get(), dictionary.data(), dictionary.size());
      const std::size_t n = ZSTD_decompressDCtx(context.get(), bytes.data(), bytes.size(),
                                                payload.data(), payload.size());
      if (ZSTD_isError(n) != 0 || !isOneZstdFrame(payload))
        return fail(ErrorCode::CorruptData, "skeleton does not decode");
      bytes.resize(n);
      break;
    }
  }
  if (bytes.size() != file.skeletonBytes || xxh3(bytes) != file.skeletonChecksum) {
    return fail(ErrorCode::CorruptData, "skeleton does not match its checksum");
  }
  return bytes;
}

}  // namespace strata
