#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ops/care/rebuild_catalog.h"
#include "core/store/catalog/catalog_sync.h"
#include "core/store/detail/sqlite.h"
#include "core/store/store_writer.h"
#include "tests/unit/ops/history_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using test::OperationHistory;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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
