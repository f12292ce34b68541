#include "core/codec/plain_codecs.h"

#include <fmt/format.h>
#include <zstd.h>

#include <cstring>

#include "core/codec/block_index.h"
#include "core/codec/zstd_frame.h"

namespace strata {
namespace {

class RawDecoder final : public PartDecoder {
 public:
  explicit RawDecoder(BlockIndex index) : index_(std::move(index)) {}
  std::uint64_t blockWords() const noexcept override { return index_.blockWords(); }

  Result<void> decodeBlock(std::uint64_t index, std::span<const std::byte>,
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

class ZstdDecoder final : public PartDecoder {
 public:
  explicit ZstdDecoder(BlockIndex index) : index_(std::move(index)) {}
  std::uint64_t blockWords() const noexcept override { return index_.blockWords(); }

  Result<void> decodeBlock(std::uint64_t index, std::span<const std::byte>,
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

std::vector<std::byte> encodeZstd(const EncodeInput& input, int level) {
  BlockIndexWriter index(kMinBlockLog2);
  std::vector<std::byte> frame;
  forEachBlock(input, kMinBlockLog2, [&](std::span<const std::byte> words, auto) {
    frame.resize(ZSTD_compressBound(words.size()));
    const std::size_t n =
        ZSTD_compress(frame.data(), frame.size(), words.data(), words.size(), level);
    index.blocks().insert(index.blocks().end(), frame.begin(),
                          frame.begin() + static_cast<std::ptrdiff_t>(n));
    index.endBlock(words);
  });
  ByteWriter out;
  index.write(out);
  return out.take();
}

Result<std::unique_ptr<PartDecoder>> openZstd(const PartShape& shape,
                                              std::span<const std::byte> payload) {
  ByteReader in(payload);
  STRATA_TRY(BlockIndex index, BlockIndex::read(in, shape));
  return std::make_unique<ZstdDecoder>(std::move(index));
}

}  // namespace strata
