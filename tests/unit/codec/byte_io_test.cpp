#include "core/codec/entropy/byte_io.h"

#include <gtest/gtest.h>

#include <limits>

namespace strata {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

std::vector<std::byte> bytesOf(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

TEST(ByteReader, ReadsWhatByteWriterWrote) {
  ByteWriter out;
  const std::uint64_t values[] = {0, 1, 127, 128, 16383, 16384, 1ULL << 63, kMost};
  for (const std::uint64_t value : values) out.varint(value);
  out.fixed<std::uint32_t>(0xdeadbeef);
  out.byte(7);
  ByteReader in(out.view());
  for (const std::uint64_t value : values) EXPECT_EQ(in.varint(), value);
  EXPECT_EQ(in.fixed<std::uint32_t>(), 0xdeadbeefU);
  EXPECT_EQ(in.byte(), 7);
  EXPECT_TRUE(in.rest().empty());
  EXPECT_FALSE(in.failed());
}

TEST(ByteReader, GivesZeroAndFailsPastTheEnd) {
  const auto bytes = bytesOf({1, 2, 3});
  ByteReader in(bytes);
  EXPECT_EQ(in.fixed<std::uint32_t>(), 0U);
  EXPECT_TRUE(in.failed());
  EXPECT_EQ(in.byte(), 0) << "stays failed";
}

TEST(ByteReader, TakesNoRunLongerThanTheBytesLeft) {
  const auto bytes = bytesOf({1, 2, 3});
  for (const std::uint64_t count : {std::uint64_t{4}, kMost}) {
    ByteReader in(bytes);
    EXPECT_TRUE(in.bytes(count).empty());
    EXPECT_TRUE(in.failed());
  }
}

TEST(ByteReader, RefusesVarintsThatAreCutPaddedOrTooLarge) {
  const std::vector<std::byte> odd[] = {
      bytesOf({0x80}), bytesOf({0x80, 0x00}), bytesOf({0xff, 0x80, 0x00}),
      bytesOf({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02}),
      bytesOf({0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01})};
  for (const auto& bytes : odd) {
    ByteReader in(bytes);
    in.varint();
    EXPECT_TRUE(in.failed()) << bytes.size() << " bytes";
  }
}

TEST(Zigzag, IsItsOwnWayBack) {
  for (const std::int64_t value :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1}, std::int64_t{-12345},
        std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_EQ(unzigzag(zigzag(value)), value);
  }
  EXPECT_EQ(zigzag(-1), 1U);
  EXPECT_EQ(zigzag(1), 2U);
}

TEST(BitReader, ReadsWhatBitWriterWrote) {
  BitWriter out;
  for (std::uint32_t i = 0; i < 70; ++i) {
    out.bits(i, 7);
    out.gamma(i * i);
  }
  const auto bytes = out.take();
  BitReader in(bytes);
  for (std::uint32_t i = 0; i < 70; ++i) {
    EXPECT_EQ(in.bits(7), i);
    EXPECT_EQ(in.gamma(), i * i);
  }
  EXPECT_FALSE(in.failed());
  EXPECT_TRUE(in.endedClean());
}

TEST(BitReader, FailsPastTheEndAndOnEndlessGammas) {
  const auto bytes = bytesOf({0, 0, 0, 0, 0, 0});
  BitReader in(bytes);
  EXPECT_EQ(in.gamma(), 0U);
  EXPECT_TRUE(in.failed());
  BitReader shortIn{std::span(bytes).first(1)};
  shortIn.bits(9);
  EXPECT_TRUE(shortIn.failed());
}

TEST(BitReader, EndsCleanOnlyOnTheLastByteWithZerosLeft) {
  const auto bytes = bytesOf({0xff, 0x05});
  for (unsigned count = 0; count <= 16; ++count) {
    BitReader in(bytes);
    in.bits(count);
    EXPECT_EQ(in.endedClean(), count >= 11) << count;
  }
}

}  // namespace
}  // namespace strata
