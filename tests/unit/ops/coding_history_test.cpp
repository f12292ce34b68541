#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/ops/care/collect_garbage.h"
#include "core/ops/versions/recode_version.h"
#include "core/ops/versions/remove_versions.h"
#include "core/store/store_writer.h"
#include "tests/unit/ops/history_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using test::OperationHistory;
using ::testing::HasSubstr;

TEST_F(OperationHistory, TakesRecodingsBack) {
  ASSERT_TRUE(removeVersions(store(), {.references = {"run:v1"}}));
  const VersionEntry before = store().resolve("run:v2").value();
  const RecodeOptions flat{.reference = "run:v2", .baseChoice = RecodeBase::None, .force = true};
  ASSERT_TRUE(recodeVersion(store(), flat, {}, {}));
  const VersionEntry after = store().resolve("run:v2").value();
  ASSERT_TRUE(after.isBase());
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(undo(), "recode");
    EXPECT_EQ(store().resolve("run:v2")->manifestDigest, before.manifestDigest);
    EXPECT_EQ(store().resolve("run:v2")->storedBytes, before.storedBytes);
    EXPECT_TRUE(comesBack("run:v2", *models_[1]));
    expectSound();
    EXPECT_EQ(redo(), "recode");
    EXPECT_EQ(store().resolve("run:v2")->storedBytes, after.storedBytes);
    EXPECT_TRUE(comesBack("run:v2", *models_[1]));
    expectSound();
  }
  // What it takes is gone, and nothing is changed; what was done before it can be taken back.
  ASSERT_TRUE(collectGarbage(store(), {.dryRun = false}, {}));
  const std::string refused = undo();
  EXPECT_THAT(refused, HasSubstr("deleted since, as gc does"));
  EXPECT_THAT(refused, HasSubstr("takes an earlier one back: remove run:v1"));
  EXPECT_EQ(store().resolve("run:v2")->manifestDigest, after.manifestDigest);
  const auto operations = operationHistory(store(), {});
  const auto removal = std::find_if(operations->begin(), operations->end(),
                                    [](const Operation& one) { return one.kind == "remove"; });
  EXPECT_EQ(undo(false, removal->id), "remove");
  EXPECT_EQ(state(), "live:v1 v2 v3  trash:");
  expectSound();
}

TEST_F(OperationHistory, LeavesACodingThatDoesNotRestore) {
  const VersionEntry before = store().resolve("run:v2").value();
  const auto objects = store().catalog().objectsOf(before.manifestDigest).value();
  const RecodeOptions flat{.reference = "run:v2", .baseChoice = RecodeBase::None, .force = true};
  ASSERT_TRUE(recodeVersion(store(), flat, {}, {}));
  for (const CatalogObject& object : objects) {
    if (object.isManifest) continue;
    const fs::path file = store().objects().pathOf(object.digest);
    std::string bytes = test::readWhole(file);
    bytes[bytes.size() / 2] ^= 1;
    fs::permissions(file, fs::perms::owner_write, fs::perm_options::add);
    test::writeWhole(file, bytes);
  }
  EXPECT_THAT(undo(), HasSubstr("they are damaged"));
  EXPECT_TRUE(comesBack("run:v2", *models_[1]));
}

TEST_F(OperationHistory, SaysWhereACodingIsDamagedThatItWouldTake) {
  const VersionEntry before = store().resolve("run:v2").value();
  const RecodeOptions flat{.reference = "run:v2", .baseChoice = RecodeBase::None, .force = true};
  ASSERT_TRUE(recodeVersion(store(), flat, {}, {}));
  const fs::path file = store().objects().pathOf(before.manifestDigest);
  std::string bytes = test::readWhole(file);
  bytes[bytes.size() / 2] ^= 1;
  fs::permissions(file, fs::perms::owner_write, fs::perm_options::add);
  test::writeWhole(file, bytes);
  const std::string refused = undo();
  EXPECT_THAT(refused, HasSubstr("run:v2: what it was coded as then"));
  EXPECT_THAT(refused, ::testing::Not(HasSubstr("deleted since")));
  EXPECT_TRUE(comesBack("run:v2", *models_[1]));
}

TEST_F(OperationHistory, LeavesACodingThatStandsOnItself) {
  const RecodeOptions flat{.reference = "run:v2", .baseChoice = RecodeBase::None, .force = true};
  ASSERT_TRUE(recodeVersion(store(), flat, {}, {}));
  const std::int64_t recoded = operationHistory(store(), {})->front().id;
  const RecodeOptions base{
      .reference = "base", .baseChoice = RecodeBase::Reference, .base = "run:v2", .force = true};
  ASSERT_TRUE(recodeVersion(store(), base, {}, {}));
  EXPECT_THAT(undo(false, recoded), HasSubstr("run:v2: does not restore"));
  EXPECT_EQ(undo(), "recode");
  EXPECT_EQ(undo(), "recode");
  EXPECT_TRUE(comesBack("base", *base_));
  expectSound();
}

TEST_F(OperationHistory, TakesBackACodingThatWasReplacedSinceOnlyInItsOrder) {
  const RecodeOptions flat{.reference = "run:v2", .baseChoice = RecodeBase::None, .force = true};
  ASSERT_TRUE(recodeVersion(store(), flat, {}, {}));
  const std::int64_t recoded = operationHistory(store(), {})->front().id;
  const RecodeOptions back{
      .reference = "run:v2", .baseChoice = RecodeBase::Reference, .base = "run:v3", .force = true};
  ASSERT_TRUE(recodeVersion(store(), back, {}, {}));
  EXPECT_THAT(undo(false, recoded), HasSubstr("was coded anew since"));
  EXPECT_EQ(undo(), "recode");
  EXPECT_EQ(undo(), "recode");
  EXPECT_TRUE(comesBack("run:v2", *models_[1]));
}

}  // namespace
}  // namespace strata
