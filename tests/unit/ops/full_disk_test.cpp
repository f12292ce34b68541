#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "core/ops/collect_garbage.h"
#include "core/ops/init_store.h"
#include "core/ops/remove_versions.h"
#include "core/ops/trash.h"
#include "core/ops/verify_store.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

/// A store alone on a disk of 16 MiB, which only root can make.
class FullDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::mount("strata", folder_.path().c_str(), "tmpfs", 0, "size=16m") != 0) {
      GTEST_SKIP() << "no disk of our own: " << std::strerror(errno);
    }
    isMounted_ = true;
    ASSERT_TRUE(initStore({storeFolder()}));
    const auto base = test::makeModel(1);
    AddOptions options{.name = "base"};
    for (unsigned seed = 1; seed < 5; ++seed) {
      ASSERT_TRUE(addVersion(*open(), *test::makeTuned(*base, seed), options, {}, {}));
      options.name = "v" + std::to_string(seed);
    }
  }

  void TearDown() override {
    if (isMounted_) ::umount2(folder_.path().c_str(), MNT_DETACH);
  }

  std::filesystem::path storeFolder() const { return folder_ / "store"; }

  std::unique_ptr<Store> open() {
    auto store = Store::open(storeFolder());
    EXPECT_TRUE(store) << store.error().message;
    return store ? *std::move(store) : nullptr;
  }

  /// Not a byte is left.
  void fill() {
    std::ofstream file(folder_ / ("ballast" + std::to_string(ballast_++)));
    const std::string page(4096, 'x');
    while (file.write(page.data(), static_cast<std::streamsize>(page.size())).flush()) {
    }
  }

  const test::TempFolder folder_;
  bool isMounted_ = false;
  int ballast_ = 0;
};

TEST_F(FullDisk, CanBeFreed) {
  ASSERT_TRUE(removeVersions(*open(), {.references = {"v1"}}));
  const auto left = storeFolder() / "objects" / "aa" / std::string(62, 'b');
  std::filesystem::create_directories(left.parent_path());
  test::writeWhole(left, std::string(50'000, 'x'));
  fill();
  const auto collected = collectGarbage(*open(), {.dryRun = false}, {});
  ASSERT_TRUE(collected) << collected.error().message;
  EXPECT_EQ(collected->freedBytes, 50'000U);
  fill();
  const auto emptied = emptyTrash(*open(), {});
  ASSERT_TRUE(emptied) << emptied.error().message;
  EXPECT_EQ(emptied->versions.size(), 1U);
  fill();
  const auto removed = removeVersions(*open(), {.references = {"v2"}, .now = true});
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_GT(removed->freedBytes, 0U);
  const auto store = open();
  const auto report = verifyStore(*store, {.level = VerifyOptions::Level::Rebuild}, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->damages.empty());
  EXPECT_EQ(store->catalog().versions()->size(), 2U);
}

}  // namespace
}  // namespace strata
