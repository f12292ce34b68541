#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "core/archive/write/part_plan.h"
#include "tests/support/training_run.h"
#include "tests/support/version_store.h"

namespace strata::test {
namespace {

constexpr std::uint64_t kBlockWords = std::uint64_t{1} << 16;

/// Positive, as a second moment is.
std::string positiveFloats(std::size_t count) {
  std::string words = randomFloats(count, 5);
  for (std::size_t i = 3; i < words.size(); i += 4) words[i] = static_cast<char>(words[i] & 0x7f);
  return words;
}

std::vector<std::uint32_t> wordsIn(const std::string& text) {
  std::vector<std::uint32_t> words(text.size() / 4);
  std::memcpy(words.data(), text.data(), words.size() * 4);
  return words;
}

/// Where each word of a part stands among the words of its source.
using WordPlace = std::function<std::size_t(std::size_t)>;

/// A lineage of versions of one tensor. Each word after the first version is what a step makes of
/// one word of the version before, which stands in for all three of its sources.
class Lineage {
 public:
  explicit Lineage(std::uint64_t words, std::uint64_t partWords = 0) {
    const std::string text = positiveFloats(words);
    words_ = wordsIn(text);
    model_ = modelOf({words});
    ModelPlan plan = planModel(model_->description(), nullptr).value();
    if (partWords != 0) plan.parts = cutPart(plan.parts.front(), partWords);
    WriteOptions options;
    options.plan = &plan;
    keep(store_.add(*model_, nullptr, options));
  }

  /// A version whose part sees the one before through `view`, three times.
  void add(const std::vector<std::uint64_t>& shape, PartView view, const WordPlace& place) {
    AdamStep step;
    step.lr = 1e-3;
    std::vector<std::uint32_t> before;
    std::uint64_t count = 1;
    for (const std::uint64_t dimension : shape) count *= dimension;
    for (std::size_t i = 0; i < count; ++i) before.push_back(words_[place(i)]);
    words_.resize(count);
    predictSecondMoment(step, before, before, before, words_);
    model_ = modelOf(shape);
    ModelPlan plan = planModel(model_->description(), readers_.back().get()).value();
    const StepGroup group{.weights = 1, .firstMoment = 1, .steps = {step}};
    ASSERT_EQ(plan.parts.size(), 1U);
    view.offset = model_->description().tensors.front().offset + view.offset * 4;
    view.type = ElementType::F32;
    plan.parts.front().group = &group;
    for (int s = 0; s < 3; ++s) plan.parts.front().stepSources.append(view);
    WriteOptions options;
    options.plan = &plan;
    const WriteReport report = store_.add(*model_, readers_.back(), options);
    ASSERT_EQ(report.manifest.tensors.front().parts.front().sourceCount(), 3U);
    keep(report);
  }

  /// The newest version, opened anew with all its parents, so that nothing is kept yet.
  const VersionReader& opened() {
    readers_.clear();
    for (const Digest& manifest : manifests_) {
      readers_.push_back(
          store_.open(manifest, readers_.empty() ? nullptr : readers_.back()).value());
    }
    return *readers_.back();
  }

  Result<void> read(std::uint64_t words) {
    std::vector<std::byte> out(words * 4);
    const std::uint64_t start = model_->description().tensors.front().offset;
    return readers_.back()->read(0, start, out);
  }
  std::uint64_t blockReads(std::uint64_t words) {
    const std::uint64_t start = model_->description().tensors.front().offset;
    return readers_.back()->blockReadsOf(0, start, words * 4).value();
  }
  std::uint64_t decodedBlocks() const {
    std::uint64_t sum = 0;
    for (const Reader& reader : readers_) sum += reader->decodedBlocks();
    return sum;
  }
  const MemoryModel& model() const { return *model_; }

 private:
  std::unique_ptr<MemoryModel> modelOf(const std::vector<std::uint64_t>& shape) const {
    auto model = std::make_unique<MemoryModel>();
    const auto* const bytes = reinterpret_cast<const char*>(words_.data());
    model->addFile("a", "header" + std::to_string(words_.size()),
                   {{"v", ElementType::F32, shape, std::string(bytes, words_.size() * 4)}});
    return model;
  }
  void keep(const WriteReport& report) {
    manifests_.push_back(report.manifestDigest);
    readers_.push_back(store_.reader(report, readers_.empty() ? nullptr : readers_.back()));
    ASSERT_NE(readers_.back(), nullptr);
  }

  std::vector<std::uint32_t> words_;
  std::unique_ptr<MemoryModel> model_;
  VersionStore store_;
  std::vector<Digest> manifests_;
  std::vector<Reader> readers_;
};

/// Each of three sources lies in two blocks: 6^n for n versions, where 3^n would be counted if a
/// source were a block.
TEST(BlockReads, CountsBothBlocksOfASourceThatIsNotAligned) {
  constexpr std::uint64_t kUnevenWords = 2 * kBlockWords + 100;
  Lineage lineage(kUnevenWords);
  std::uint64_t expected = 1;
  for (std::uint64_t version = 1; version <= 6; ++version) {
    lineage.add({kUnevenWords - version}, {.offset = 1}, [](std::size_t i) { return i + 1; });
    lineage.opened();
    expected = 1 + 6 * expected;
    EXPECT_EQ(lineage.blockReads(kBlockWords), expected);
    ASSERT_TRUE(lineage.read(kBlockWords));
    EXPECT_LE(lineage.decodedBlocks(), expected);
    EXPECT_GE(lineage.decodedBlocks(), 2 * version + 1) << "the blocks that there are";
    EXPECT_LE(lineage.decodedBlocks(), 6 * version + 1) << "what is kept serves all three";
  }
  EXPECT_EQ(expected, 55987U);
  expectRestores(lineage.opened(), lineage.model());
  lineage.add({kUnevenWords - 7}, {.offset = 1}, [](std::size_t i) { return i + 1; });
  lineage.opened();
  const auto refused = lineage.read(kBlockWords);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::CorruptData);
  EXPECT_NE(refused.error().message.find("too many others"), std::string::npos);
  EXPECT_EQ(lineage.decodedBlocks(), 0U) << "it is refused before anything is decoded";
}

TEST(BlockReads, CountsPartsOfASourceOneByOne) {
  Lineage lineage(kBlockWords, 64);
  lineage.add({kBlockWords}, {}, [](std::size_t i) { return i; });
  lineage.opened();
  EXPECT_EQ(lineage.blockReads(kBlockWords), 1 + 3 * 1024U);
  EXPECT_EQ(lineage.blockReads(1), 1 + 3 * 1024U) << "a block is decoded whole";
  ASSERT_TRUE(lineage.read(kBlockWords));
  EXPECT_EQ(lineage.decodedBlocks(), 1 + 3 * 1024U) << "too many to be kept";
  lineage.add({kBlockWords}, {}, [](std::size_t i) { return i; });
  lineage.opened();
  EXPECT_EQ(lineage.blockReads(kBlockWords), 1 + 3 * (1 + 3 * 1024U));

  Lineage small(kBlockWords, 2);
  small.add({kBlockWords}, {}, [](std::size_t i) { return i; });
  small.opened();
  const auto refused = small.read(1);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("too many others"), std::string::npos);
  EXPECT_EQ(small.decodedBlocks(), 0U);
}

/// 512 rows of 256 words, each in a row of 1,024 there: 8 blocks, of which a block needs 4 or 5.
TEST(BlockReads, CountsAndGathersViewsBlockByBlock) {
  const auto place = [](std::size_t i) { return i / 256 * 1024 + i % 256 + 700; };
  Lineage lineage(8 * kBlockWords);
  lineage.add({512, 256}, {.offset = 700, .stride = 1024}, place);
  lineage.opened();
  EXPECT_EQ(lineage.blockReads(kBlockWords), 1 + 3 * 4U);
  EXPECT_EQ(lineage.blockReads(2 * kBlockWords), 2 * (1 + 3 * 4U));
  ASSERT_TRUE(lineage.read(1));
  EXPECT_LE(lineage.decodedBlocks(), 1 + 3 * 4U);
  expectRestores(lineage.opened(), lineage.model());
}

/// Each block of a transposed view lies in all blocks there. Its rows do not end with the block.
TEST(BlockReads, CountsAllBlocksOfATransposedView) {
  constexpr std::uint64_t kRows = 300;
  constexpr std::uint64_t kColumns = 900;
  const auto place = [](std::size_t i) { return i % kColumns * kRows + i / kColumns; };
  Lineage lineage(kRows * kColumns);
  lineage.add({kRows, kColumns}, {.transposed = true}, place);
  lineage.opened();
  // Of the fourth block: the rest of a row lies in 4 of 5 blocks, 72 rows in all, 244 words in 2.
  EXPECT_EQ(lineage.blockReads(kBlockWords), 1 + 3 * (4 + 5 + 2U));
  expectRestores(lineage.opened(), lineage.model());
}

/// Parts of another size in each version: nothing is aligned, and the numbers grow fast.
TEST(BlockReads, BoundsWhatIsWrittenByWhatIsRead) {
  TrainingRun run({{"w", {100, 300}}});
  VersionStore store;
  std::vector<Reader> readers{store.reader(store.add(*run.snapshot()))};
  std::vector<std::unique_ptr<MemoryModel>> models;
  std::size_t stepped = 0;
  std::size_t plain = 0;
  for (int version = 1; version <= 10; ++version) {
    run.step();
    models.push_back(run.snapshot());
    const auto groups = run.groups();
    const PartSizes sizes{.delta = version % 2 == 0 ? 3'000U : 2'000U, .alone = 2'500};
    ModelPlan plan = planModel(models.back()->description(), readers.back().get(), sizes,
                               EarlierFiles::Serve, groups)
                         .value();
    WriteOptions options;
    options.plan = &plan;
    const WriteReport report = store.add(*models.back(), readers.back(), options);
    const bool isStepped = report.manifest.formatVersion == kManySourcesManifestVersion;
    (isStepped ? stepped : plain) += 1;
    readers.push_back(store.reader(report, readers.back()));
    ASSERT_NE(readers.back(), nullptr);
    expectRestores(*readers.back(), *models.back());
    for (const TensorInfo& tensor : models.back()->description().tensors) {
      if (!isStepped) break;  // is not counted when it is read
      const auto reads = readers.back()->blockReadsOf(tensor.file, tensor.offset, 4);
      ASSERT_TRUE(reads) << reads.error().message;
      EXPECT_LE(*reads, kMostBlockReads);
    }
  }
  EXPECT_GT(stepped, 3U);
  EXPECT_GT(plain, 0U) << "at last steps would take too many blocks";
}

}  // namespace
}  // namespace strata::test
