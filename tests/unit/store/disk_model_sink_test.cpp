#include "core/io/disk_model_sink.h"

#include <gtest/gtest.h>

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
    STRATA_TRY(sink->beginFile(path, text.size()));
    STRATA_TRY(sink->append(std::as_bytes(std::span(text))));
    STRATA_TRY(sink->endFile());
  }
  return commits ? sink->commit() : Result<void>{};
}

const Files kOne{{"model.onnx"}, "one "};
const Files kTwo{{"config.json", "onnx/model.onnx"}, "two "};

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
      ASSERT_TRUE((*sink)->beginFile(path, 5));
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
