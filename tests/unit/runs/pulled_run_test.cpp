// Runs that go to a remote and come back.
#include <gmock/gmock.h>

#include "core/ops/exchange/fetch_remote.h"
#include "core/ops/exchange/pull_versions.h"
#include "core/ops/exchange/push_versions.h"
#include "core/ops/exchange/remote_difference.h"
#include "core/ops/versions/prune_versions.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/rename_versions.h"
#include "core/ops/versions/trash.h"
#include "hub/folder/folder_transport.h"
#include "tests/unit/runs/run_fixture.h"

namespace strata {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class PulledRun : public test::RunFixture {
 protected:
  void SetUp() override {
    test::RunFixture::SetUp();
    for (const std::uint64_t step : {10U, 20U, 30U}) {
      writeCheckpoint(step);
      ASSERT_TRUE(snapshot(step));
    }
    ASSERT_TRUE(push());
  }
  Result<PushReport> push() { return pushVersions(store(), remote_, {.keptAs = "hub"}, {}, {}); }
  PullReport pull(const PullOptions& how = {}) {
    PullOptions options = how;
    options.keptAs = "hub";
    const auto pulled = pullVersions(store(), remote_, options, {}, {});
    EXPECT_TRUE(pulled) << pulled.error().message;
    return pulled.value_or(PullReport{});
  }
  void keepOneOptimizer() {
    const auto done = pruneVersions(store(), {.names = {"run"}, .keepOptimizer = 1}, {}, {});
    ASSERT_TRUE(done) << done.error().message;
    ASSERT_EQ(done->optimizers.dropped.size(), 2U);
  }
  std::uint64_t toPull() {
    EXPECT_TRUE(fetchRemote(store(), remote_, "hub", {}));
    return remoteDifference(store(), "hub").value()->toPull;
  }

  hub::FolderTransport remote_{folder_ / "remote"};
};

TEST_F(PulledRun, BringsNoOptimizerBackThatWasLeftOutHere) {
  keepOneOptimizer();
  const std::vector<std::string> kept = versions();
  for (const bool isPushed : {false, true}) {
    if (isPushed) {
      ASSERT_TRUE(push());
    }
    EXPECT_EQ(toPull(), 0U);
    EXPECT_THAT(pull({.dryRun = true}).pulled, IsEmpty());
    const PullReport pulled = pull();
    EXPECT_THAT(pulled.pulled, IsEmpty());
    EXPECT_THAT(pulled.problems, ElementsAre(HasSubstr("run:v1 and 1 more: the optimizer was left "
                                                       "out here")));
    EXPECT_EQ(versions(), kept);
    ASSERT_TRUE(emptyTrash(store(), {}));
  }
  // Who asks for it by name gets it.
  EXPECT_THAT(pull({.references = {"run:v1"}}).pulled, SizeIs(1));
  EXPECT_THAT(versions(), Contains("run:v1"));
  EXPECT_THAT(pull().problems, ElementsAre(HasSubstr("run:v2: the optimizer was left out here")));
}

TEST_F(PulledRun, KnowsThemUnderAnotherNameToo) {
  keepOneOptimizer();
  ASSERT_TRUE(emptyTrash(store(), {}));
  ASSERT_TRUE(renameVersions(store(), {.name = "run", .newName = "old"}));
  EXPECT_EQ(toPull(), 0U);
  const PullReport pulled = pull();
  EXPECT_THAT(pulled.pulled, IsEmpty());
  EXPECT_THAT(store().catalog().versionsOf("run").value(), IsEmpty());
}

/// What has the place of a snapshot may itself be removed: then nothing does.
TEST_F(PulledRun, BringsThemWhereNothingHasTheirPlace) {
  keepOneOptimizer();
  ASSERT_TRUE(removeVersions(store(), {.references = {"run:step-10"}}));
  const PullReport pulled = pull();
  ASSERT_THAT(pulled.pulled, SizeIs(1));
  EXPECT_EQ(pulled.pulled[0].version.label(), "run:v1");
}

}  // namespace
}  // namespace strata
