#include "core/ops/versions/operation_history.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/ops/care/collect_garbage.h"
#include "core/ops/care/rebuild_catalog.h"
#include "core/ops/care/verify_store.h"
#include "core/ops/versions/prune_versions.h"
#include "core/ops/versions/recode_version.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/rename_versions.h"
#include "core/ops/versions/tags.h"
#include "core/ops/versions/trash.h"
#include "core/store/catalog/catalog_sync.h"
#include "core/store/detail/sqlite.h"
#include "core/store/store_writer.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A base and three versions of one name.
class OperationHistory : public test::StoreFixture {
 protected:
  OperationHistory() : base_(test::makeModel(1)) {
    import("base", *base_);
    for (unsigned seed = 10; seed < 13; ++seed) addRun(seed);
  }

  void addRun(unsigned seed, std::vector<std::string> tags = {}) {
    models_.push_back(test::makeTuned(*base_, seed));
    AddOptions options;
    options.name = "run";
    options.chain = ChainPolicy::Never;
    options.tags = std::move(tags);
    add(*models_.back(), options);
  }

  /// "live:v1,v3(prod) trash:v2"
  std::string state() {
    std::string text;
    for (const Place place : {Place::Live, Place::Trash}) {
      text += place == Place::Live ? "live:" : " trash:";
      const auto versions = store().catalog().versionsOf("run", place);
      for (const VersionEntry& version : *versions) {
        text += fmt::format("v{}", version.number);
        for (const std::string& tag : version.tags) text += "(" + tag + ")";
        text += ' ';
      }
    }
    return text;
  }

  std::string undo(bool again = false, std::optional<std::int64_t> id = {}) {
    const auto done = undoOperation(store(), {.again = again, .id = id});
    return done ? done->operation.kind : "refused: " + done.error().message;
  }
  std::string redo() { return undo(true); }

  std::vector<std::string> history() {
    std::vector<std::string> lines;
    const auto operations = operationHistory(store(), {});
    EXPECT_TRUE(operations) << operations.error().message;
    for (const Operation& one : *operations) {
      lines.push_back(one.kind + " " + one.detail + (one.isUndone ? " (undone)" : ""));
    }
    return lines;
  }

  void damagePackOf(const std::string& reference) {
    const auto objects =
        store().catalog().objectsOf(store().resolve(reference).value().manifestDigest);
    for (const CatalogObject& object : *objects) {
      if (object.isManifest) continue;
      const fs::path file = store().objects().pathOf(object.digest);
      std::string bytes = test::readWhole(file);
      bytes[bytes.size() / 2] ^= 1;
      fs::permissions(file, fs::perms::owner_write, fs::perm_options::add);
      test::writeWhole(file, bytes);
      return;
    }
  }

  void expectSound() {
    const auto report = verifyStore(store(), {}, {}, {});
    ASSERT_TRUE(report) << report.error().message;
    for (const Damage& damage : report->damages) ADD_FAILURE() << damage.reason;
  }

  std::unique_ptr<test::MemoryModel> base_;
  std::vector<std::unique_ptr<test::MemoryModel>> models_;
};

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
      [&] { ASSERT_TRUE(pruneVersions(store(), {.names = {"run"}, .keep = {.last = 1}})); },
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
  EXPECT_THAT(undo(false, removed), HasSubstr("run:v3: came out of the trash since"));
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
    const auto pruned =
        pruneVersions(store(), {.names = {"scored"}, .keep = {.best = true}, .dryRun = dryRun});
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
  const auto expected = ElementsAre("v4: ", "v3: ", "v2: best accuracy 0.9", "v1: ");
  EXPECT_THAT(reasons(true), expected);
  EXPECT_THAT(reasons(false), expected);
  EXPECT_EQ(store().resolve("scored")->label(), "scored:v2");
  EXPECT_EQ(undo(), "prune");
  // Of equal ones the newest.
  addScored(34, {{"test", 0.90}});
  EXPECT_THAT(reasons(true), ElementsAre("v5: best accuracy 0.9", "v4: ", "v3: ", "v2: ", "v1: "));
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

TEST_F(OperationHistory, HoldsWhatAKilledWriterHadBegun) {
  // As if it had been killed between its change and the catalog.
  const std::string file = storeFolder() / "catalog.sqlite";
  store_.reset();
  const std::string catalog = test::readWhole(file);
  const auto forgetCatalog = [&] {
    store_.reset();
    for (const char* end : {"-wal", "-shm"}) fs::remove(file + end);
    test::writeWhole(file, catalog);
    test::writeWhole(storeFolder() / "lock", "1\nhost\n0\nstrata add\n");
    reopen();
    ASSERT_TRUE(store().lock("settle"));
  };
  reopen();
  addRun(20, {"fresh"});
  forgetCatalog();
  EXPECT_EQ(history().front(), "add run:v4");
  EXPECT_EQ(undo(), "add");
  EXPECT_EQ(state(), "live:v1 v2 v3  trash:v4(fresh) ");
  store_.reset();
  reopen();
  {
    const RefFolder& refs = store().refs();
    RefChange change{.versions = {*refs.readVersion("run", 1)}};
    change.versions[0].removedAt = currentTime();
    Operation operation = makeOperation("remove", "run:v1");
    addSteps(operation, refs, change);
    change.operation = serializeOperation(operation);
    ASSERT_TRUE(refs.writeChange(change));
  }
  ASSERT_TRUE(store().lock("settle"));
  EXPECT_EQ(history().front(), "remove run:v1");
  EXPECT_EQ(undo(), "remove");
  EXPECT_EQ(state(), "live:v1 v2 v3  trash:v4(fresh) ");
  expectSound();
}

TEST(OperationLog, KeepsTheLatestAndEachOnce) {
  const auto catalog = Catalog::createInMemory();
  ASSERT_TRUE(catalog);
  const auto logged = (*catalog)->transact([&]() -> Result<void> {
    Operation operation;
    for (std::size_t i = 0; i <= kMostOperations; ++i) {
      operation = makeOperation("tag", std::to_string(i));
      STRATA_TRY((*catalog)->log(operation));
    }
    return (*catalog)->log(operation);
  });
  ASSERT_TRUE(logged) << logged.error().message;
  const auto kept = (*catalog)->operations(0);
  ASSERT_EQ(kept->size(), kMostOperations);
  EXPECT_EQ(kept->front().detail, std::to_string(kMostOperations));
  EXPECT_EQ(kept->back().detail, "1");
}

TEST(OperationLog, KeepsAllThatALongCommandDidInOneEntry) {
  constexpr std::uint32_t kCount = 2000;
  const auto catalog = Catalog::createInMemory();
  ASSERT_TRUE(catalog);
  const auto logged = (*catalog)->transact([&]() -> Result<void> {
    STRATA_TRY((*catalog)->log(makeOperation("tag", "first")));
    for (std::uint32_t number = 1; number <= kCount; ++number) {
      Operation operation = makeOperation("add", "run:v" + std::to_string(number));
      operation.command = "one";
      VersionState made;
      made.where = VersionState::Where::Live;
      operation.versions.push_back({"run", number, {}, {}, made});
      STRATA_TRY((*catalog)->log(operation));
      STRATA_TRY((*catalog)->log(operation));  // each once
    }
    return {};
  });
  ASSERT_TRUE(logged) << logged.error().message;
  const auto all = (*catalog)->operations(0);
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 2U);
  EXPECT_EQ((*all)[1].detail, "first");
  ASSERT_EQ(all->front().versions.size(), kCount);
  EXPECT_EQ(all->front().versions.back().number, kCount);
  EXPECT_THAT(all->front().detail, ::testing::StartsWith("run:v1, run:v2, "));
  EXPECT_EQ((*catalog)->operations(1)->front().versions.size(), kCount);
}

TEST(OperationLog, KeepsTheLastStateOfWhatACommandChangedTwice) {
  const auto catalog = Catalog::createInMemory();
  ASSERT_TRUE(catalog);
  const auto logged = (*catalog)->transact([&]() -> Result<void> {
    for (const char* note : {"one", "two", "three"}) {
      for (const std::uint32_t number : {1U, 2U}) {
        Operation operation = makeOperation("note", "run:v" + std::to_string(number));
        operation.command = "same";
        VersionState after;
        after.where = VersionState::Where::Live;
        after.note = note;
        operation.versions.push_back({"run", number, {}, {}, after});
        STRATA_TRY((*catalog)->log(operation));
      }
    }
    return {};
  });
  ASSERT_TRUE(logged) << logged.error().message;
  const auto all = (*catalog)->operations(0);
  ASSERT_EQ(all->size(), 1U);
  EXPECT_EQ(all->front().detail, "run:v1, run:v2");
  ASSERT_EQ(all->front().versions.size(), 2U);
  for (const VersionStep& step : all->front().versions) EXPECT_EQ(step.after.note, "three");
}

TEST(OperationLog, IsNotDrivenOutByChecks) {
  const auto catalog = Catalog::createInMemory();
  ASSERT_TRUE(catalog);
  const auto logged = (*catalog)->transact([&]() -> Result<void> {
    STRATA_TRY((*catalog)->log(makeOperation("tag", "first")));
    for (std::size_t i = 0; i <= kMostOperations; ++i) {
      STRATA_TRY((*catalog)->log(makeOperation("verify", std::to_string(i))));
    }
    return {};
  });
  ASSERT_TRUE(logged) << logged.error().message;
  const auto kept = (*catalog)->operations(0);
  ASSERT_EQ(kept->size(), kMostOperations + 1);
  EXPECT_EQ(kept->back().detail, "first");
  EXPECT_EQ((*kept)[kept->size() - 2].detail, "1");
}

TEST_F(OperationHistory, OutlastsACatalogThatIsDamagedElsewhere) {
  const std::string before = state();
  undo();
  addRun(20);
  {
    const auto catalog =
        sqlite::Database::open(storeFolder() / "catalog.sqlite", sqlite::Database::Mode::Write);
    ASSERT_TRUE(
        catalog->run("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql ="
                     " 'CREATE INDEX finding_by_bytes ON finding(probe)'"
                     " WHERE name = 'finding_by_bytes'"));
  }
  const auto rebuilt = rebuildCatalog(storeFolder(), {}, {});
  ASSERT_TRUE(rebuilt) << rebuilt.error().message;
  EXPECT_TRUE(fs::exists(storeFolder() / "tmp" / "catalog.broken")) << "it was damaged";
  EXPECT_EQ(rebuilt->lostHistory, "");
  reopen();
  undo();
  ASSERT_TRUE(undoOperation(store(), {}));
  EXPECT_EQ(state(), "live:v1  trash:v2 v3 v4 ") << before;
}

TEST_F(OperationHistory, SaysWhyThereIsNoneAfterTheCatalogWasLost) {
  store_.reset();
  test::writeWhole(storeFolder() / "catalog.sqlite", "this is no database");
  const auto rebuilt = rebuildCatalog(storeFolder(), {}, {});
  ASSERT_TRUE(rebuilt) << rebuilt.error().message;
  EXPECT_THAT(rebuilt->lostHistory, HasSubstr("old catalog could not be read"));
  reopen();
  const auto undone = undoOperation(store(), {});
  ASSERT_FALSE(undone);
  EXPECT_EQ(undone.error().code, ErrorCode::NotFound);
  EXPECT_THAT(undone.error().message, HasSubstr("old catalog could not be read"));
  ASSERT_TRUE(rebuildCatalog(storeFolder(), {}, {}));
  reopen();
  EXPECT_FALSE(undoOperation(store(), {}));
}

TEST(OperationLog, RefusesAnEntryThatIsNone) {
  for (const char* text : {"", "{}", "[]", R"({"kind":1,"detail":"","at":0,"token":""})",
                           R"({"kind":"a","detail":"","at":0,"token":"","versions":[1]})",
                           R"({"kind":"a","detail":"","at":0,"token":"","tags":[{"before":1}]})"}) {
    const auto parsed = parseOperation(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::CorruptData);
  }
}

}  // namespace
}  // namespace strata
