#include "core/archive/read/version_reader.h"

#include <gtest/gtest.h>

#include <thread>

#include "weights.h"

namespace strata::test {
namespace {

/// A base with two versions, one upon the other.
class StoredChain : public testing::Test {
 protected:
  void SetUp() override {
    base_ = makeModel(1);
    tune_ = makeTuned(*base_, 2);
    baseReport_ = store_.add(*base_);
    baseReader_ = store_.reader(baseReport_);
    tuneReport_ = store_.add(*tune_, baseReader_);
    tuneReader_ = store_.reader(tuneReport_, baseReader_);
    ASSERT_NE(tuneReader_, nullptr);
  }

  Digest onlyPackOf(const WriteReport& report) const {
    EXPECT_EQ(report.manifest.packs.size(), 1);
    return report.manifest.packs[0];
  }

  void expectError(const Result<Reader>& opened, ErrorCode code, const std::string& named) const {
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, code) << opened.error().message;
    EXPECT_NE(opened.error().message.find(named), std::string::npos) << opened.error().message;
  }

  VersionStore store_;
  std::unique_ptr<MemoryModel> base_;
  std::unique_ptr<MemoryModel> tune_;
  WriteReport baseReport_;
  WriteReport tuneReport_;
  Reader baseReader_;
  Reader tuneReader_;
};

TEST_F(StoredChain, RefusesAnotherParent) {
  VersionStore others;
  const auto other = makeModel(77);
  const Reader otherReader = others.reader(others.add(*other));
  expectError(store_.open(tuneReport_.manifestDigest, otherReader), ErrorCode::BaseMismatch,
              toHex(baseReport_.contentDigest));
  expectError(store_.open(tuneReport_.manifestDigest, tuneReader_), ErrorCode::BaseMismatch,
              toHex(baseReport_.contentDigest));
  expectError(store_.open(tuneReport_.manifestDigest), ErrorCode::BaseMismatch, "none");
  expectError(store_.open(baseReport_.manifestDigest, baseReader_), ErrorCode::BaseMismatch,
              "none");
}

TEST_F(StoredChain, TakesAnyVersionWithTheParentsContent) {
  VersionStore others;
  WriteOptions options;
  options.codec = "raw";
  const WriteReport rewritten = others.add(*base_, nullptr, options);
  EXPECT_NE(rewritten.manifestDigest, baseReport_.manifestDigest);
  const auto opened = store_.open(tuneReport_.manifestDigest, others.reader(rewritten));
  ASSERT_TRUE(opened) << opened.error().message;
  expectRestores(**opened, *tune_);
}

TEST_F(StoredChain, NamesThePackThatIsMissing) {
  const Digest pack = onlyPackOf(tuneReport_);
  store_.objects.erase(pack);
  expectError(store_.open(tuneReport_.manifestDigest, baseReader_), ErrorCode::NotFound,
              toHex(pack));
}

TEST_F(StoredChain, RejectsAPackThatIsCut) {
  const Digest pack = onlyPackOf(tuneReport_);
  const std::vector<std::byte> whole = store_.objects.at(pack);
  for (std::size_t kept = 0; kept < whole.size(); kept += 1 + kept / 40) {
    store_.objects.at(pack).assign(whole.begin(),
                                   whole.begin() + static_cast<std::ptrdiff_t>(kept));
    expectError(store_.open(tuneReport_.manifestDigest, baseReader_), ErrorCode::CorruptData,
                toHex(pack));
  }
}

TEST_F(StoredChain, SaysWhenAPackIsOfANewerFormat) {
  const Digest pack = onlyPackOf(tuneReport_);
  store_.objects.at(pack)[8] = std::byte{2};
  expectError(store_.open(tuneReport_.manifestDigest, baseReader_), ErrorCode::FormatTooNew, "2");
}

TEST_F(StoredChain, ReadsOnlyInsideItsFiles) {
  const std::uint64_t size = tune_->bytesOf(0).size();
  std::vector<std::byte> out(2);
  for (const std::uint64_t offset : {size - 1, size, size + 1, ~std::uint64_t{0}}) {
    const auto done = tuneReader_->read(0, offset, out);
    ASSERT_FALSE(done) << offset;
    EXPECT_EQ(done.error().code, ErrorCode::InvalidArgument);
  }
  EXPECT_FALSE(tuneReader_->read(1, 0, out));
  EXPECT_TRUE(tuneReader_->read(0, size, {}));
}

TEST_F(StoredChain, GivesTheBytesOutsideOfTensors) {
  const auto skeleton = tuneReader_->skeleton(0);
  ASSERT_TRUE(skeleton) << skeleton.error().message;
  const std::string file = tune_->bytesOf(0);
  const TensorInfo& first = tune_->description().tensors.front();
  EXPECT_EQ(textOf(*skeleton), file.substr(0, first.offset));
}

TEST_F(StoredChain, NamesTheTensorThatIsDamaged) {
  const ManifestTensor tensor = tuneReport_.manifest.tensors[1];
  auto& pack = store_.objects.at(onlyPackOf(tuneReport_));
  const PackSection& section = *tensor.parts[0].section;
  pack[section.offset + section.byteCount - 3] ^= std::byte{4};
  const auto opened = store_.open(tuneReport_.manifestDigest, baseReader_);
  ASSERT_TRUE(opened) << opened.error().message;
  std::vector<std::byte> out(8);
  EXPECT_TRUE((*opened)->read(0, 0, out)) << "what is not damaged can be read";
  const auto done = (*opened)->read(0, tensor.offset, out);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::CorruptData);
  for (const std::string& part : {tensor.name, toHex(onlyPackOf(tuneReport_))}) {
    EXPECT_NE(done.error().message.find(part), std::string::npos) << done.error().message;
  }
}

TEST_F(StoredChain, NamesTheParentsPackWhereThatIsDamaged) {
  const Digest pack = onlyPackOf(baseReport_);
  store_.objects.at(pack).back() ^= std::byte{1};
  const auto base = store_.open(baseReport_.manifestDigest);
  ASSERT_TRUE(base) << base.error().message;
  const auto opened = store_.open(tuneReport_.manifestDigest, *base);
  ASSERT_TRUE(opened) << opened.error().message;
  const auto files = test::restored(**opened);
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, ErrorCode::CorruptData);
  EXPECT_NE(files.error().message.find(toHex(pack)), std::string::npos) << files.error().message;
}

TEST_F(StoredChain, ServesSeveralThreadsAtOnce) {
  const std::string expected = tune_->bytesOf(0);
  std::vector<std::string> found(4, std::string(expected.size(), '\0'));
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < found.size(); ++t) {
      threads.emplace_back([&, t] {
        const auto out = std::as_writable_bytes(std::span(found[t]));
        for (std::uint64_t at = 0; at < out.size(); at += 701 + t) {
          const std::uint64_t n = std::min<std::uint64_t>(701 + t, out.size() - at);
          if (!tuneReader_->read(0, at, out.subspan(at, n))) return;
        }
      });
    }
  }
  for (const std::string& bytes : found) EXPECT_TRUE(bytes == expected);
}

TEST(VersionReader, CutsFilesIntoPiecesThatCoverThem) {
  VersionStore store;
  const auto model =
      modelOf({weightOf("a", gaussian(1000, 700, 1)), weightOf("b", gaussian(9, 9, 2))});
  const Reader reader = store.reader(store.add(*model));
  const std::uint64_t size = model->bytesOf(0).size();
  for (const std::uint64_t step : {std::uint64_t{1}, std::uint64_t{1'000'000}, size, 10 * size}) {
    const auto cuts = reader->pieces(0, step);
    EXPECT_EQ(cuts.front(), 0U);
    EXPECT_EQ(cuts.back(), size);
    EXPECT_TRUE(std::is_sorted(cuts.begin(), cuts.end(), std::less_equal<>()));
  }
  EXPECT_EQ(reader->pieces(0, 10 * size).size(), 2U);
}

}  // namespace
}  // namespace strata::test
