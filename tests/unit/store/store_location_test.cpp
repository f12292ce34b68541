#include "core/store/store_location.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

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
}

TEST_F(StoreLocationTest, SaysSoWhenNoRuleApplies) {
  const auto found = findStore({}, folder_.path());
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::NoStore);
}

}  // namespace
}  // namespace strata
