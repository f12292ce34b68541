#include "core/io/owned/scratch_folders.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include "tests/support/temp_folder.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using test::TempFolder;

const std::string kName = claimName("strata-work");

TEST(ScratchFolders, AreRemovedAtTheEnd) {
  const TempFolder place;
  {
    auto folders = ScratchFolders::make(1000, 2, place.path());
    ASSERT_TRUE(folders) << folders.error().message;
    const fs::path one = folders->take();
    test::writeWhole(one / "model", "bytes");
    EXPECT_NE(one, folders->take());
  }
  EXPECT_EQ(test::entryCount(place.path()), 0U);
}

TEST(ScratchFolders, RemoveWhatADeadProcessLeft) {
  const TempFolder place;
  fs::create_directories(place / kName / "0");
  ASSERT_TRUE(ScratchFolders::make(1000, 1, place.path()));
  EXPECT_FALSE(fs::exists(place / kName));
}

/// As a process of another PID namespace: its number says nothing here, its lock does.
TEST(ScratchFolders, LeaveWhatAnotherProcessHolds) {
  const TempFolder place;
  fs::create_directories(place / kName / "0");
  const int held = ::open((place / kName).c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  ASSERT_TRUE(ScratchFolders::make(1000, 1, place.path()));
  EXPECT_TRUE(fs::exists(place / kName / "0"));
  ::close(held);
  ASSERT_TRUE(ScratchFolders::make(1000, 1, place.path()));
  EXPECT_FALSE(fs::exists(place / kName));
}

TEST(ScratchFolders, LeaveFoldersOfOtherNames) {
  const TempFolder place;
  fs::create_directories(place / "strata-work-mine.tmp");
  fs::create_directories(place / "strata-work-00112233445566aa.tmp");
  fs::create_directories(place / "strata-scratch-1-0123456789abcdef");
  ASSERT_TRUE(ScratchFolders::make(1000, 1, place.path()));
  EXPECT_EQ(test::entryCount(place.path()), 3U);
}

}  // namespace
}  // namespace strata
