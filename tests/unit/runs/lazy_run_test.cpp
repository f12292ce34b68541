// Runs whose snapshots were pulled without their packs.
#include <gmock/gmock.h>

#include "core/ops/exchange/pull_versions.h"
#include "core/ops/exchange/push_versions.h"
#include "core/ops/runs/resume_run.h"
#include "hub/folder/folder_transport.h"
#include "tests/unit/runs/run_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LazyRun : public test::RunFixture {
 protected:
  void SetUp() override {
    test::RunFixture::SetUp();
    for (const std::uint64_t step : {10U, 20U, 30U}) {
      writeCheckpoint(step);
      ASSERT_TRUE(snapshot(step));
    }
    ASSERT_TRUE(pushVersions(store(), remote_, {.keptAs = "hub"}, {}, {}));
    auto made = Store::create(folder_ / "theirs");
    ASSERT_TRUE(made) << made.error().message;
    theirs_ = std::move(*made);
    const auto pulled = pullVersions(*theirs_, remote_, {.lazy = true, .keptAs = "hub"}, {}, {});
    ASSERT_TRUE(pulled) << pulled.error().message;
  }
  Result<void> fetch(const VersionEntry& version) {
    asked_.push_back(version.label());
    STRATA_TRY(const PullReport pulled,
               pullVersions(*theirs_, remote_,
                            {.references = {version.label()}, .packsOnly = true, .keptAs = "hub"},
                            {}, {}));
    if (!pulled.failed.empty()) return fail(pulled.failed.front().error);
    return {};
  }
  Result<SnapshotReport> takeThere(std::uint64_t step) {
    writeCheckpoint(step);
    return takeSnapshot(*theirs_, tools_,
                        {.add = {.name = "run"},
                         .path = checkpoint(step),
                         .isWatched = true,
                         .fetch = [this](const auto& version) { return fetch(version); }},
                        {}, {});
  }

  hub::FolderTransport remote_{folder_ / "remote"};
  std::unique_ptr<Store> theirs_;
  std::vector<std::string> asked_;
};

TEST_F(LazyRun, FetchesWhatTheNextSnapshotStandsOn) {
  const auto taken = takeThere(40);
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_EQ(taken->added.version.parentDigest, theirs_->resolve("run:v3")->contentDigest);
  EXPECT_THAT(asked_, ElementsAre("run:v3"));
  ASSERT_TRUE(takeThere(50));
  EXPECT_THAT(asked_, ElementsAre("run:v3")) << "it is here now";
  EXPECT_TRUE(
      restoreVersion(*theirs_, {.reference = "run:v5", .target = folder_ / "back"}, {}, {}));
  EXPECT_EQ(test::filesBelow(folder_ / "back"), test::filesBelow(checkpoint(50)));
}

TEST_F(LazyRun, IsResumedAndSaysWhosePacksAreAwaited) {
  const CheckpointTools& tools = tools_;
  ResumeOptions options{.run = "run", .target = folder_ / "again"};
  const auto unfetched = resumeRun(*theirs_, tools, options, {}, {});
  ASSERT_FALSE(unfetched);
  EXPECT_EQ(unfetched.error().code, ErrorCode::NotFound);
  EXPECT_THAT(unfetched.error().message, HasSubstr("the packs of run:v"));
  options.fetch = [this](const auto& version) { return fetch(version); };
  const auto resumed = resumeRun(*theirs_, tools, options, {}, {});
  ASSERT_TRUE(resumed) << resumed.error().message;
  EXPECT_EQ(resumed->state.step, 30U);
  EXPECT_THAT(resumed->passed, IsEmpty());
  EXPECT_EQ(test::filesBelow(folder_ / "again"), test::filesBelow(checkpoint(30)));
}

}  // namespace
}  // namespace strata
