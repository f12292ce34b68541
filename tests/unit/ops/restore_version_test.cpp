#include "core/ops/versions/restore_version.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <thread>

#include "core/io/special_file.h"
#include "core/ops/inspect/export_tensors.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

using test::readWhole;

class RestoreVersion : public test::StoreFixture {
 protected:
  RestoreVersion() : base_(test::makeModel(1)), folderModel_("folder") {
    import("base", *base_);
    folderModel_.addFile("config.json", "{\"a\": 1}", {});
    folderModel_.addFile("empty", "", {});
    folderModel_.addFile("onnx/model.bin", "head",
                         {{"w", ElementType::F32, {100, 7}, test::randomFloats(700, 5)},
                          {"half", ElementType::BF16, {3}, std::string("\x80\x3F\0\0\x40\xC0", 6)}},
                         "tail");
    import("folder", folderModel_);
  }

  Result<RestoreReport> restore(const std::string& reference, const std::filesystem::path& target) {
    return restoreVersion(store(), {.reference = reference, .target = target}, {}, {});
  }

  const std::unique_ptr<test::MemoryModel> base_;
  test::MemoryModel folderModel_;
};

TEST_F(RestoreVersion, WritesOneFile) {
  const auto report = restore("base", folder_ / "out.safetensors");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(readWhole(folder_ / "out.safetensors"), base_->bytesOf(0));
  EXPECT_EQ(report->writtenBytes, base_->bytesOf(0).size());
}

TEST_F(RestoreVersion, WritesAFolderWithAllFiles) {
  const auto report = restore("folder", folder_ / "out");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->files.size(), 3U);
  EXPECT_EQ(readWhole(folder_ / "out" / "config.json"), "{\"a\": 1}");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out" / "empty"));
  EXPECT_EQ(readWhole(folder_ / "out" / "onnx" / "model.bin"), folderModel_.bytesOf(2));
}

TEST_F(RestoreVersion, RefusesToReplaceUnlessAsked) {
  test::writeWhole(folder_ / "out", "mine");
  const auto refused = restore("base", folder_ / "out");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(readWhole(folder_ / "out"), "mine");
  const auto kept = restoreVersion(
      store(), {.reference = "base", .target = folder_ / "out", .backup = true}, {}, {});
  ASSERT_TRUE(kept) << kept.error().message;
  ASSERT_EQ(kept->backups.size(), 1U);
  EXPECT_EQ(readWhole(kept->backups[0]), "mine");
  EXPECT_EQ(readWhole(folder_ / "out"), base_->bytesOf(0));
}

TEST_F(RestoreVersion, WritesIntoAFifo) {
  const std::filesystem::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string got;
  {
    const std::jthread reader([&] { got = readWhole(pipe); });
    const auto report =
        restoreVersion(store(), {.reference = "base", .target = pipe, .force = true}, {}, {});
    ASSERT_TRUE(report) << report.error().message;
  }
  EXPECT_TRUE(got == base_->bytesOf(0));
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

/// Nobody else would end it: an open that waits starts again after a signal.
TEST_F(RestoreVersion, WaitsNoLongerForTheReaderOfAFifoWhenCancelled) {
  const std::filesystem::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::stop_source source;
  source.request_stop();
  const auto sink = StreamSink::open(pipe, source.get_token());
  ASSERT_FALSE(sink);
  EXPECT_EQ(sink.error().code, ErrorCode::Cancelled);
}

TEST_F(RestoreVersion, LeavesTheTargetAsItWasWhenCancelled) {
  const std::size_t entries = test::entryCount(folder_.path());
  std::stop_source source;
  source.request_stop();
  for (const char* reference : {"base", "folder"}) {
    const auto cancelled = restoreVersion(
        store(), {.reference = reference, .target = folder_ / "out"}, source.get_token(), {});
    ASSERT_FALSE(cancelled);
    EXPECT_EQ(cancelled.error().code, ErrorCode::Cancelled);
  }
  EXPECT_EQ(test::entryCount(folder_.path()), entries);
}

TEST_F(RestoreVersion, PlansWithoutWriting) {
  const std::size_t entries = test::entryCount(folder_.path());
  const auto report = restoreVersion(
      store(), {.reference = "folder", .target = folder_ / "out", .dryRun = true}, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->files.size(), 3U);
  EXPECT_GT(report->freeBytes, 0U);
  EXPECT_EQ(test::entryCount(folder_.path()), entries);
}

TEST_F(RestoreVersion, StreamsOneFileOnly) {
  EXPECT_EQ(*test::restoredBytes(store(), "base"), base_->bytesOf(0));
  const auto refused = test::restoredBytes(store(), "folder");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
}

TEST_F(RestoreVersion, CountsItsProgress) {
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  const auto report = restoreVersion(store(), {.reference = "base", .target = folder_ / "out"}, {},
                                     [&](const Progress& progress) {
                                       done = progress.doneBytes;
                                       total = progress.totalBytes;
                                     });
  ASSERT_TRUE(report);
  EXPECT_EQ(done, base_->bytesOf(0).size());
  EXPECT_EQ(total, done);
}

TEST_F(RestoreVersion, ExportsTensorsForNumpy) {
  const auto report = exportTensors(
      store(), {.reference = "folder", .globs = {"w"}, .target = folder_ / "w.npy"}, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  const std::string file = readWhole(folder_ / "w.npy");
  EXPECT_EQ(file.substr(0, 8), std::string("\x93NUMPY\x01\0", 8));
  EXPECT_NE(file.find("'descr': '<f4', 'fortran_order': False, 'shape': (100, 7)"), file.npos);
  ASSERT_GE(file.size(), 2800U);
  EXPECT_EQ((file.size() - 2800) % 64, 0U);
  EXPECT_EQ(file.substr(file.size() - 2800), test::randomFloats(700, 5));
}

TEST_F(RestoreVersion, WidensBfloat16ForNumpy) {
  const auto report = exportTensors(
      store(), {.reference = "folder", .globs = {"h*", "w"}, .target = folder_ / "arrays"}, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_EQ(report->tensors.size(), 2U);
  const std::string file = readWhole(folder_ / "arrays" / "half.npy");
  EXPECT_NE(file.find("(3,)"), file.npos);
  float values[3];
  std::memcpy(values, file.data() + file.size() - sizeof values, sizeof values);
  EXPECT_EQ(values[0], 1.0F);
  EXPECT_EQ(values[1], 0.0F);
  EXPECT_EQ(values[2], -3.0F);
}

TEST_F(RestoreVersion, SaysWhenNoTensorMatches) {
  const auto missing = exportTensors(
      store(), {.reference = "folder", .globs = {"nope*"}, .target = folder_ / "x"}, {}, {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::InvalidArgument);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x"));
}

}  // namespace
}  // namespace strata
