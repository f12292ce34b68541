#include "core/ops/versions/init_store.h"

#include <gtest/gtest.h>

#include "core/store/store.h"
#include "tests/support/temp_folder.h"

namespace strata {
namespace {

TEST(InitStore, MakesAStoreOnceAndOnlyInAFreeFolder) {
  const test::TempFolder folder;
  const auto made = initStore({folder / "a" / "store"});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_TRUE(made->created);
  EXPECT_FALSE(initStore({folder / "a" / "store"})->created);
  test::writeWhole(folder / "mine.txt", "mine");
  const auto refused = initStore({folder.path()});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(Store::open(folder / "nothing").error().code, ErrorCode::NoStore);
}

TEST(InitStore, RefusesANewerFormat) {
  const test::TempFolder folder;
  ASSERT_TRUE(initStore({folder / "store"}));
  test::writeWhole(folder / "store" / "store.toml", "format = 99\nid = \"x\"\n");
  EXPECT_EQ(Store::open(folder / "store").error().code, ErrorCode::FormatTooNew);
  EXPECT_EQ(initStore({folder / "store"}).error().code, ErrorCode::FormatTooNew);
  test::writeWhole(folder / "store" / "store.toml", "format = ");
  EXPECT_EQ(Store::open(folder / "store").error().code, ErrorCode::CorruptData);
}

}  // namespace
}  // namespace strata
