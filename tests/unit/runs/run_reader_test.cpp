#include <gmock/gmock.h>

#include "core/ops/runs/run_versions.h"
#include "core/store/catalog/catalog.h"
#include "core/store/run_tags.h"
#include "tests/unit/runs/run_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

class ReaderOfRuns : public test::RunFixture {
 protected:
  fs::path manifestOf(const VersionEntry& version) {
    return store().objects().pathOf(version.manifestDigest);
  }
};

TEST_F(ReaderOfRuns, ReadsEachManifestOnce) {
  writeCheckpoint(10);
  ASSERT_TRUE(snapshot(10));
  const auto version = store().resolve("run");
  ASSERT_TRUE(version);
  RunReader reader(store());
  ASSERT_EQ(reader.read(*version).step, 10U);
  const fs::path manifest = manifestOf(*version);
  fs::rename(manifest, folder_ / "aside");
  EXPECT_EQ(reader.read(*version).step, 10U);
  EXPECT_TRUE(readRunVersion(store(), *version).problem);
}

TEST_F(ReaderOfRuns, TriesAgainWhatCouldNotBeRead) {
  writeCheckpoint(10);
  ASSERT_TRUE(snapshot(10));
  const auto version = store().resolve("run");
  const fs::path manifest = manifestOf(*version);
  fs::rename(manifest, folder_ / "aside");
  RunReader reader(store());
  EXPECT_TRUE(reader.read(*version).problem);
  EXPECT_TRUE(reader.read(*version).hasTraining) << "nobody knows that it has none";
  fs::rename(folder_ / "aside", manifest);
  EXPECT_TRUE(reader.read(*version).problem);
  reader.retry();
  EXPECT_FALSE(reader.read(*version).problem);
  EXPECT_TRUE(reader.read(*version).hasTrainerState);
}

TEST_F(ReaderOfRuns, HasTheTagsOfNow) {
  RunReader reader(store());
  VersionEntry version;
  version.name = "run";
  version.tags = {stepTag(5)};
  EXPECT_EQ(reader.read(version).step, 5U);
  version.tags = {stepTag(6)};
  EXPECT_EQ(reader.read(version).step, 6U);
}

/// A pull brings an older snapshot under the next number.
TEST(NewestOfAName, IsTheSameWhereverItIsAsked) {
  const auto catalog = Catalog::createInMemory();
  ASSERT_TRUE(catalog);
  std::uint8_t seed = 0;
  const auto put = [&](std::uint32_t number, std::int64_t addedAt, bool isWeightsOnly) {
    VersionRef ref;
    ref.name = "run";
    ref.number = number;
    ref.addedAt = addedAt;
    ref.contentDigest.bytes.fill(std::byte{++seed});
    ref.manifestDigest.bytes.fill(std::byte{++seed});
    ManifestSummary summary;
    summary.entry.contentDigest = ref.contentDigest;
    summary.entry.manifestDigest = ref.manifestDigest;
    summary.entry.lossy = isWeightsOnly;
    summary.entry.profile = isWeightsOnly ? std::string(kWeightsOnly) : "exact";
    ASSERT_TRUE((*catalog)->transact([&] { return (*catalog)->putVersion(ref, summary); }));
  };
  const auto newest = [&] { return (*(*catalog)->newest("run"))->label(); };
  put(2, 200, false);
  put(3, 300, false);
  EXPECT_EQ(newest(), "run:v3");
  put(4, 100, true);  // of what was v1
  EXPECT_EQ(newest(), "run:v3");
  put(5, 50, false);
  EXPECT_EQ(newest(), "run:v3");
  EXPECT_EQ(newestOf(*(*catalog)->versionsOf("run")).label(), newest());
}

}  // namespace
}  // namespace strata
