#include "core/codec/entropy/byte_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace strata {
namespace {

std::vector<std::uint8_t> drawn(std::size_t count, double deviation, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(100, deviation);
  std::vector<std::uint8_t> values(count);
  for (auto& value : values)
    value = static_cast<std::uint8_t>(std::clamp(normal(random), 0.0, 255.0));
  return values;
}

std::vector<std::byte> written(std::span<const std::uint8_t> values) {
  ByteWriter out;
  writeByteStream(out, values);
  return out.take();
}

void expectBack(const std::vector<std::uint8_t>& values) {
  const auto bytes = written(values);
  ByteReader in(bytes);
  const auto read = readByteStream(in, values.size());
  ASSERT_TRUE(read) << values.size() << " values";
  EXPECT_EQ(*read, values);
  EXPECT_TRUE(in.rest().empty());
}

TEST(ByteStream, BringsBackValuesOfAnyCount) {
  for (const std::size_t count : {0, 1, 2, 5, 100, 4097, 20'000, 70'000}) {
    expectBack(drawn(count, 3, 1));
    expectBack(drawn(count, 90, 2));
    expectBack(std::vector<std::uint8_t>(count, 42));
  }
}

TEST(ByteStream, SpendsTwoBytesOnOneRepeatedValue) {
  EXPECT_EQ(written(std::vector<std::uint8_t>(100'000, 9)).size(), 2U);
}

TEST(ByteStream, IsSmallWhereValuesAreAlike) {
  EXPECT_LT(written(drawn(4000, 1, 3)).size(), 1200U);
  EXPECT_LE(written(drawn(4000, 200, 4)).size(), 4001U);
}

TEST(ByteStream, IsRejectedWhenCutAtAnyByte) {
  for (const double deviation : {1.0, 100.0}) {
    const auto bytes = written(drawn(300, deviation, 5));
    for (std::size_t kept = 0; kept < bytes.size(); ++kept) {
      ByteReader in{std::span(bytes).first(kept)};
      EXPECT_FALSE(readByteStream(in, 300)) << kept << " of " << bytes.size();
    }
  }
}

TEST(ByteStream, IsRejectedWithAnUnknownMode) {
  auto bytes = written(drawn(300, 1, 6));
  for (int mode = 3; mode < 256; mode += 11) {
    bytes[0] = static_cast<std::byte>(mode);
    ByteReader in(bytes);
    EXPECT_FALSE(readByteStream(in, 300)) << mode;
  }
}

}  // namespace
}  // namespace strata
