#include "core/ops/versions/operation_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "core/ops/versions/prune_versions.h"
#include "core/ops/versions/recode_version.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/rename_versions.h"
#include "core/ops/versions/tags.h"
#include "core/ops/versions/trash.h"
#include "core/store/store_writer.h"
#include "tests/unit/ops/history_fixture.h"

namespace strata {
namespace {

using test::OperationHistory;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(OperationHistory, TakesEachKindBackAndDoesItAgain) {
  const std::string before = state();
  const std::vector<std::function<void()>> operations{
      [&] { addRun(20, {"fresh"}); },
      [&] { ASSERT_TRUE(addTag(store(), {.reference = "run:v1", .tag = "prod"})); },
      [&] { ASSERT_TRUE(addTag(store(), {.reference = "run:v2", .tag = "prod", .move = true})); },
      [&] {
        ASSERT_TRUE(removeVersions(store(), {.references = {"run:v2", "run:v4"}}));
      },
      [&] { ASSERT_TRUE(restoreFromTrash(store(), {"run:v2"})); },
      [&] { ASSERT_TRUE(removeTag(store(), "run:prod")); },
      [&] { ASSERT_TRUE(pruneVersions(store(), {.names = {"run"}, .keep = {.last = 1}}, {}, {})); },
      [&] { ASSERT_TRUE(renameVersions(store(), {.name = "run", .newName = "walk"})); },
  };
  std::vector<std::string> states;
  for (const auto& operation : operations) {
    states.push_back(state());
    operation();
    expectSound();
  }
  states.push_back(state());
  for (std::size_t i = operations.size(); i-- > 0;) {
    EXPECT_THAT(undo(), ::testing::Not(HasSubstr("refused"))) << i;
    // What was added is in the trash.
    EXPECT_EQ(state(), i > 0 ? states[i] : "live:v1 v2 v3  trash:v4(fresh) ") << i;
    expectSound();
  }
  for (std::size_t i = 0; i < operations.size(); ++i) {
    EXPECT_THAT(redo(), ::testing::Not(HasSubstr("refused"))) << i;
    EXPECT_EQ(state(), states[i + 1]) << i;
    expectSound();
  }
  EXPECT_THAT(redo(), HasSubstr("nothing was taken back"));
}

TEST_F(OperationHistory, GivesAMovedTagBackToTheVersionThatHadIt) {
  ASSERT_TRUE(addTag(store(), {.reference = "run:v1", .tag = "prod", .note = "passed"}));
  addRun(20, {"prod"});
  EXPECT_EQ(undo(), "add");
  EXPECT_EQ(store().resolve("run:prod")->label(), "run:v1");
  EXPECT_EQ((*listTags(store(), "run"))[0].note, "passed");
  EXPECT_EQ(redo(), "add");
  EXPECT_EQ(store().resolve("run:prod")->label(), "run:v4");
}

TEST_F(OperationHistory, SaysWhatWasDone) {
  ASSERT_TRUE(removeVersions(store(), {.references = {"run:v1", "run:v2"}}));
  undo();
  EXPECT_THAT(history(), ElementsAre("undo remove run:v1, run:v2", "remove run:v1, run:v2 (undone)",
                                     "add run:v3", "add run:v2", "add run:v1", "add base:v1"));
  const auto latest = operationHistory(store(), {.limit = 2});
  EXPECT_THAT(stepTexts((*latest)[1]), ElementsAre("run:v1: to the trash", "run:v2: to the trash"));
}

TEST_F(OperationHistory, ForgetsWhatCouldBeDoneAgainOnceSomethingElseIsDone) {
  ASSERT_TRUE(removeVersions(store(), {.references = {"run:v1"}}));
  EXPECT_EQ(undo(), "remove");
  ASSERT_TRUE(addTag(store(), {.reference = "run:v1", .tag = "kept"}));
  EXPECT_THAT(redo(), HasSubstr("refused"));
  EXPECT_EQ(state(), "live:v1(kept) v2 v3  trash:");
  EXPECT_EQ(undo(), "tag");
  EXPECT_EQ(undo(), "add");
}

TEST_F(OperationHistory, DoesWhatTheLastUndoTookBackAgain) {
  ASSERT_TRUE(removeVersions(store(), {.references = {"run:v1"}}));
  EXPECT_EQ(undo(), "remove");
  ASSERT_TRUE(addTag(store(), {.reference = "run:v1", .tag = "kept"}));
  EXPECT_EQ(undo(), "tag");
  EXPECT_EQ(redo(), "tag");
  // The removal was taken back before the tag, which ended it.
  EXPECT_THAT(redo(), HasSubstr("nothing was taken back"));
  EXPECT_EQ(state(), "live:v1(kept) v2 v3  trash:");
  // By numbers, in any order: the last `undo` is the first to be done again.
  ASSERT_TRUE(addTag(store(), {.reference = "run:v2", .tag = "good"}));
  const std::int64_t tagged = operationHistory(store(), {})->front().id;
  ASSERT_TRUE(removeVersions(store(), {.references = {"run:v3"}}));
  EXPECT_EQ(undo(), "remove");
  EXPECT_EQ(undo(false, tagged), "tag");
  EXPECT_EQ(redo(), "tag");
  EXPECT_EQ(redo(), "remove");
  EXPECT_EQ(state(), "live:v1(kept) v2(good)  trash:v3 ");
}

TEST_F(OperationHistory, SaysWhatUndoAndRedoAreAboutNow) {
  const auto next = [this](bool again) {
    const auto found = nextReversals(store());
    EXPECT_TRUE(found) << found.error().message;
    const auto& one = again ? found->redo : found->undo;
    return one ? one->kind + " " + one->detail : std::string();
  };
  ASSERT_TRUE(removeVersions(store(), {.references = {"run:v2"}}));
  EXPECT_EQ(next(false), "remove run:v2");
  EXPECT_EQ(next(true), "");
  ASSERT_TRUE(recodeVersion(
      store(), {.reference = "run:v1", .baseChoice = RecodeBase::None, .force = true}, {}, {}));
  EXPECT_EQ(next(false), "recode run:v1");
  EXPECT_EQ(undo(), "recode");
  EXPECT_EQ(next(false), "remove run:v2");
  EXPECT_EQ(undo(), "remove");
  EXPECT_EQ(next(false), "add run:v3");
  EXPECT_EQ(next(true), "remove run:v2");
  ASSERT_TRUE(renameVersions(store(), {.name = "run", .newName = "walk"}));
  EXPECT_EQ(next(false), "rename run to walk");
  EXPECT_EQ(next(true), "") << "another future began";
}

/// It is not said to be taken away: nobody did that.
TEST_F(OperationHistory, SaysWhereARenameTookATag) {
  ASSERT_TRUE(renameVersions(store(), {.name = "run", .newName = "walk"}));
  const std::int64_t renamed = operationHistory(store(), {})->front().id;
  ASSERT_TRUE(addTag(store(), {.reference = "walk:v1", .tag = "new"}));
  EXPECT_EQ(undo(false, renamed), "rename");
  EXPECT_THAT(undo(), HasSubstr("the tag walk:new went to run since"));
  EXPECT_EQ(store().resolve("run:new")->number, 1U);
}

TEST_F(OperationHistory, SaysWhatTakingBackChanges) {
  ASSERT_TRUE(addTag(store(), {.reference = "run:v1", .tag = "prod"}));
  ASSERT_TRUE(removeVersions(store(), {.references = {"run:v1"}}));
  for (const bool dryRun : {true, false}) {
    const auto back = undoOperation(store(), {.dryRun = dryRun});
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_THAT(back->changes, ElementsAre("run:v1: out of the trash", "tag run:prod: none -> v1"));
  }
  const auto untagged = undoOperation(store(), {});
  EXPECT_THAT(untagged->changes, ElementsAre("tag run:prod: v1 -> none"));
  ASSERT_TRUE(undoOperation(store(), {}));
  const auto added = undoOperation(store(), {.again = true});
  EXPECT_THAT(added->changes, ElementsAre("run:v3: out of the trash"));
  ASSERT_TRUE(renameVersions(store(), {.name = "run", .newName = "walk"}));
  EXPECT_THAT(undoOperation(store(), {})->changes, ElementsAre("name walk -> run"));
}

TEST_F(OperationHistory, NamesAnEarlierOperationWhereTheLastIsGone) {
  ASSERT_TRUE(addTag(store(), {.reference = "run:v1", .tag = "prod"}));
  const std::int64_t tagged = operationHistory(store(), {})->front().id;
  ASSERT_TRUE(removeVersions(store(), {.references = {"run:v3"}, .now = true}));
  const auto operations = operationHistory(store(), {});
  EXPECT_EQ(operations->front().kind, "remove --now");
  EXPECT_FALSE(canTakeBack(store(), (*operations)[1]));
  EXPECT_TRUE(canTakeBack(store(), (*operations)[2]));
  EXPECT_THAT(undo(),
              HasSubstr(fmt::format("\"strata undo {}\" takes an earlier one back: tag", tagged)));
  EXPECT_EQ(undo(false, tagged), "tag");
}

TEST_F(OperationHistory, RefusesWhatIsGone) {
  ASSERT_TRUE(removeVersions(store(), {.references = {"run:v1", "run:v2"}}));
  ASSERT_TRUE(emptyTrash(store(), {}));
  const std::string before = state();
  const auto refused = undoOperation(store(), {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::NotFound);
  EXPECT_THAT(refused.error().message, HasSubstr("run:v1: was deleted for good"));
  EXPECT_EQ(state(), before);
  // A nameless parent is gone by name, too.
  ASSERT_TRUE(removeVersions(store(), {.references = {"base"}}));
  ASSERT_TRUE(emptyTrash(store(), {}));
  EXPECT_THAT(undo(), HasSubstr("base:v1: was deleted for good"));
}

TEST_F(OperationHistory, RefusesWhatWasChangedSince) {
  ASSERT_TRUE(addTag(store(), {.reference = "run:v1", .tag = "prod"}));
  const std::int64_t tagged = operationHistory(store(), {})->front().id;
  ASSERT_TRUE(addTag(store(), {.reference = "run:v2", .tag = "prod", .move = true}));
  EXPECT_THAT(undo(false, tagged), HasSubstr("the tag run:prod was moved since"));
  ASSERT_TRUE(removeVersions(store(), {.references = {"run:v3"}}));
  const std::int64_t removed = operationHistory(store(), {})->front().id;
  ASSERT_TRUE(restoreFromTrash(store(), {"run:v3"}));
  EXPECT_THAT(undo(false, removed),
              HasSubstr("run:v3: came back since, out of the trash or by a pull"));
  EXPECT_THAT(undo(false, 4711), HasSubstr("there is no operation 4711"));
  EXPECT_EQ(state(), "live:v1 v2(prod) v3  trash:");
}

TEST_F(OperationHistory, TakesAnEarlierOperationBackByItsNumber) {
  ASSERT_TRUE(removeVersions(store(), {.references = {"run:v1"}}));
  const std::int64_t removed = operationHistory(store(), {})->front().id;
  ASSERT_TRUE(addTag(store(), {.reference = "run:v2", .tag = "prod"}));
  EXPECT_EQ(undo(false, removed), "remove");
  EXPECT_EQ(state(), "live:v1 v2(prod) v3  trash:");
  EXPECT_THAT(undo(false, removed), HasSubstr("taken back already"));
}

TEST_F(OperationHistory, HasOneEntryForAllThatACommandAdds) {
  const auto addAll = [&](unsigned first, const std::string& command) {
    for (unsigned seed = first; seed < first + 3; ++seed) {
      models_.push_back(test::makeTuned(*base_, seed));
      AddOptions options{.name = "run", .chain = ChainPolicy::Never, .command = command};
      if (seed == first + 2) options.tags = {"last"};
      add(*models_.back(), options);
    }
  };
  addAll(30, "one");
  EXPECT_EQ(history()[0], "add run:v4, run:v5, run:v6");
  EXPECT_EQ(history()[1], "add run:v3");
  EXPECT_EQ(undo(), "add");
  EXPECT_EQ(state(), "live:v1 v2 v3  trash:v4 v5 v6(last) ");
  EXPECT_EQ(redo(), "add");
  EXPECT_EQ(state(), "live:v1 v2 v3 v4 v5 v6(last)  trash:");
  addAll(40, "another");
  EXPECT_EQ(history()[0], "add run:v7, run:v8, run:v9");
  EXPECT_EQ(undo(), "add");
  EXPECT_EQ(undo(), "add");
  EXPECT_EQ(state(), "live:v1 v2 v3  trash:v4 v5 v6(last) v7 v8 v9 ");
  expectSound();
}

TEST_F(OperationHistory, KeepsWhatACommandAddedApartFromWhatItRepaired) {
  const auto addOne = [&](const std::string& name, const ModelSource& model) {
    add(model, {.name = name, .chain = ChainPolicy::Never, .command = "one"});
  };
  damagePackOf("run:v1");
  damagePackOf("run:v2");
  ASSERT_TRUE(addTag(store(), {.reference = "run:v3", .tag = "prod"}));
  addOne("first", *models_[0]);  // repairs run:v1 first
  addOne("second", *models_[1]);
  EXPECT_THAT(history(),
              ElementsAre("repair run:v2", "add first:v1, second:v1", "repair run:v1",
                          "tag run:prod", "add run:v3", "add run:v2", "add run:v1", "add base:v1"));
  EXPECT_EQ(undo(), "add");
  EXPECT_EQ(state(), "live:v1 v2 v3(prod)  trash:");
  EXPECT_FALSE(store().resolve("first"));
  EXPECT_FALSE(store().resolve("second"));
  EXPECT_EQ(undo(), "tag");
  expectSound();
}

TEST_F(OperationHistory, BeginsAnewAfterWhatOthersDidMeanwhile) {
  const auto addOne = [&](unsigned seed) {
    models_.push_back(test::makeTuned(*base_, seed));
    add(*models_.back(), {.name = "run", .chain = ChainPolicy::Never, .command = "one"});
  };
  addOne(30);
  ASSERT_TRUE(addTag(store(), {.reference = "run:v1", .tag = "prod"}));
  addOne(31);
  EXPECT_EQ(history()[0], "add run:v5");
  EXPECT_EQ(undo(), "add");
  addOne(32);  // what was taken back is no part of what goes on
  EXPECT_EQ(history()[0], "add run:v6");
  EXPECT_EQ(undo(), "add");
  EXPECT_EQ(state(), "live:v1(prod) v2 v3 v4  trash:v5 v6 ");
  expectSound();
}

TEST_F(OperationHistory, KeepsTheBestByTheScoresThatWereStored) {
  // As `add --evaluator` and `tune` store them: a score on data of the test counts first.
  const auto addScored = [&](unsigned seed,
                             const std::vector<std::pair<const char*, double>>& all) {
    AddOptions options;
    options.name = "scored";
    options.chain = ChainPolicy::Never;
    options.quantize = QuantizeSettings{};
    for (const auto& [data, score] : all) {
      QualityScore& one = options.quality.emplace_back();
      one.data = data;
      one.metric = "accuracy";
      one.reference = 0.95;
      one.score = score;
    }
    add(*test::makeTuned(*base_, seed), options);
  };
  const auto reasons = [&](bool dryRun) {
    std::vector<std::string> lines;
    const auto pruned = pruneVersions(
        store(), {.names = {"scored"}, .keep = {.best = true}, .dryRun = dryRun}, {}, {});
    EXPECT_TRUE(pruned) << pruned.error().message;
    for (const PruneReport::Row& row : pruned->rows) {
      lines.push_back(fmt::format("v{}: {}", row.version.number, fmt::join(row.reasons, ", ")));
    }
    return lines;
  };
  addScored(30, {{"choice", 0.94}, {"test", 0.80}});
  addScored(31, {{"test", 0.90}, {"choice", 0.70}});
  addScored(32, {{"choice", 0.85}});
  addScored(33, {});
  const auto expected = ElementsAre("v4: ", "v3: ", "v2: best accuracy 0.9 (max)", "v1: ");
  EXPECT_THAT(reasons(true), expected);
  EXPECT_THAT(reasons(false), expected);
  EXPECT_EQ(store().resolve("scored")->label(), "scored:v2");
  EXPECT_EQ(undo(), "prune");
  // Of equal ones the newest.
  addScored(34, {{"test", 0.90}});
  EXPECT_THAT(reasons(true),
              ElementsAre("v5: best accuracy 0.9 (max)", "v4: ", "v3: ", "v2: ", "v1: "));
}

TEST_F(OperationHistory, TriesWithoutChangingAnything) {
  ASSERT_TRUE(removeVersions(store(), {.references = {"run:v1"}}));
  const std::string before = state();
  const auto tried = undoOperation(store(), {.dryRun = true});
  ASSERT_TRUE(tried) << tried.error().message;
  EXPECT_EQ(tried->operation.kind, "remove");
  EXPECT_EQ(state(), before);
  ASSERT_TRUE(emptyTrash(store(), {}));
  EXPECT_FALSE(undoOperation(store(), {.dryRun = true}));
}

}  // namespace
}  // namespace strata
