#include "core/store/store_location.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>

#include "core/store/store.h"
#include "tests/support/temp_folder.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using Origin = StoreLocation::Origin;

/// Sets variables for one test and puts the old values back.
class StoreLocationTest : public ::testing::Test {
 protected:
  StoreLocationTest() {
    for (const char* name : {"STRATA_STORE", "XDG_DATA_HOME", "HOME"}) {
      const char* value = std::getenv(name);
      if (value != nullptr) old_[name] = value;
      ::unsetenv(name);
    }
  }
  ~StoreLocationTest() override {
    for (const char* name : {"STRATA_STORE", "XDG_DATA_HOME", "HOME"}) {
      old_.contains(name) ? ::setenv(name, old_[name].c_str(), 1) : ::unsetenv(name);
    }
  }

  const test::TempFolder folder_;
  std::map<std::string, std::string> old_;
};

TEST_F(StoreLocationTest, TakesTheFirstRuleThatApplies) {
  fs::create_directories(folder_ / "project" / ".strata");
  fs::create_directories(folder_ / "project" / "deep" / "er");
  const fs::path here = folder_ / "project" / "deep" / "er";
  ::setenv("HOME", "/home/someone", 1);
  EXPECT_EQ(findStore({}, folder_.path())->origin, Origin::Default);
  EXPECT_EQ(findStore({}, folder_.path())->folder, "/home/someone/.local/share/strata/default");
  ::setenv("XDG_DATA_HOME", "/data", 1);
  EXPECT_EQ(findStore({}, folder_.path())->folder, "/data/strata/default");
  EXPECT_EQ(findStore({}, here)->origin, Origin::WorkingFolder);
  EXPECT_EQ(findStore({}, here)->folder, folder_ / "project" / ".strata");
  ::setenv("STRATA_STORE", "/from/environment", 1);
  EXPECT_EQ(findStore({}, here)->folder, "/from/environment");
  EXPECT_EQ(findStore("/given", here)->folder, "/given");
  EXPECT_EQ(findStore("/given", here)->origin, Origin::Option);
  EXPECT_EQ(findStore(folder_ / "project", "/")->folder, folder_ / "project" / ".strata");
}

/// A path that is a store's own, or that links lead into one, whichever store it is.
TEST_F(StoreLocationTest, KnowsPathsInsideOfAnyStore) {
  const fs::path work = folder_ / "work";
  const fs::path store = work / ".strata";
  ASSERT_TRUE(Store::create(store));
  fs::create_directory_symlink(store / "objects", work / "link");
  fs::create_symlink(work / "out", store / "away");
  fs::create_symlink(store / "catalog.sqlite", work / "catalog");
  for (const fs::path& inside :
       {store, store / "", store / "catalog.sqlite", store / "objects/34/new", work / "link" / "x",
        store / "away", work / "catalog", work / "../work/.strata/x"}) {
    EXPECT_EQ(storeAround(inside), store) << inside;
    const auto refused = refuseInsideStore(inside);
    ASSERT_FALSE(refused) << inside;
    EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
    EXPECT_NE(refused.error().message.find(store.string()), std::string::npos);
  }
  for (const fs::path& beside :
       {work, work / "out", work / "new/folder", store / "..", store / "../out", folder_.path()}) {
    EXPECT_EQ(storeAround(beside), std::nullopt) << beside;
  }
}

TEST_F(StoreLocationTest, TakesAStoreTomlAloneForNoStore) {
  std::ofstream(folder_ / "store.toml") << "open = true\n";
  EXPECT_TRUE(refuseInsideStore(folder_ / "out"));
}

TEST_F(StoreLocationTest, MakesNoStoreInsideOfAnother) {
  ASSERT_TRUE(Store::create(folder_ / "store"));
  EXPECT_FALSE(Store::create(folder_ / "store/objects/other"));
  EXPECT_FALSE(fs::exists(folder_ / "store/objects/other"));
}

TEST_F(StoreLocationTest, SaysSoWhenNoRuleApplies) {
  const auto found = findStore({}, folder_.path());
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::NoStore);
}

}  // namespace
}  // namespace strata
