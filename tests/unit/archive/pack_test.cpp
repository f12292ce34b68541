#include "core/archive/pack.h"

#include <gtest/gtest.h>

#include "tests/support/memory_objects.h"
#include "tests/support/part_samples.h"

namespace strata::test {
namespace {

TEST(PackWriter, LaysSectionsOneAfterTheOther) {
  MemoryObjects objects;
  PackWriter pack(objects);
  const Bytes first(10, std::byte{1});
  const Bytes second(7, std::byte{2});
  const auto a = pack.append(first).value();
  const auto b = pack.append(second).value();
  EXPECT_EQ(a.offset(), kPackHeaderBytes);
  EXPECT_EQ(b.offset(), kPackHeaderBytes + 10);
  EXPECT_EQ(b.byte_count(), 7U);
  EXPECT_TRUE(objects.all().empty()) << "nothing is there before the commit";
  Manifest manifest;
  ASSERT_TRUE(pack.commit(manifest));
  ASSERT_EQ(objects.all().size(), 1U);
  const auto& [digest, bytes] = *objects.all().begin();
  EXPECT_EQ(manifest.packs(0), toBytes(digest));
  EXPECT_EQ(bytes.size(), pack.byteCount());
  EXPECT_TRUE(checkPackHeader(bytes));
  EXPECT_TRUE(sameBytes(std::span(bytes).subspan(b.offset(), 7), second));
}

TEST(PackWriter, WritesNoPackForNothing) {
  MemoryObjects objects;
  PackWriter pack(objects);
  Manifest manifest;
  ASSERT_TRUE(pack.commit(manifest));
  EXPECT_TRUE(objects.all().empty());
  EXPECT_EQ(manifest.packs_size(), 0);
}

TEST(PackHeader, IsRejectedWhenAnyBitFlips) {
  MemoryObjects objects;
  PackWriter pack(objects);
  ASSERT_TRUE(pack.append(Bytes(4)));
  Manifest manifest;
  ASSERT_TRUE(pack.commit(manifest));
  const Bytes whole = objects.all().begin()->second;
  for (std::size_t bit = 0; bit < kPackHeaderBytes * 8; ++bit) {
    Bytes damaged = whole;
    damaged[bit / 8] ^= static_cast<std::byte>(1 << (bit % 8));
    const auto checked = checkPackHeader(damaged);
    ASSERT_FALSE(checked) << bit;
    const bool isVersion = bit >= 64 && bit < 96 && bit != 64;
    EXPECT_EQ(checked.error().code, isVersion ? ErrorCode::FormatTooNew : ErrorCode::CorruptData);
  }
  for (std::size_t kept = 0; kept < kPackHeaderBytes; ++kept) {
    EXPECT_FALSE(checkPackHeader(std::span(whole).first(kept)));
  }
}

}  // namespace
}  // namespace strata::test
