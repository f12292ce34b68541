#include "core/ops/inspect/restore_tensors.h"

#include <gtest/gtest.h>

#include <stop_token>

#include "core/ops/inspect/cat_tensor.h"
#include "core/ops/inspect/opened_version.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

constexpr std::uint64_t kTensorRows = 1500;
constexpr std::uint64_t kTensorColumns = 1000;
constexpr std::size_t kWords = kTensorRows * kTensorColumns;

std::span<std::byte> writable(std::string& memory) {
  return std::as_writable_bytes(std::span(memory));
}

/// A base of three weights, of which each spans several checked pieces of the file, a fine-tune of
/// it, and a folder with files that are too small for such pieces.
class RestoreTensors : public test::StoreFixture {
 protected:
  RestoreTensors() : folderModel_("folder") {
    std::vector<test::MemoryModel::Weight> weights;
    for (unsigned i = 0; i < 3; ++i) {
      weights.push_back({"w" + std::to_string(i),
                         ElementType::F32,
                         {kTensorRows, kTensorColumns},
                         test::randomFloats(kWords, i)});
    }
    weights.push_back({"bias", ElementType::F32, {}, test::randomFloats(1, 9)});
    base_.addFile("model.safetensors", "header", weights);
    import("base", base_);
    for (auto& weight : weights) weight.bytes = test::tunedFloats(weight.bytes, 0.3, 5);
    tuned_.addFile("model.safetensors", "header", weights);
    add("tuned", tuned_, "base");
    folderModel_.addFile("a.bin", "head",
                         {{"w", ElementType::F32, {100, 7}, test::randomFloats(700, 5)},
                          {"twice", ElementType::U8, {3}, "abc"}});
    folderModel_.addFile(
        "b.bin", "",
        {{"twice", ElementType::U8, {3}, "def"}, {"half", ElementType::BF16, {3}, "xxyyzz"}});
    import("folder", folderModel_);
  }

  Result<RestoreTensorsReport> restore(const std::string& reference,
                                       std::vector<TensorTarget> targets) {
    return restoreTensors(store(), {.reference = reference, .tensors = std::move(targets)}, {}, {});
  }

  /// What is wrong with a target of the folder.
  std::string problem(const TensorTarget& target, ErrorCode code) {
    const auto report = restore("folder", {target});
    if (report) return "was restored";
    EXPECT_EQ(report.error().code, code) << report.error().message;
    return report.error().message;
  }

  static std::string wordsOf(const test::MemoryModel& model, std::size_t tensor) {
    const TensorInfo& info = model.description().tensors[tensor];
    return model.bytesOf(info.file).substr(info.offset, info.byteCount);
  }

  test::MemoryModel base_;
  test::MemoryModel tuned_;
  test::MemoryModel folderModel_;
};

TEST_F(RestoreTensors, FillsTheMemoryOfTheCaller) {
  for (const auto& [reference, model] : {std::pair{"base", &base_}, {"tuned", &tuned_}}) {
    std::string memory[3] = {std::string(kWords * 4, 'x'), std::string(4, 'x'),
                             std::string(kWords * 4, 'x')};
    const auto report = restore(
        reference, {{"w2", ElementType::F32, {kTensorRows, kTensorColumns}, writable(memory[0])},
                    {"bias", ElementType::F32, {}, writable(memory[1])},
                    {"w0", ElementType::F32, {kTensorRows, kTensorColumns}, writable(memory[2])}});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->restoredBytes, 2 * kWords * 4 + 4);
    EXPECT_EQ(report->version.label(), std::string(reference) + ":v1");
    EXPECT_TRUE(memory[0] == wordsOf(*model, 2)) << reference;
    EXPECT_TRUE(memory[1] == wordsOf(*model, 3)) << reference;
    EXPECT_TRUE(memory[2] == wordsOf(*model, 0)) << reference;
  }
}

TEST_F(RestoreTensors, FillsOneTensorTwiceAndNoneAtAll) {
  std::string memory[2] = {std::string(kWords * 4, 'x'), std::string(kWords * 4, 'x')};
  const auto report = restore(
      "tuned", {{"w1", ElementType::F32, {kTensorRows, kTensorColumns}, writable(memory[0])},
                {"w1", ElementType::F32, {kTensorRows, kTensorColumns}, writable(memory[1])}});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(memory[0] == wordsOf(tuned_, 1));
  EXPECT_TRUE(memory[0] == memory[1]);
  EXPECT_TRUE(restore("tuned", {}));
}

TEST_F(RestoreTensors, DecodesThePiecesAlone) {
  std::string memory(4, 'x');
  std::uint64_t total = 0;
  const ProgressSink count = [&](const Progress& progress) { total = progress.totalBytes; };
  const auto report = restoreTensors(
      store(),
      {.reference = "tuned", .tensors = {{"bias", ElementType::F32, {}, writable(memory)}}}, {},
      count);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_GT(total, 0U);
  EXPECT_LE(total, 4U << 20);
}

TEST_F(RestoreTensors, FillsFromSmallFilesOfAFolder) {
  std::string words(2800, 'x');
  std::string half(6, 'x');
  const auto report = restore("folder", {{"half", ElementType::BF16, {3}, writable(half)},
                                         {"w", ElementType::F32, {100, 7}, writable(words)}});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(words, wordsOf(folderModel_, 0));
  EXPECT_EQ(half, "xxyyzz");
}

TEST_F(RestoreTensors, TakesTheTensorOfOneFile) {
  std::string first(3, 'x');
  std::string second(3, 'x');
  const auto report = restore("folder", {{"a.bin:twice", ElementType::U8, {3}, writable(first)},
                                         {"b.bin:twice", ElementType::U8, {3}, writable(second)}});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(first, "abc");
  EXPECT_EQ(second, "def");
}

TEST_F(RestoreTensors, RefusesOtherTypesShapesAndBytes) {
  std::string memory(2800, 'x');
  const auto out = writable(memory);
  const auto wrong = ErrorCode::InvalidArgument;
  EXPECT_EQ(problem({"w", ElementType::I32, {100, 7}, out}, wrong),
            "folder:v1: w is f32 [100, 7], asked for as i32 [100, 7]");
  EXPECT_EQ(problem({"w", ElementType::F32, {7, 100}, out}, wrong),
            "folder:v1: w is f32 [100, 7], asked for as f32 [7, 100]");
  EXPECT_EQ(problem({"w", ElementType::F32, {100, 7}, out.first(2796)}, wrong),
            "folder:v1: w has 2800 bytes, the memory for it 2796");
  EXPECT_EQ(problem({"twice", ElementType::U8, {3}, out.first(3)}, wrong),
            "folder:v1: 2 of its tensors are called twice, the first in a.bin, the last in b.bin; "
            "a.bin:twice means that of one file");
  EXPECT_EQ(problem({"haif", ElementType::BF16, {3}, out.first(6)}, ErrorCode::NotFound),
            "folder:v1: none of its 4 tensors is called haif. Did you mean \"half\"?");
  EXPECT_EQ(memory, std::string(2800, 'x'));
}

TEST_F(RestoreTensors, FailsWhereTheStoreIsDamaged) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(storeFolder())) {
    if (!entry.is_regular_file() || entry.file_size() < kWords) continue;
    std::filesystem::permissions(entry.path(), std::filesystem::perms::owner_all);
    std::string bytes = test::readWhole(entry.path());
    for (std::size_t at = bytes.size() / 10; at < bytes.size(); at += bytes.size() / 10) {
      bytes[at] ^= 1;
    }
    test::writeWhole(entry.path(), bytes);
  }
  reopen();
  std::string memory(kWords * 4, 'x');
  const auto report =
      restore("base", {{"w1", ElementType::F32, {kTensorRows, kTensorColumns}, writable(memory)}});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::CorruptData);
}

TEST_F(RestoreTensors, CanBeCancelled) {
  std::string memory(kWords * 4, 'x');
  std::stop_source stop;
  stop.request_stop();
  const auto report = restoreTensors(
      store(),
      {.reference = "base",
       .tensors = {{"w1", ElementType::F32, {kTensorRows, kTensorColumns}, writable(memory)}}},
      stop.get_token(), {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::Cancelled);
}

TEST_F(RestoreTensors, AnOpenVersionListsWhatItHas) {
  const auto opened = OpenedVersion::open(store(), "folder");
  ASSERT_TRUE(opened) << opened.error().message;
  ASSERT_EQ((*opened)->files().size(), 2U);
  EXPECT_EQ((*opened)->files()[1].path, "b.bin");
  ASSERT_EQ((*opened)->tensors().size(), 4U);
  const OpenedTensor& half = (*opened)->tensors()[3];
  EXPECT_EQ(half.name, "half");
  EXPECT_EQ(half.type, ElementType::BF16);
  EXPECT_EQ(half.shape, std::vector<std::uint64_t>{3});
  EXPECT_EQ(half.file, 1U);
  std::string words(half.byteCount, 'x');
  ASSERT_TRUE((*opened)->read(half.file, half.offset, writable(words), {}));
  EXPECT_EQ(words, "xxyyzz");
  EXPECT_EQ(OpenedVersion::open(store(), "nothing").error().code, ErrorCode::NotFound);
}

TEST_F(RestoreTensors, AnOpenVersionGivesRangesOfFiles) {
  const auto opened = OpenedVersion::open(store(), "tuned");
  ASSERT_TRUE(opened) << opened.error().message;
  const std::string& file = tuned_.bytesOf(0);
  for (const auto& [offset, length] : {std::pair<std::size_t, std::size_t>{0, file.size()},
                                       {3, 5},
                                       {4'000'001, 9'000'000},
                                       {file.size() - 2, 2},
                                       {file.size(), 0}}) {
    std::string bytes(length, 'x');
    ASSERT_TRUE((*opened)->read(0, offset, writable(bytes), {}));
    EXPECT_TRUE(bytes == file.substr(offset, length)) << offset;
  }
  std::string bytes(4, 'x');
  for (const auto& [number, offset] :
       {std::pair<std::size_t, std::uint64_t>{0, file.size() - 3}, {0, ~0ULL}, {1, 0}}) {
    const auto read = (*opened)->read(number, offset, writable(bytes), {});
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::InvalidArgument);
  }
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ((*opened)->read(0, 0, writable(bytes), stop.get_token()).error().code,
            ErrorCode::Cancelled);
}

}  // namespace
}  // namespace strata
