#include "core/io/mapped_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <numeric>
#include <thread>
#include <vector>

#include "tests/support/temp_folder.h"

namespace strata {
namespace {

using test::TempFolder;

constexpr std::size_t kPage = 4096;

/// Reads every byte.
unsigned sumOf(std::span<const std::byte> bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), 0U, [](unsigned sum, std::byte byte) {
    return sum + std::to_integer<unsigned>(byte);
  });
}

TEST(MappedFile, ReadsZerosWhereTheFileWasCut) {
  const TempFolder folder;
  test::writeWhole(folder / "f", std::string(100 * kPage, '\x01'));
  const auto mapped = MappedFile::open(folder / "f");
  ASSERT_TRUE(mapped) << mapped.error().message;
  EXPECT_TRUE(mapped->checkUnchanged());
  std::filesystem::resize_file(folder / "f", 10 * kPage);
  EXPECT_EQ(sumOf(mapped->bytes()), 10 * kPage);
  EXPECT_TRUE(mapped->hasFailed());
  const auto read = mapped->checkRead();
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::Io);
  EXPECT_EQ(read.error().message,
            (folder / "f").string() + ": cannot be read: the disk failed or the file was cut");
}

TEST(MappedFile, TellsNothingOfOthers) {
  const TempFolder folder;
  test::writeWhole(folder / "cut", std::string(4 * kPage, '\x01'));
  test::writeWhole(folder / "sound", std::string(4 * kPage, '\x01'));
  const auto sound = MappedFile::open(folder / "sound");
  {
    const auto cut = MappedFile::open(folder / "cut");
    ASSERT_TRUE(cut && sound);
    std::filesystem::resize_file(folder / "cut", 0);
    EXPECT_EQ(sumOf(cut->bytes()), 0U);
    EXPECT_TRUE(cut->hasFailed());
  }
  EXPECT_EQ(sumOf(sound->bytes()), 4 * kPage);
  EXPECT_FALSE(sound->hasFailed());
  // One that takes the place of the failed one begins anew.
  const auto next = MappedFile::open(folder / "sound");
  ASSERT_TRUE(next);
  EXPECT_FALSE(next->hasFailed());
}

TEST(MappedFile, IsCutUnderManyThreads) {
  const TempFolder folder;
  test::writeWhole(folder / "f", std::string(512 * kPage, '\x01'));
  std::vector<MappedFile> many;  // more than one chunk of the table
  for (int i = 0; i < 600; ++i) {
    auto mapped = MappedFile::open(folder / "f");
    ASSERT_TRUE(mapped);
    many.push_back(*std::move(mapped));
  }
  std::filesystem::resize_file(folder / "f", 0);
  std::vector<std::jthread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&many, t] {
      for (std::size_t i = t / 2; i < many.size(); i += 100) {
        EXPECT_EQ(sumOf(many[i].bytes()), 0U);
        EXPECT_TRUE(many[i].hasFailed());
      }
    });
  }
  threads.clear();
  EXPECT_FALSE(many[99].hasFailed());
}

TEST(MappedFile, KnowsWhenTheFileIsAnother) {
  const TempFolder folder;
  test::writeWhole(folder / "f", "one");
  test::writeWhole(folder / "g", "two");
  const auto mapped = MappedFile::open(folder / "f");
  ASSERT_TRUE(mapped && mapped->checkUnchanged());
  std::filesystem::rename(folder / "g", folder / "f");
  const auto changed = mapped->checkUnchanged();
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().message,
            (folder / "f").string() +
                ": changed while it was read (another file has its name); try again once no "
                "program writes to it");
}

/// A mapping of the test's own whose file is cut.
const volatile char* foreignFault(const TempFolder& folder) {
  test::writeWhole(folder / "own", std::string(kPage, 'x'));
  const int file = ::open((folder / "own").c_str(), 0);
  void* const mapping = ::mmap(nullptr, kPage, PROT_READ, MAP_SHARED, file, 0);
  ::close(file);
  std::filesystem::resize_file(folder / "own", 0);
  return static_cast<const volatile char*>(mapping);
}

void openOne(const TempFolder& folder) {
  test::writeWhole(folder / "f", "one");
  const auto mapped = MappedFile::open(folder / "f");
  if (!mapped) ::_exit(1);
}

class MappedFileDeathTest : public testing::Test {
 protected:
  void SetUp() override { testing::GTEST_FLAG(death_test_style) = "threadsafe"; }
};

TEST_F(MappedFileDeathTest, LeavesFaultsElsewhereToTheSystem) {
  EXPECT_EXIT(
      {
        ::signal(SIGBUS, SIG_DFL);  // not a sanitizer's
        const TempFolder folder;
        openOne(folder);
        static_cast<void>(*foreignFault(folder));
      },
      testing::KilledBySignal(SIGBUS), "");
}

TEST_F(MappedFileDeathTest, LeavesFaultsElsewhereToTheHandlerBefore) {
  EXPECT_EXIT(
      {
        ::signal(SIGBUS, [](int) { ::_exit(42); });
        const TempFolder folder;
        openOne(folder);
        static_cast<void>(*foreignFault(folder));
      },
      testing::ExitedWithCode(42), "");
}

TEST_F(MappedFileDeathTest, LeavesSentSignalsAlone) {
  EXPECT_EXIT(
      {
        ::signal(SIGBUS, SIG_DFL);
        const TempFolder folder;
        openOne(folder);
        ::raise(SIGBUS);
      },
      testing::KilledBySignal(SIGBUS), "");
}

}  // namespace
}  // namespace strata
