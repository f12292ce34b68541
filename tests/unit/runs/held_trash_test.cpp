// Snapshots in the trash that mend what has their place without their optimizer.
#include <gmock/gmock.h>

#include "core/ops/care/repair_here.h"
#include "core/ops/care/verify_store.h"
#include "core/ops/runs/drop_optimizer.h"
#include "core/ops/versions/trash.h"
#include "core/store/run_tags.h"
#include "tests/unit/runs/run_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class HeldTrash : public test::RunFixture {
 protected:
  /// Of three snapshots two have lost their optimizer: v1 and v2 lie in the trash, v4 and v5 have
  /// their places.
  void SetUp() override {
    test::RunFixture::SetUp();
    for (const std::uint64_t step : {10U, 20U, 30U}) {
      writeCheckpoint(step);
      ASSERT_TRUE(snapshot(step));
    }
    ASSERT_TRUE(dropOptimizer(store(), {.run = "run"}, {}, {}));
    ASSERT_EQ(store().resolve("run:step-20")->label(), "run:v5");
  }

  std::vector<fs::path> packsOf(const VersionEntry& version) {
    std::vector<fs::path> packs;
    const auto objects = store().catalog().objectsOf(version.manifestDigest);
    EXPECT_TRUE(objects);
    for (const CatalogObject& one : *objects) {
      if (!one.isManifest) packs.push_back(store().objects().pathOf(one.digest));
    }
    return packs;
  }
  /// Those of `version` that `other` has not.
  void damage(const VersionEntry& version, const VersionEntry& other) {
    const auto others = packsOf(other);
    std::size_t count = 0;
    for (const fs::path& pack : packsOf(version)) {
      if (std::ranges::find(others, pack) != others.end()) continue;
      std::string bytes = test::readWhole(pack);
      bytes[bytes.size() / 2] ^= 1;
      fs::permissions(pack, fs::perms::owner_write, fs::perm_options::add);
      test::writeWhole(pack, bytes);
      ++count;
    }
    ASSERT_GE(count, 1U);
  }
  void damageSecond() { damage(*store().resolve("run:v5"), *store().resolve("run:v4")); }
  VersionEntry trashed(std::uint32_t number) {
    return **store().catalog().version("run", number, Place::Trash);
  }
  std::vector<std::string> trashLabels() {
    std::vector<std::string> labels;
    const auto listed = listTrash(store());
    EXPECT_TRUE(listed);
    for (const VersionEntry& one : listed->versions) labels.push_back(one.label());
    std::ranges::sort(labels);
    return labels;
  }
  void expectSound() {
    const auto report = verifyStore(store(), {.level = VerifyOptions::Level::Rebuild}, {}, {});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_THAT(report->damages, IsEmpty());
  }
};

TEST_F(HeldTrash, KeepsWhatMendsADamagedVersion) {
  damageSecond();
  for (const bool dryRun : {true, false}) {
    const auto emptied = emptyTrash(store(), {.dryRun = dryRun});
    ASSERT_TRUE(emptied) << emptied.error().message;
    ASSERT_EQ(emptied->held.size(), 1U);
    EXPECT_EQ(emptied->held.front().label, "run:v2");
    EXPECT_EQ(emptied->held.front().damaged, "run:v5");
    ASSERT_EQ(emptied->versions.size(), 1U);
    EXPECT_EQ(emptied->versions.front().label(), "run:v1");
  }
  EXPECT_THAT(trashLabels(), ElementsAre("run:v2"));
  // What v2 stood on has lost its name alone.
  const auto mended = repairHere(store(), {}, {});
  ASSERT_TRUE(mended) << mended.error().message;
  ASSERT_EQ(mended->snapshots.mended.size(), 1U);
  EXPECT_EQ(mended->snapshots.mended.front().label, "run:v5");
  EXPECT_EQ(mended->snapshots.mended.front().from, "run:v2");
  EXPECT_TRUE(isWeightsOnly(*store().resolve("run:v5")));
  expectSound();
  const auto emptied = emptyTrash(store(), {});
  ASSERT_TRUE(emptied);
  EXPECT_THAT(emptied->held, IsEmpty());
  EXPECT_THAT(trashLabels(), IsEmpty());
  expectSound();
}

TEST_F(HeldTrash, KeepsWhatIsNamedToo) {
  damageSecond();
  const auto emptied = emptyTrash(store(), {.references = {"run:v2"}});
  ASSERT_TRUE(emptied) << emptied.error().message;
  EXPECT_EQ(emptied->held.size(), 1U);
  EXPECT_THAT(emptied->versions, IsEmpty());
  EXPECT_THAT(trashLabels(), ElementsAre("run:v1", "run:v2"));
}

TEST_F(HeldTrash, GoesWhereTheLossIsAccepted) {
  damageSecond();
  const auto emptied = emptyTrash(store(), {.acceptLost = true});
  ASSERT_TRUE(emptied) << emptied.error().message;
  EXPECT_THAT(emptied->held, IsEmpty());
  EXPECT_THAT(trashLabels(), IsEmpty());
}

TEST_F(HeldTrash, GoesWhereItMendsNothing) {
  damageSecond();
  damage(trashed(2), trashed(1));
  const auto emptied = emptyTrash(store(), {});
  ASSERT_TRUE(emptied) << emptied.error().message;
  EXPECT_THAT(emptied->held, IsEmpty());
  EXPECT_THAT(trashLabels(), IsEmpty());
}

/// The damage of the first is that of the second, which stands on it.
TEST_F(HeldTrash, MendsAWholeLine) {
  damage(*store().resolve("run:v4"), *store().resolve("run:v3"));
  const auto emptied = emptyTrash(store(), {});
  ASSERT_TRUE(emptied) << emptied.error().message;
  EXPECT_EQ(emptied->held.size(), 2U);
  const auto mended = repairHere(store(), {}, {});
  ASSERT_TRUE(mended) << mended.error().message;
  EXPECT_GE(mended->snapshots.mended.size(), 1U);
  EXPECT_THAT(mended->snapshots.failed, IsEmpty());
  expectSound();
}

TEST_F(HeldTrash, IsNamedByVerify) {
  damageSecond();
  const auto report = verifyStore(store(), {.level = VerifyOptions::Level::Full}, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_EQ(report->toAdd.size(), 1U);
  EXPECT_EQ(report->toAdd.front().label, "run:v5");
  EXPECT_EQ(report->toAdd.front().trashed, "run:v2");
}

}  // namespace
}  // namespace strata
