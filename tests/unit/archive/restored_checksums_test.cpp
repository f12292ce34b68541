#include <gtest/gtest.h>

#include <cstring>
#include <span>
#include <string>

#include "core/crc32.h"
#include "tests/support/version_store.h"

namespace strata::test {
namespace {

/// A model of which a file says the checksum of its weights, before them and behind.
class Checksummed final : public ModelSource {
 public:
  explicit Checksummed(unsigned seed) {
    const std::string first = randomFloats(6000, seed);
    const std::string second = randomFloats(500, seed + 1);
    model_.addFile("a.bin", "head" + sumOf(first),
                   {{"first", ElementType::F32, {60, 100}, first},
                    {"second", ElementType::F32, {500}, second}},
                   "middle" + sumOf(first + second) + "tail" + sumOf(first));
  }

  const ModelDescription& description() const noexcept override { return model_.description(); }
  const MemoryModel& model() const noexcept { return model_; }

  std::vector<ChecksumField> checksumFields() const override {
    const std::uint64_t firstBytes = 24000;
    const std::uint64_t bothBytes = 26000;
    return {{0, 4, kWeights, firstBytes},
            {0, kWeights + bothBytes + 6, kWeights, bothBytes},
            {0, kWeights + bothBytes + 14, kWeights, firstBytes},
            // A range that cuts a tensor, and a field that lies in one: both stay.
            {0, 0, kWeights + 4, 40},
            {0, kWeights + 8, kWeights, firstBytes}};
  }

  /// Whether a restored file says what its weights are.
  static void expectSound(const std::string& file) {
    const std::string first = file.substr(kWeights, 24000);
    const std::string both = file.substr(kWeights, 26000);
    EXPECT_EQ(file.substr(0, 4), "head");
    EXPECT_EQ(file.substr(4, 4), sumOf(first));
    EXPECT_EQ(file.substr(kWeights + 26006, 4), sumOf(both));
    EXPECT_EQ(file.substr(kWeights + 26014, 4), sumOf(first));
    EXPECT_EQ(file.size(), kWeights + 26018);
  }

 private:
  static constexpr std::uint64_t kWeights = 8;

  static std::string sumOf(const std::string& bytes) {
    const std::uint32_t sum = crc32(std::as_bytes(std::span(bytes)));
    std::string text(4, '\0');
    std::memcpy(text.data(), &sum, sizeof sum);
    return text;
  }

  MemoryModel model_;
};

WriteOptions lossyOptions(std::size_t tensors) {
  WriteOptions options;
  options.lossy.resize(tensors);
  options.lossy[0] = LossyChoice{.codec = CodecId::Levels};
  options.lossy[0]->settings.step = 0.05;
  return options;
}

TEST(RestoredChecksums, AreThoseOfWhatALossyVersionRestoresTo) {
  const Checksummed model(1);
  Checksummed::expectSound(filesOf(model.model()).at("a.bin"));
  VersionStore store;
  const WriteReport report = store.add(model, nullptr, lossyOptions(2));
  ASSERT_TRUE(report.manifest.lossy);
  const auto files = restored(*store.reader(report));
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_NE(files->at("a.bin"), filesOf(model.model()).at("a.bin"));
  Checksummed::expectSound(files->at("a.bin"));
}

TEST(RestoredChecksums, LeaveTheOriginalsDigestAlone) {
  const Checksummed model(1);
  VersionStore store;
  const Digest exact = store.add(model).contentDigest;
  const WriteReport report = store.add(model, nullptr, lossyOptions(2));
  EXPECT_EQ(report.manifest.originalDigest, exact);
  EXPECT_NE(report.contentDigest, exact);
}

TEST(RestoredChecksums, StayWhereTheModelIsStoredExactly) {
  const Checksummed model(1);
  VersionStore store;
  const auto files = restored(*store.reader(store.add(model)));
  ASSERT_TRUE(files);
  EXPECT_EQ(*files, filesOf(model.model()));
}

TEST(Crc32, GoesOnWhereItStopped) {
  const std::string text = "123456789";
  const auto bytes = std::as_bytes(std::span(text));
  EXPECT_EQ(crc32(bytes), 0xCBF43926U);
  EXPECT_EQ(crc32(bytes.subspan(4), crc32(bytes.first(4))), 0xCBF43926U);
  EXPECT_EQ(crc32({}), 0U);
}

}  // namespace
}  // namespace strata::test
