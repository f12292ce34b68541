#include "core/io/models/disk_model_sink.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/io/owned/owned_folder.h"
#include "tests/support/temp_folder.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using test::readWhole;
using test::TempFolder;

struct Files {
  std::vector<std::string> paths;
  std::string text;
};

Result<void> write(const fs::path& target, const Files& files, bool replace = false,
                   bool backup = false, bool commits = true) {
  STRATA_TRY(DiskTarget plan, DiskTarget::plan(target, files.paths, replace, backup));
  STRATA_TRY(const auto sink, DiskModelSink::create(std::move(plan)));
  for (const std::string& path : files.paths) {
    const std::string text = files.text + path;
    STRATA_TRY(sink->beginFile(path, kNewFileMode));
    STRATA_TRY(sink->append(std::as_bytes(std::span(text))));
    STRATA_TRY(sink->endFile());
  }
  return commits ? sink->commit() : Result<void>{};
}

const Files kOne{{"model.onnx"}, "one "};
const Files kTwo{{"config.json", "onnx/model.onnx"}, "two "};

TEST(DiskModelSink, MakesFilesWithTheirModes) {
  const TempFolder folder;
  for (const Files& files : {kOne, kTwo}) {
    auto plan = DiskTarget::plan(folder / "out", files.paths, true, false);
    ASSERT_TRUE(plan) << plan.error().message;
    const auto sink = DiskModelSink::create(*std::move(plan));
    ASSERT_TRUE(sink) << sink.error().message;
    for (const std::string& path : files.paths) {
      ASSERT_TRUE((*sink)->beginFile(path, 0500));
      ASSERT_TRUE((*sink)->append(std::as_bytes(std::span("text", 4))));
      ASSERT_TRUE((*sink)->endFile());
    }
    ASSERT_TRUE((*sink)->commit());
    const fs::path file = files.paths.size() == 1 ? "out" : "out/config.json";
    EXPECT_EQ(fs::status(folder / file).permissions(), fs::perms(0500));
    fs::remove_all(folder / "out");
  }
}

TEST(DiskModelSink, WritesOneFileUnderTheNameGiven) {
  const TempFolder folder;
  ASSERT_TRUE(write(folder / "out.onnx", kOne));
  EXPECT_EQ(readWhole(folder / "out.onnx"), "one model.onnx");
  EXPECT_EQ(test::entryCount(folder.path()), 1U);
}

TEST(DiskModelSink, WritesOneFileIntoAFolder) {
  const TempFolder folder;
  ASSERT_TRUE(write(folder.path(), kOne));
  EXPECT_EQ(readWhole(folder / "model.onnx"), "one model.onnx");
}

TEST(DiskModelSink, MakesAFolderForSeveralFiles) {
  const TempFolder folder;
  ASSERT_TRUE(write(folder / "out", kTwo));
  EXPECT_EQ(readWhole(folder / "out" / "config.json"), "two config.json");
  EXPECT_EQ(readWhole(folder / "out" / "onnx" / "model.onnx"), "two onnx/model.onnx");
  EXPECT_EQ(test::entryCount(folder.path()), 4U);
}

TEST(DiskModelSink, LeavesNoTraceWithoutCommit) {
  const TempFolder folder;
  ASSERT_TRUE(write(folder / "out.onnx", kOne, false, false, false));
  ASSERT_TRUE(write(folder / "out", kTwo, false, false, false));
  EXPECT_EQ(test::entryCount(folder.path()), 0U);
}

/// A lock tells a file of a process that died from one that is being written: the number of a
/// process of another PID namespace would say nothing here.
TEST(DiskModelSink, RemovesTheFileThatADeadProcessLeft) {
  const TempFolder folder;
  const fs::path dead = folder / claimName(".strata-file");
  const fs::path living = folder / claimName(".strata-file");
  const fs::path own = folder / ".strata-file-00112233445566aa.tmp";
  for (const fs::path& file : {dead, living, own}) test::writeWhole(file, "half");
  const int held = ::open(living.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  ASSERT_TRUE(write(folder / "a.bin", kOne));
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(living));
  EXPECT_TRUE(fs::exists(own));
  ::close(held);
  ASSERT_TRUE(write(folder / "b.bin", kOne));
  EXPECT_FALSE(fs::exists(living));
}

/// Several at once, each in the way of the others.
TEST(DiskModelSink, LeavesFilesOfOthersThatAreBeingWritten) {
  const TempFolder folder;
  auto plan = DiskTarget::plan(folder / "a.bin", {"model.bin"}, false, false);
  const auto sink = DiskModelSink::create(*std::move(plan));
  ASSERT_TRUE(sink);
  ASSERT_TRUE((*sink)->beginFile("model.bin", 0444));
  ASSERT_TRUE(write(folder / "b.bin", kOne));
  ASSERT_TRUE((*sink)->endFile());
  ASSERT_TRUE(write(folder / "c.bin", kOne));
  ASSERT_TRUE((*sink)->commit());
  EXPECT_TRUE(fs::exists(folder / "a.bin"));
  EXPECT_EQ(test::entryCount(folder.path()), 3U);
}

TEST(DiskModelSink, RefusesToReplace) {
  const TempFolder folder;
  test::writeWhole(folder / "out.onnx", "old");
  const auto refused = write(folder / "out.onnx", kOne);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(readWhole(folder / "out.onnx"), "old");
  EXPECT_FALSE(write(folder.path(), kTwo));
  EXPECT_EQ(write(folder / "no" / "such" / "out.onnx", kOne).error().code, ErrorCode::NotFound);
}

TEST(DiskModelSink, ReplacesOnlyFilesOfTheModel) {
  const TempFolder folder;
  fs::create_directory(folder / "out");
  test::writeWhole(folder / "out" / "config.json", "old");
  test::writeWhole(folder / "out" / "mine.txt", "mine");
  ASSERT_TRUE(write(folder / "out", kTwo, true));
  EXPECT_EQ(readWhole(folder / "out" / "config.json"), "two config.json");
  EXPECT_EQ(readWhole(folder / "out" / "mine.txt"), "mine");
}

TEST(DiskModelSink, KeepsBackups) {
  const TempFolder folder;
  for (const char* text : {"old", "older"}) {
    test::writeWhole(folder / "out.onnx", text);
    ASSERT_TRUE(write(folder / "out.onnx", kOne, false, true));
  }
  EXPECT_EQ(readWhole(folder / "out.onnx.bak"), "old");
  EXPECT_EQ(readWhole(folder / "out.onnx.bak2"), "older");
  EXPECT_EQ(readWhole(folder / "out.onnx"), "one model.onnx");
}

TEST(DiskModelSink, RefusesPathsThatLeaveTheModel) {
  const TempFolder folder;
  for (const char* path : {"../x", "/abs", "a/../../x", "a//b", "", "."}) {
    const auto refused = write(folder / "out", {{"a", path}, ""});
    ASSERT_FALSE(refused) << path;
    EXPECT_EQ(refused.error().code, ErrorCode::CorruptData);
  }
}

TEST(DiskModelSink, PutsBackWhatItReplacedIfAFileFindsNoPlace) {
  for (const bool backup : {false, true}) {
    const TempFolder folder;
    const Files three{{"a", "b", "c"}, "new "};
    fs::create_directories(folder / "out");
    test::writeWhole(folder / "out" / "a", "old a");
    auto plan = DiskTarget::plan(folder / "out", three.paths, true, backup);
    ASSERT_TRUE(plan);
    const auto sink = DiskModelSink::create(*std::move(plan));
    ASSERT_TRUE(sink);
    for (const std::string& path : three.paths) {
      ASSERT_TRUE((*sink)->beginFile(path, kNewFileMode));
      ASSERT_TRUE((*sink)->append(std::as_bytes(std::span("new b", 5))));
      ASSERT_TRUE((*sink)->endFile());
    }
    // A folder that was not there when it was planned.
    fs::create_directories(folder / "out" / "c" / "in the way");
    EXPECT_FALSE((*sink)->commit());
    EXPECT_EQ(readWhole(folder / "out" / "a"), "old a");
    EXPECT_FALSE(fs::exists(folder / "out" / "b"));
    EXPECT_FALSE(fs::exists(folder / "out" / "a.bak"));
    EXPECT_TRUE(fs::exists(folder / "out" / "c" / "in the way"));
  }
}

TEST(DiskModelSink, PutsAFolderInThePlaceOfAnother) {
  for (const bool backup : {false, true}) {
    const TempFolder folder;
    const fs::path out = folder / "out";
    fs::create_directories(out / "onnx");
    test::writeWhole(out / "onnx" / "model.onnx", "old");
    test::writeWhole(out / "onnx" / "mine.txt", "mine");
    test::writeWhole(out / "notes", "notes");
    fs::create_symlink("notes", out / "link");
    fs::permissions(out, fs::perms::owner_all);
    const fs::file_status before = fs::status(out);
    ASSERT_TRUE(write(out, kTwo, true, backup));
    EXPECT_EQ(readWhole(out / "config.json"), "two config.json");
    EXPECT_EQ(readWhole(out / "onnx" / "model.onnx"), "two onnx/model.onnx");
    EXPECT_EQ(readWhole(out / "onnx" / "mine.txt"), "mine");
    EXPECT_EQ(fs::read_symlink(out / "link"), "notes");
    EXPECT_EQ(fs::status(out).permissions(), before.permissions());
    EXPECT_EQ(fs::exists(out / "onnx" / "model.onnx.bak"), backup);
    if (backup) {
      EXPECT_EQ(readWhole(out / "onnx" / "model.onnx.bak"), "old");
    }
    EXPECT_EQ(test::entryCount(folder.path()), backup ? 8U : 7U);
  }
}

TEST(DiskModelSink, WritesFileByFileAroundFoldersOfOthers) {
  const TempFolder folder;
  fs::create_directories(folder / "out" / "theirs");
  test::writeWhole(folder / "out" / "theirs" / "file", "theirs");
  test::writeWhole(folder / "out" / "config.json", "old");
  ASSERT_TRUE(write(folder / "out", kTwo, true));
  EXPECT_EQ(readWhole(folder / "out" / "config.json"), "two config.json");
  EXPECT_EQ(readWhole(folder / "out" / "theirs" / "file"), "theirs");
}

TEST(DiskModelSink, KeepsALinkToItsFolder) {
  const TempFolder folder;
  fs::create_directories(folder / "real");
  test::writeWhole(folder / "real" / "config.json", "old");
  fs::create_directory_symlink("real", folder / "out");
  ASSERT_TRUE(write(folder / "out", kTwo, true));
  EXPECT_TRUE(fs::is_symlink(folder / "out"));
  EXPECT_EQ(readWhole(folder / "real" / "config.json"), "two config.json");
}

TEST(DiskModelSink, ReplacesALinkToAFile) {
  const TempFolder folder;
  test::writeWhole(folder / "theirs", "theirs");
  fs::create_symlink("theirs", folder / "out.onnx");
  ASSERT_TRUE(write(folder / "out.onnx", kOne, true));
  EXPECT_FALSE(fs::is_symlink(folder / "out.onnx"));
  EXPECT_EQ(readWhole(folder / "theirs"), "theirs");
}

TEST(DiskModelSink, DeletesWhatAKilledOneLeft) {
  const TempFolder folder;
  const fs::path dead = folder / claimName(".strata-new");
  const fs::path other = folder / ".strata-new-00112233445566aa.tmp";
  fs::create_directories(dead / "onnx");
  fs::create_directories(other);
  auto plan = DiskTarget::plan(folder / "first", kTwo.paths, false, false);
  ASSERT_TRUE(plan);
  const auto alive = DiskModelSink::create(*std::move(plan));
  ASSERT_TRUE(alive);
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(other));
  const std::size_t entries = test::entryCount(folder.path());
  ASSERT_TRUE(write(folder / "second", kTwo));
  EXPECT_EQ(test::entryCount(folder.path()), entries + 4) << "that of the living one was deleted";
}

TEST(DiskModelSink, NeverReplacesAFifoOrDevice) {
  const TempFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  const auto plan = DiskTarget::plan(folder / "pipe", kOne.paths, true, false);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_TRUE(plan->isStream);
  EXPECT_TRUE(DiskTarget::plan("/dev/null", kOne.paths, false, false)->isStream);
  EXPECT_TRUE(DiskTarget::plan("/dev/stdout", kOne.paths, false, false)->isStream);
  fs::create_directories(folder / "out");
  ASSERT_EQ(::mkfifo((folder / "out" / "config.json").c_str(), 0600), 0);
  const auto refused = DiskTarget::plan(folder / "out", kTwo.paths, true, false);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("is a fifo, expected a file"), std::string::npos);
  auto file = TempFile::create(folder.path(), "part");
  ASSERT_TRUE(file);
  EXPECT_FALSE(file->moveTo(folder / "pipe"));
  EXPECT_TRUE(fs::is_fifo(folder / "pipe"));
}

TEST(DiskModelSink, TakesABackslashForALetter) {
  const TempFolder folder;
  ASSERT_TRUE(write(folder / "out", {{"a\\b.onnx", "c"}, "model "}));
  EXPECT_EQ(readWhole(folder / "out" / "a\\b.onnx"), "model a\\b.onnx");
}

TEST(DiskModelSink, FollowsNoLinkOutOfTheTarget) {
  const TempFolder folder;
  fs::create_directories(folder / "elsewhere");
  fs::create_directories(folder / "out");
  fs::create_directory_symlink(folder / "elsewhere", folder / "out" / "onnx");
  const auto refused = write(folder / "out", kTwo, true);
  ASSERT_FALSE(refused);
  EXPECT_EQ(test::entryCount(folder / "elsewhere"), 0U);
}

}  // namespace
}  // namespace strata
