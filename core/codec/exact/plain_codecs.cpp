#include "core/codec/exact/plain_codecs.h"

#include <fmt/format.h>
#include <zstd.h>

#include <cassert>
#include <cstring>

#include "core/codec/entropy/block_index.h"
#include "core/codec/entropy/zstd_frame.h"

namespace strata {
namespace {

class RawDecoder final : public PartDecoder {
 public:
  explicit RawDecoder(BlockIndex index) : index_(std::move(index)) {}
  std::uint64_t blockWords() const noexcept override { return index_.blockWords(); }

  Result<void> decodeBlock(std::uint64_t index, const BlockSources&,
                           std::span<std::byte> out) const override {
    const auto block = index_.block(index);
    if (block.size() != out.size()) {
      return fail(ErrorCode::CorruptData, fmt::format("raw block {} is {} bytes, expected {}",
                                                      index, block.size(), out.size()));
    }
    if (!out.empty()) std::memcpy(out.data(), block.data(), out.size());
    return index_.check(index, out);
  }

 private:
  BlockIndex index_;
};

struct FreeContext {
  void operator()(ZSTD_CCtx* c) const noexcept { ZSTD_freeCCtx(c); }
  void operator()(ZSTD_DCtx* c) const noexcept { ZSTD_freeDCtx(c); }
};

/// A compressor's memory: one that a thread keeps for short inputs, which making one would cost
/// more than coding them, else one of its own, as much of it is needed for long ones.
class ZstdContext {
 public:
  explicit ZstdContext(std::size_t bytes) {
    if (bytes > kShort) own_.reset(ZSTD_createCCtx());
  }
  ZSTD_CCtx* get() const {
    thread_local const std::unique_ptr<ZSTD_CCtx, FreeContext> kept(ZSTD_createCCtx());
    return own_ ? own_.get() : kept.get();
  }

 private:
  static constexpr std::size_t kShort = 16 << 10;
  std::unique_ptr<ZSTD_CCtx, FreeContext> own_;
};

/// Frames of the blocks; their dictionaries are the blocks of `prefixes`, or none where that is
/// empty.
std::vector<std::byte> encodeFrames(const PartShape& shape, std::span<const std::byte> words,
                                    std::span<const std::byte> prefixes, int level,
                                    unsigned blockLog2) {
  BlockIndexWriter index(blockLog2);
  const ZstdContext context(words.size());
  ZSTD_CCtx_reset(context.get(), ZSTD_reset_session_and_parameters);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
  std::vector<std::byte> frame;
  forEachBlock({shape, words, prefixes}, blockLog2,
               [&](std::span<const std::byte> block, std::span<const std::byte> prefix) {
                 frame.resize(ZSTD_compressBound(block.size()));
                 ZSTD_CCtx_refPrefix(context.get(), prefix.data(), prefix.size());
                 const std::size_t n = ZSTD_compress2(context.get(), frame.data(), frame.size(),
                                                      block.data(), block.size());
                 assert(ZSTD_isError(n) == 0);
                 index.blocks().insert(index.blocks().end(), frame.begin(),
                                       frame.begin() + static_cast<std::ptrdiff_t>(n));
                 index.endBlock(block);
               });
  ByteWriter out;
  index.write(out);
  return out.take();
}

class ZstdDecoder final : public PartDecoder {
 public:
  explicit ZstdDecoder(BlockIndex index) : index_(std::move(index)) {}
  std::uint64_t blockWords() const noexcept override { return index_.blockWords(); }

  Result<void> decodeBlock(std::uint64_t index, const BlockSources&,
                           std::span<std::byte> out) const override {
    const auto block = index_.block(index);
    const std::size_t written = ZSTD_decompress(out.data(), out.size(), block.data(), block.size());
    if (!isOneZstdFrame(block) || ZSTD_isError(written) != 0 || written != out.size()) {
      return fail(ErrorCode::CorruptData, fmt::format("zstd block {} does not decode", index));
    }
    return index_.check(index, out);
  }

 private:
  BlockIndex index_;
};

class ZstdViewDecoder final : public PartDecoder {
 public:
  explicit ZstdViewDecoder(BlockIndex index) : index_(std::move(index)) {}
  std::uint64_t blockWords() const noexcept override { return index_.blockWords(); }

  Result<void> decodeBlock(std::uint64_t index, const BlockSources& sources,
                           std::span<std::byte> out) const override {
    const auto block = index_.block(index);
    const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
    ZSTD_DCtx_refPrefix(context.get(), sources.parent.data(), sources.parent.size());
    const std::size_t written =
        ZSTD_decompressDCtx(context.get(), out.data(), out.size(), block.data(), block.size());
    if (!isOneZstdFrame(block) || ZSTD_isError(written) != 0 || written != out.size()) {
      return fail(ErrorCode::CorruptData, fmt::format("zstd block {} does not decode", index));
    }
    return index_.check(index, out);
  }

 private:
  BlockIndex index_;
};

}  // namespace

std::vector<std::byte> encodeRaw(const EncodeInput& input) {
  BlockIndexWriter index(kMinBlockLog2);
  forEachBlock(input, kMinBlockLog2, [&](std::span<const std::byte> words, auto) {
    index.blocks().insert(index.blocks().end(), words.begin(), words.end());
    index.endBlock(words);
  });
  ByteWriter out;
  index.write(out);
  return out.take();
}

Result<std::unique_ptr<PartDecoder>> openRaw(const PartShape& shape,
                                             std::span<const std::byte> payload) {
  ByteReader in(payload);
  STRATA_TRY(BlockIndex index, BlockIndex::read(in, shape));
  return std::make_unique<RawDecoder>(std::move(index));
}

std::vector<std::byte> encodeZstd(const EncodeInput& input, int level, unsigned blockLog2) {
  return encodeFrames(input.shape, input.words, {}, level, blockLog2);
}

std::vector<std::byte> encodeZstdView(const EncodeInput& input, int level, unsigned blockLog2) {
  return encodeFrames(input.shape, input.words, input.parent, level, blockLog2);
}

Result<std::unique_ptr<PartDecoder>> openZstdView(const PartShape& shape,
                                                  std::span<const std::byte> payload) {
  ByteReader in(payload);
  STRATA_TRY(BlockIndex index, BlockIndex::read(in, shape));
  return std::make_unique<ZstdViewDecoder>(std::move(index));
}

Result<std::unique_ptr<PartDecoder>> openZstd(const PartShape& shape,
                                              std::span<const std::byte> payload) {
  ByteReader in(payload);
  STRATA_TRY(BlockIndex index, BlockIndex::read(in, shape));
  return std::make_unique<ZstdDecoder>(std::move(index));
}

}  // namespace strata
