// How long lists are cut into pages, and lists of a bucket whose server behaves oddly.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/transfer/ref_pages.h"
#include "hub/generation.h"
#include "tests/unit/hub/memory_bucket.h"

namespace strata::hub {
namespace {

using ::testing::HasSubstr;

RefPush pushOf(const std::string& name) { return {{{name, std::nullopt, "{}"}}, "push"}; }

TEST(ListedBucket, MayListItsKeysInAnyOrder) {
  test::MemoryBucket bucket;
  bucket.listsBackwards = true;
  constexpr std::uint64_t kPushes = kKeptGenerations + 6;
  for (std::uint64_t i = 1; i <= kPushes; ++i) {
    ASSERT_TRUE(bucket.connect()->advanceRefs(pushOf(fmt::format("m{}/v1", i)), {})) << i;
  }
  const RefListing listing = bucket.connect()->readRefs({}).value();
  EXPECT_EQ(listing.generation, kPushes);
  EXPECT_EQ(listing.refs.size(), kPushes);
  EXPECT_FALSE(bucket.keys.contains("refs/" + generationName(1))) << "the oldest ones go";
  EXPECT_TRUE(bucket.keys.contains("refs/" + generationName(kPushes)));
}

TEST(ListedBucket, EndsAPushThatIsRefusedEachNumber) {
  test::MemoryBucket bucket;
  ASSERT_TRUE(bucket.connect()->advanceRefs(pushOf("m1/v1"), {}));
  bucket.refusesNumbers = true;
  const auto refused = bucket.connect()->advanceRefs(pushOf("m2/v1"), {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Io);
  EXPECT_THAT(refused.error().message, HasSubstr("run it again"));
}

TEST(RefPages, StayAsTheyAreOnceTheyAreCut) {
  for (const std::size_t length : {700U, 5000U, 20'000U, 90'000U}) {
    RefIndex index;
    for (std::size_t i = 0; i < 3'000'000 / length; ++i) {
      index.refs[fmt::format("m{}/v1", i)] = "{\"x\":\"" + std::string(length, 'x') + "\"}";
    }
    index.pages = writeList(index, 1, false)->pages;
    EXPECT_TRUE(writeList(index, 2, false)->added.empty()) << length;
    index.refs["m2/v2"] = "{}";
    EXPECT_EQ(writeList(index, 3, false)->added.size(), 1U) << length;
  }
}

TEST(RefPages, StayBoundedWhateverIsPushed) {
  RefIndex index;
  std::uint64_t number = 0;
  const auto write = [&] {
    WrittenList list = writeList(index, ++number, false).value();
    index.pages = list.pages;
    return list;
  };
  std::size_t most = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string name = fmt::format("more/v{}", i);
    index.refs[name] = "{\"x\":\"" + std::string(700, 'x') + "\"}";
    const WrittenList list = write();
    if (!list.pages.empty()) most = std::max(most, list.added.size());
    for (const RefPage& page : list.pages) EXPECT_LE(page.byteCount, kMostPageBytes + 4096);
  }
  EXPECT_LE(most, 2U) << "the first list in pages is two";
  const std::size_t pages = index.pages.size();
  EXPECT_LE(pages, 3000 * 720 / (kMostPageBytes / 3));
  for (int i = 0; i < 2500; ++i) {
    index.refs.erase(fmt::format("more/v{}", i));
    write();
  }
  EXPECT_LE(index.pages.size(), 5U) << "small pages join";
  index.refs["long"] = "{\"x\":\"" + std::string(2 * kMostPageBytes, 'x') + "\"}";
  EXPECT_TRUE(writeList(index, ++number, false));
}

}  // namespace
}  // namespace strata::hub
