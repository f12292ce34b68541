#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <string>

#include "core/ops/care/collect_garbage.h"
#include "core/ops/care/verify_store.h"
#include "core/ops/versions/init_store.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/trash.h"
#include "core/store/space_reserve.h"
#include "core/store/store_lock.h"
#include "core/store/store_writer.h"
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
      options.baseChoice = BaseChoice::Reference;
      options.base = "base";
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

TEST_F(FullDisk, GivesTheReserveToTheHolderOfTheLockAlone) {
  const auto reserve = storeFolder() / "reserve";
  const auto store = open();
  auto writer = store->lock("gc", {}, Store::Purse::Reserve);
  ASSERT_TRUE(writer) << writer.error().message;
  EXPECT_FALSE(std::filesystem::exists(reserve));
  // Neither a writer that waits in vain nor a reader takes the space that was given.
  const auto other = open();
  other->setLockWait({.longest = std::chrono::milliseconds(0)});
  EXPECT_FALSE(other->lock("gc", {}, Store::Purse::Reserve));
  EXPECT_FALSE(std::filesystem::exists(reserve));
  fill();
  EXPECT_TRUE(open());
  EXPECT_FALSE(std::filesystem::exists(reserve));
  std::filesystem::remove(folder_ / "ballast0");
  writer->reset();
  EXPECT_EQ(std::filesystem::file_size(reserve), kReserveBytes);
  EXPECT_TRUE(other->lock("gc"));
}

TEST_F(FullDisk, IsReadWithTheReserve) {
  fill();
  const auto store = open();
  ASSERT_TRUE(store);
  EXPECT_EQ(store->catalog().versions()->size(), 4U);
  EXPECT_EQ(std::filesystem::file_size(storeFolder() / "lock"), 0U);
}

TEST_F(FullDisk, KeepsTheMarkOfAWriterThatDied) {
  test::writeWhole(storeFolder() / "lock", "1\nhost\n0\nstrata add\n");
  fill();
  ASSERT_TRUE(open());
  EXPECT_TRUE(readLock(storeFolder() / "lock").owner);
}

}  // namespace
}  // namespace strata
