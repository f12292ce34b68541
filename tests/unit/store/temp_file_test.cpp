#include "core/io/temp_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "core/io/free_space.h"
#include "core/io/mapped_file.h"
#include "core/io/os_error.h"
#include "tests/support/temp_folder.h"

namespace strata {
namespace {

using test::readWhole;
using test::TempFolder;

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(TempFile, GetsItsNameOnlyWhenMoved) {
  const TempFolder folder;
  auto file = TempFile::create(folder.path(), "part");
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_TRUE(file->append(bytes("hello ")));
  ASSERT_TRUE(file->append(bytes("world")));
  EXPECT_EQ(file->byteCount(), 11U);
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
  ASSERT_TRUE(file->moveTo(folder / "out"));
  EXPECT_EQ(readWhole(folder / "out"), "hello world");
  EXPECT_EQ(test::entryCount(folder.path()), 1U);
}

TEST(MappedFile, DoesNotWaitForAWriterOfAPipe) {
  const TempFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  const auto mapped = MappedFile::open(folder / "pipe");
  ASSERT_FALSE(mapped);
  EXPECT_EQ(mapped.error().code, ErrorCode::Io);
}

TEST(TempFile, LeavesNothingWhenDropped) {
  const TempFolder folder;
  {
    auto file = TempFile::create(folder.path(), "part");
    ASSERT_TRUE(file && file->append(bytes("x")));
    EXPECT_EQ(test::entryCount(folder.path()), 1U);
  }
  EXPECT_EQ(test::entryCount(folder.path()), 0U);
}

TEST(TempFile, ReplacesOnlyWhenAsked) {
  const TempFolder folder;
  test::writeWhole(folder / "out", "old");
  {
    auto file = TempFile::create(folder.path(), "part");
    ASSERT_TRUE(file && file->append(bytes("new")));
    const auto moved = file->moveToNew(folder / "out");
    ASSERT_FALSE(moved);
    EXPECT_EQ(moved.error().code, ErrorCode::InvalidArgument);
  }
  EXPECT_EQ(readWhole(folder / "out"), "old");
  EXPECT_EQ(test::entryCount(folder.path()), 1U);
  ASSERT_TRUE(writeFileWhole(folder.path(), folder / "out", "new"));
  EXPECT_EQ(readWhole(folder / "out"), "new");
}

TEST(TempFile, SaysWhichFolderIsMissing) {
  const auto file = TempFile::create("/nonexistent/folder", "part");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::NotFound);
  EXPECT_NE(file.error().message.find("/nonexistent/folder"), std::string::npos);
}

TEST(OsError, TellsAFullDiskFromOthers) {
  EXPECT_EQ(osError("f", "write", ENOSPC).code, ErrorCode::NoSpace);
  EXPECT_EQ(osError("f", "write", EDQUOT).code, ErrorCode::NoSpace);
  EXPECT_EQ(osError("f", "open", ENOENT).code, ErrorCode::NotFound);
  EXPECT_EQ(osError("f", "open", EACCES).code, ErrorCode::Io);
}

TEST(TempFile, ReportsAFullDisk) {
  const int full = ::open("/dev/full", O_WRONLY);
  if (full < 0) GTEST_SKIP() << "/dev/full is not there";
  const auto written = writeAll(full, bytes("x"), "/dev/full");
  ::close(full);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::NoSpace);
}

TEST(FreeSpace, RefusesMoreThanThereIs) {
  const TempFolder folder;
  const auto available = freeBytes(folder / "not" / "yet" / "there");
  ASSERT_TRUE(available);
  EXPECT_GT(*available, 0U);
  EXPECT_TRUE(checkFreeSpace(folder.path(), 1));
  const auto refused = checkFreeSpace(folder.path(), std::uint64_t{1} << 62);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::NoSpace);
}

}  // namespace
}  // namespace strata
