#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ops/care/collect_garbage.h"
#include "core/ops/care/verify_store.h"
#include "core/ops/versions/operation_history.h"
#include "core/ops/versions/recode_version.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/trash.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Versions that stand on removed ones.
class GcRecode : public test::StoreFixture {
 protected:
  using Models = std::vector<std::unique_ptr<test::MemoryModel>>;

  /// run:v1 to run:vN: each a difference to the one before.
  Models addChain(std::size_t count) {
    Models models;
    const test::MemoryModel* last = base_.get();
    for (std::size_t i = 0; i < count; ++i) {
      models.push_back(test::makeTuned(*last, 10 + static_cast<unsigned>(i), 0.1));
      last = models.back().get();
      AddOptions options{.name = "run"};
      options.chain = ChainPolicy::Always;
      add(*last, options);
    }
    return models;
  }

  /// To be kept for what stands on them alone.
  void removeForGood(std::vector<std::string> references) {
    const auto report = removeVersions(store(), {.references = std::move(references), .now = true});
    ASSERT_TRUE(report) << report.error().message;
  }

  GarbageReport collect(bool dryRun, bool recode = true) {
    const auto report = collectGarbage(store(), {.dryRun = dryRun, .recode = recode}, {});
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(GarbageReport{});
  }

  std::size_t unlistedCount() {
    const auto trashed = store().catalog().versions(Place::Trash);
    return static_cast<std::size_t>(
        std::count_if(trashed->begin(), trashed->end(),
                      [](const VersionEntry& version) { return version.isUnlisted; }));
  }

  /// What the dry run says is what happens.
  GarbageReport collectAsForetold() {
    const std::uint64_t before = bytesOnDisk();
    const GarbageReport dry = collect(true);
    EXPECT_EQ(bytesOnDisk(), before);
    const GarbageReport done = collect(false);
    EXPECT_EQ(done.freedBytes, dry.freedBytes);
    EXPECT_EQ(done.freed.size(), dry.freed.size());
    EXPECT_EQ(done.writtenBytes, dry.writtenBytes);
    EXPECT_EQ(labels(done), labels(dry));
    EXPECT_EQ(bytesOnDisk(), before - done.freedBytes + done.writtenBytes);
    EXPECT_LE(bytesOnDisk(), before);
    return done;
  }

  static std::vector<std::string> labels(const GarbageReport& report) {
    std::vector<std::string> all;
    for (const RecodedVersion& one : report.recoded) {
      all.push_back(one.version.label() + " on " +
                    (one.parentLabel.empty() ? "none" : one.parentLabel));
    }
    return all;
  }

  void expectSound() {
    const auto report = verifyStore(store(), {.level = VerifyOptions::Level::Rebuild}, {}, {});
    ASSERT_TRUE(report) << report.error().message;
    for (const Damage& damage : report->damages) ADD_FAILURE() << damage.reason;
    EXPECT_TRUE(report->unnamed.empty());
    EXPECT_EQ(test::entryCount(storeFolder() / "tmp"), 0U);
    EXPECT_THAT(collect(true).recoded, IsEmpty());
  }

  const std::unique_ptr<test::MemoryModel> base_ = test::makeModel(1);
};

TEST_F(GcRecode, CodesTheEndOfAChainAgainstItsBase) {
  import("base", *base_);
  const Models models = addChain(4);
  removeForGood({"run:v1", "run:v2", "run:v3"});
  const GarbageReport told = collect(true, false);
  EXPECT_EQ(told.standingVersions, 3U);
  EXPECT_GT(told.standingBytes, 0U);
  EXPECT_THAT(told.freed, IsEmpty());
  EXPECT_THAT(labels(collectAsForetold()), ElementsAre("run:v4 on base:v1"));
  EXPECT_EQ(unlistedCount(), 0U);
  EXPECT_TRUE(comesBack("run:v4", *models.back()));
  reopen();
  EXPECT_TRUE(comesBack("run:v4", *models.back()));
  expectSound();
}

TEST_F(GcRecode, StoresTheFirstInFullWhereTheBaseWasRemoved) {
  import("base", *base_);
  const auto one = test::makeTuned(*base_, 20, 0.1);
  const auto two = test::makeTuned(*base_, 21, 0.1);
  add("one", *one, "base");
  add("two", *two, "base");
  removeForGood({"base"});
  EXPECT_THAT(labels(collectAsForetold()), ElementsAre("one:v1 on none", "two:v1 on one:v1"));
  EXPECT_EQ(unlistedCount(), 0U);
  EXPECT_TRUE(comesBack("one", *one));
  EXPECT_TRUE(comesBack("two", *two));
  expectSound();
}

TEST_F(GcRecode, TakesVersionsOfTheTrashAndTheSameObjectsAlong) {
  import("base", *base_);
  const Models models = addChain(2);
  add("copy", *models[1]);
  removeForGood({"run:v1"});
  ASSERT_TRUE(removeVersions(store(), {.references = {"run:v2"}}));
  EXPECT_EQ(collectAsForetold().recoded.size(), 1U);
  EXPECT_EQ(unlistedCount(), 0U);
  EXPECT_TRUE(comesBack("copy", *models[1]));
  ASSERT_TRUE(restoreFromTrash(store(), {"run:v2"}));
  EXPECT_TRUE(comesBack("run:v2", *models[1]));
  expectSound();
}

TEST_F(GcRecode, LeavesWhatALossyVersionStandsOn) {
  import("base", *base_);
  const Models models = addChain(2);
  AddOptions options{.name = "small"};
  options.baseChoice = BaseChoice::Reference;
  options.base = "run:v1";
  options.quantize = QuantizeSettings{};
  add(*models[1], options);
  const std::string bytes = test::restoredBytes(store(), "small").value_or("not restored");
  removeForGood({"run:v1"});
  EXPECT_EQ(collect(true, false).standingVersions, 0U);
  const GarbageReport report = collectAsForetold();
  EXPECT_THAT(report.recoded, IsEmpty());
  EXPECT_THAT(report.freed, IsEmpty());
  EXPECT_EQ(unlistedCount(), 1U);
  EXPECT_EQ(test::restoredBytes(store(), "small").value_or(""), bytes);
  EXPECT_TRUE(comesBack("run:v2", *models[1]));
  expectSound();
}

TEST_F(GcRecode, LeavesWhatWouldFreeNothing) {
  import("base", *base_);
  // All that the removed version changed is changed in each of them: twice what it takes.
  const auto middle = test::makeTuned(*base_, 30, 1.0);
  add("middle", *middle, "base");
  Models models;
  for (unsigned i = 0; i < 6; ++i) {
    models.push_back(test::makeTuned(*middle, 40 + i, 0.5));
    add("tuned" + std::to_string(i), *models.back(), "middle");
  }
  removeForGood({"middle"});
  EXPECT_EQ(collect(true, false).standingVersions, 1U);
  const GarbageReport report = collectAsForetold();
  EXPECT_THAT(report.recoded, IsEmpty());
  EXPECT_EQ(report.writtenBytes, 0U);
  EXPECT_EQ(unlistedCount(), 1U);
  for (std::size_t i = 0; i < models.size(); ++i) {
    EXPECT_TRUE(comesBack("tuned" + std::to_string(i), *models[i]));
  }
  expectSound();
}

TEST_F(GcRecode, CanBeGoneBackOver) {
  import("base", *base_);
  const Models models = addChain(3);
  removeForGood({"run:v1"});
  ASSERT_TRUE(removeVersions(store(), {.references = {"run:v3"}}));
  ASSERT_EQ(collect(false).recoded.size(), 1U);
  // What was coded anew is no change of a version: the removal before it goes back.
  const auto undone = undoOperation(store(), {});
  ASSERT_TRUE(undone) << undone.error().message;
  EXPECT_EQ(undone->operation.kind, "remove");
  EXPECT_TRUE(comesBack("run:v3", *models[2]));
  const auto again = undoOperation(store(), {.again = true});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_FALSE(store().resolve("run:v3"));
  expectSound();
}

/// A coding from before lies in the store still, and the recoding comes to it again.
TEST_F(GcRecode, KeepsWhatEarlierRecodesLeftAndItComesToAgain) {
  import("base", *base_);
  const Models models = addChain(2);
  for (const RecodeBase base : {RecodeBase::None, RecodeBase::Reference}) {
    for (const char* reference : {"run:v1", "run:v2"}) {
      const RecodeOptions options{
          .reference = reference, .baseChoice = base, .base = "base", .force = true};
      const auto recoded = recodeVersion(store(), options, {}, {});
      ASSERT_TRUE(recoded) << recoded.error().message;
    }
  }
  removeForGood({"base"});
  const GarbageReport report = collectAsForetold();
  EXPECT_FALSE(report.recoded.empty());
  EXPECT_TRUE(comesBack("run:v1", *models[0]));
  EXPECT_TRUE(comesBack("run:v2", *models[1]));
  expectSound();
}

}  // namespace
}  // namespace strata
