#include "core/codec/entropy/block_index.h"

#include <gtest/gtest.h>

#include "core/digest.h"

namespace strata {
namespace {

constexpr std::uint64_t kBlock = std::uint64_t{1} << kMinBlockLog2;

PartShape bytesShape(std::uint64_t words) { return {WordFormat{}, 1, words}; }

/// An index of three blocks; block i holds i + 1 bytes of value i.
struct Written {
  std::vector<std::vector<std::byte>> decoded;
  std::vector<std::byte> bytes;
};

Written makeIndex() {
  Written written;
  BlockIndexWriter index(kMinBlockLog2);
  for (int i = 0; i < 3; ++i) {
    written.decoded.emplace_back(i < 2 ? kBlock : 5, static_cast<std::byte>(i));
    index.blocks().insert(index.blocks().end(), static_cast<std::size_t>(i) + 1,
                          static_cast<std::byte>(i));
    index.endBlock(written.decoded.back());
  }
  ByteWriter out;
  index.write(out);
  written.bytes = out.take();
  return written;
}

TEST(BlockIndex, FindsEveryBlockAndItsWords) {
  const Written written = makeIndex();
  ByteReader in(written.bytes);
  const auto index = BlockIndex::read(in, bytesShape(2 * kBlock + 5));
  ASSERT_TRUE(index) << index.error().message;
  ASSERT_EQ(index->blockCount(), 3U);
  EXPECT_EQ(index->wordsIn(0), kBlock);
  EXPECT_EQ(index->wordsIn(2), 5U);
  for (std::uint64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(index->block(i).size(), i + 1);
    EXPECT_EQ(index->block(i).front(), static_cast<std::byte>(i));
    EXPECT_TRUE(index->check(i, written.decoded[i]));
    EXPECT_EQ(index->check(i, written.decoded[(i + 1) % 3]).error().code, ErrorCode::CorruptData);
  }
}

TEST(BlockIndex, IsRejectedWhenCutOrFollowedByBytes) {
  const Written written = makeIndex();
  for (std::size_t kept = 0; kept <= written.bytes.size() + 1; ++kept) {
    auto bytes = written.bytes;
    bytes.resize(kept);
    ByteReader in(bytes);
    EXPECT_EQ(BlockIndex::read(in, bytesShape(2 * kBlock + 5)).has_value(),
              kept == written.bytes.size());
  }
}

TEST(BlockIndex, IsRejectedWithABlockSizeOutOfRange) {
  auto bytes = makeIndex().bytes;
  for (const int log2 : {0, 15, 21, 63, 64, 255}) {
    bytes[0] = static_cast<std::byte>(log2);
    ByteReader in(bytes);
    EXPECT_FALSE(BlockIndex::read(in, bytesShape(2 * kBlock + 5))) << log2;
  }
}

TEST(BlockIndex, MakesNoRoomForBlocksThatTheBytesCannotHold) {
  const Written written = makeIndex();
  ByteReader in(written.bytes);
  const auto index = BlockIndex::read(in, bytesShape(std::uint64_t{1} << 62));
  ASSERT_FALSE(index);
  EXPECT_EQ(index.error().code, ErrorCode::CorruptData);
}

TEST(BlockIndex, IsRejectedIfItsSizesOverflow) {
  ByteWriter out;
  out.byte(kMinBlockLog2);
  for (int i = 0; i < 2; ++i) {
    out.varint(~std::uint64_t{0} - 3);
    out.fixed<std::uint32_t>(0);
  }
  ByteReader in(out.view());
  EXPECT_FALSE(BlockIndex::read(in, bytesShape(kBlock + 1)));
}

}  // namespace
}  // namespace strata
