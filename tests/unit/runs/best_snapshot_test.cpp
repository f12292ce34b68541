#include <gmock/gmock.h>

#include "core/ops/versions/prune_versions.h"
#include "tests/unit/runs/run_fixture.h"

namespace strata {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class BestSnapshot : public test::RunFixture {
 protected:
  /// A snapshot whose trainer has logged this, and says so of the best.
  void take(std::uint64_t step, const std::string& log, const std::string& said = "") {
    writeCheckpoint(step);
    test::writeWhole(
        checkpoint(step) / "trainer_state.json",
        R"({"global_step": )" + std::to_string(step) + said + R"(, "log_history": [)" + log + "]}");
    const auto taken = snapshot(step);
    ASSERT_TRUE(taken) << taken.error().message;
  }
  /// The labels of those that stay.
  std::vector<std::string> kept(const std::string& metric = "") {
    const auto pruned = pruneVersions(
        store(), {.names = {"run"}, .keep = {.best = true, .metric = metric}, .dryRun = true}, {},
        {});
    EXPECT_TRUE(pruned) << pruned.error().message;
    std::vector<std::string> labels;
    if (!pruned) return labels;
    for (const PruneReport::Row& row : pruned->rows) {
      if (!row.reasons.empty()) labels.push_back(row.version.label());
    }
    return labels;
  }
};

TEST_F(BestSnapshot, HasTheScoreOfItsOwnStep) {
  const std::string first = R"({"eval_f1": 0.7, "step": 10})";
  take(10, first);
  take(20, first);  // nothing was evaluated since
  take(30, first + R"(, {"eval_f1": 0.6, "step": 30})");
  EXPECT_THAT(kept(), ElementsAre("run:v1"));
}

TEST_F(BestSnapshot, IsTheWayTheTrainerSays) {
  const std::string said = R"(, "metric_for_best_model": "gap", "greater_is_better": false)";
  take(10, R"({"eval_gap": 5, "eval_loss": 0.1, "step": 10})", said);
  take(20, R"({"eval_gap": 3, "eval_loss": 0.2, "step": 20})", said);
  EXPECT_THAT(kept(), ElementsAre("run:v2"));
  EXPECT_THAT(kept("eval_gap=max"), ElementsAre("run:v1"));
  EXPECT_THAT(kept("loss"), ElementsAre("run:v1")) << "less of a loss is better";
}

TEST_F(BestSnapshot, IsTheLeastOfWhatIsALossByItsName) {
  const auto log = [](double score, int step) {
    return R"({"eval_ppl": )" + std::to_string(score) + R"(, "eval_gap": 1, "step": )" +
           std::to_string(step) + "}";
  };
  take(10, log(3, 10));
  take(20, log(3, 10) + "," + log(1, 20));
  take(30, log(3, 10) + "," + log(1, 20) + "," + log(2, 30));
  EXPECT_THAT(kept(), ElementsAre("run:v2"));
  const auto pruned =
      pruneVersions(store(), {.names = {"run"}, .keep = {.best = true}, .dryRun = true}, {}, {});
  ASSERT_TRUE(pruned && pruned->best.size() == 1);
  EXPECT_EQ(pruned->best[0].metric, "eval_ppl");
  EXPECT_FALSE(pruned->best[0].isMoreBetter);
  EXPECT_THAT(pruned->rows[1].reasons, ElementsAre("best eval_ppl 1 (min)"));
}

/// Half of the guesses would keep the worst.
TEST_F(BestSnapshot, IsNotGuessedWhereNothingSaysWhatIsBetter) {
  take(10, R"({"eval_gap": 3, "step": 10})");
  take(20, R"({"eval_gap": 5, "step": 20})");
  for (const std::string metric : {"", "eval_gap", "gap"}) {
    const auto pruned = pruneVersions(
        store(), {.names = {"run"}, .keep = {.best = true, .metric = metric}, .dryRun = true}, {},
        {});
    ASSERT_FALSE(pruned) << metric;
    EXPECT_EQ(pruned.error().code, ErrorCode::InvalidArgument);
    EXPECT_THAT(pruned.error().message, HasSubstr("--metric eval_gap=min"));
  }
  EXPECT_THAT(kept("gap=min"), ElementsAre("run:v1"));
  EXPECT_THAT(kept("eval_gap=max"), ElementsAre("run:v2"));
}

TEST_F(BestSnapshot, IsNoneWithoutAScore) {
  take(10, R"({"loss": 0.5, "step": 10})");
  const auto pruned =
      pruneVersions(store(), {.names = {"run"}, .keep = {.best = true}, .dryRun = true}, {}, {});
  ASSERT_FALSE(pruned);
  EXPECT_EQ(pruned.error().code, ErrorCode::InvalidArgument);
  EXPECT_THAT(pruned.error().message, HasSubstr("trainer_state.json"));
}

}  // namespace
}  // namespace strata
