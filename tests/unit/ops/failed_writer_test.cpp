#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/ops/care/verify_store.h"
#include "core/ops/inspect/list_versions.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/rename_versions.h"
#include "core/ops/versions/tags.h"
#include "core/ops/versions/trash.h"
#include "core/store/detail/sqlite.h"
#include "core/store/store_writer.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

/// Changes of which a step fails: each is done, or it is not.
class FailedWriter : public test::StoreFixture {
 protected:
  FailedWriter() : base_(test::makeModel(1)), tuned_(test::makeTuned(*base_, 10)) {
    import("base", *base_);
    AddOptions options{.name = "sst2"};
    options.tags = {"prod"};
    add(*tuned_, options);
  }

  /// From here on no operation gets into the catalog.
  void breakCatalog() {
    run("CREATE TRIGGER broken BEFORE INSERT ON operations WHEN NEW.kind != 'settle' "
        "BEGIN SELECT RAISE(ABORT, 'broken'); END");
  }
  void mendCatalog() { run("DROP TRIGGER broken"); }

  void run(const char* sql) {
    const auto database =
        sqlite::Database::open(storeFolder() / "catalog.sqlite", sqlite::Database::Mode::Write);
    ASSERT_TRUE(database) << database.error().message;
    const auto done = database->run(sql);
    ASSERT_TRUE(done) << done.error().message;
  }

  std::vector<std::string> labels(Place place = Place::Live) {
    std::vector<std::string> labels;
    const auto versions = store().catalog().versions(place);
    EXPECT_TRUE(versions);
    for (const VersionEntry& version : versions.value_or(std::vector<VersionEntry>{})) {
      std::string label = version.label();
      for (const std::string& tag : version.tags) label += " " + tag;
      labels.push_back(std::move(label));
    }
    return labels;
  }

  /// The store is as it was, at once and once the next writer has looked at it.
  void expectUnchanged(const std::vector<std::string>& live,
                       const std::vector<std::string>& trashed = {}) {
    EXPECT_EQ(labels(), live);
    EXPECT_EQ(labels(Place::Trash), trashed);
    mendCatalog();
    for (int look = 0; look < 2; ++look) {
      ASSERT_TRUE(store().lock("test"));
      EXPECT_EQ(labels(), live);
      EXPECT_EQ(labels(Place::Trash), trashed);
    }
    const auto report = verifyStore(store(), {.level = VerifyOptions::Level::Rebuild}, {}, {});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_TRUE(report->damages.empty());
    EXPECT_EQ(test::entryCount(storeFolder() / "tmp"), 0U);
  }

  const std::unique_ptr<test::MemoryModel> base_, tuned_;
};

TEST_F(FailedWriter, AddsNothing) {
  const auto model = test::makeTuned(*base_, 20);
  const std::size_t objects = test::entryCount(storeFolder() / "objects");
  breakCatalog();
  AddOptions options{.name = "sst2"};
  options.tags = {"prod", "best"};
  EXPECT_FALSE(addVersion(store(), *model, options, {}, {}));
  options.name = "new";
  EXPECT_FALSE(addVersion(store(), *model, options, {}, {}));
  expectUnchanged({"base:v1", "sst2:v1 prod"});
  EXPECT_LE(test::entryCount(storeFolder() / "objects"), objects + 4);  // empty folders
}

TEST_F(FailedWriter, MovesNoTag) {
  add("sst2", *test::makeTuned(*base_, 20));
  breakCatalog();
  EXPECT_FALSE(addTag(store(), {.reference = "sst2:v2", .tag = "prod", .move = true}));
  EXPECT_FALSE(addTag(store(), {.reference = "sst2:v2", .tag = "new"}));
  EXPECT_FALSE(removeTag(store(), "sst2:prod"));
  expectUnchanged({"base:v1", "sst2:v1 prod", "sst2:v2"});
  EXPECT_EQ(store().resolveChecked("sst2:prod")->label(), "sst2:v1");
}

TEST_F(FailedWriter, RemovesNothing) {
  add("sst2", *test::makeTuned(*base_, 20));
  breakCatalog();
  EXPECT_FALSE(removeVersions(store(), {.references = {"sst2:v1", "sst2:v2"}}));
  expectUnchanged({"base:v1", "sst2:v1 prod", "sst2:v2"});
}

TEST_F(FailedWriter, RemovesNothingWhereOneOfSeveralCannotBeMoved) {
  add("other", *test::makeTuned(*base_, 20));
  test::writeWhole(storeFolder() / "trash" / "other", "no folder");
  EXPECT_FALSE(removeVersions(store(), {.references = {"sst2:v1", "other:v1"}}));
  fs::remove(storeFolder() / "trash" / "other");
  breakCatalog();
  expectUnchanged({"base:v1", "other:v1", "sst2:v1 prod"});
}

TEST_F(FailedWriter, RemovesNothingWhereAFolderIsInTheWayOfARef) {
  add("other", *test::makeTuned(*base_, 20));
  const fs::path place = storeFolder() / "trash" / "other" / "v1.json";
  fs::create_directories(place);
  const auto removed = removeVersions(store(), {.references = {"sst2:v1", "other:v1"}});
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().code, ErrorCode::CorruptData) << removed.error().message;
  EXPECT_FALSE(fs::exists(storeFolder() / "change.json"));
  fs::remove(place);
  breakCatalog();
  expectUnchanged({"base:v1", "other:v1", "sst2:v1 prod"});
  EXPECT_TRUE(comesBack("sst2:prod", *tuned_));
}

TEST_F(FailedWriter, GivesNoVersionAnotherManifest) {
  add("same", *tuned_);
  const VersionRef before = *store().refs().readVersion("sst2", 1);
  const auto objects = store().catalog().objectsOf(before.manifestDigest);
  for (const CatalogObject& object : objects.value()) {
    if (!object.isManifest) fs::remove(store().objects().pathOf(object.digest));
  }
  breakCatalog();
  AddOptions options{.name = "sst2"};
  options.codec = "raw";
  EXPECT_FALSE(addVersion(store(), *tuned_, options, {}, {}));
  for (const char* name : {"sst2", "same"}) {
    EXPECT_EQ(store().refs().readVersion(name, 1)->manifestDigest, before.manifestDigest);
  }
  EXPECT_FALSE(fs::exists(storeFolder() / "change.json"));
  mendCatalog();
  const AddReport report = add(*tuned_, options);
  EXPECT_EQ(report.repaired.size(), 2U);
  EXPECT_TRUE(comesBack("same", *tuned_));
  breakCatalog();
  expectUnchanged({"base:v1", "same:v1", "sst2:v1 prod"});
}

TEST_F(FailedWriter, RestoresNothingFromTheTrash) {
  ASSERT_TRUE(removeVersions(store(), {.references = {"sst2"}}));
  breakCatalog();
  EXPECT_FALSE(restoreFromTrash(store(), {"sst2:v1"}));
  expectUnchanged({"base:v1"}, {"sst2:v1 prod"});
}

TEST_F(FailedWriter, DeletesNothingFromTheTrash) {
  add("sst2", *test::makeTuned(*base_, 20));
  ASSERT_TRUE(removeVersions(store(), {.references = {"sst2:v1", "sst2:v2"}}));
  const std::size_t objects = test::entryCount(storeFolder() / "objects");
  breakCatalog();
  EXPECT_FALSE(emptyTrash(store(), {}));
  expectUnchanged({"base:v1"}, {"sst2:v1 prod", "sst2:v2"});
  EXPECT_EQ(test::entryCount(storeFolder() / "objects"), objects);
  ASSERT_TRUE(restoreFromTrash(store(), {"sst2:v1", "sst2:v2"}));
  EXPECT_TRUE(comesBack("sst2:prod", *tuned_));
}

TEST_F(FailedWriter, DeletesNothingWhereOneOfSeveralCannotBeMarked) {
  add("other", *test::makeTuned(*base_, 20));
  ASSERT_TRUE(removeVersions(store(), {.references = {"sst2", "other"}}));
  fs::create_directory(storeFolder() / "trash" / "sst2" / "v1.gone");
  EXPECT_FALSE(emptyTrash(store(), {}));
  fs::remove(storeFolder() / "trash" / "sst2" / "v1.gone");
  breakCatalog();
  expectUnchanged({"base:v1"}, {"other:v1", "sst2:v1 prod"});
}

TEST_F(FailedWriter, LeavesObjectsThatCannotBeDeletedToTheNextOne) {
  const VersionEntry version = *store().resolve("sst2:v1");
  ASSERT_TRUE(removeVersions(store(), {.references = {"sst2"}}));
  const auto objects = store().catalog().objectsOf(version.manifestDigest);
  fs::path pack;
  for (const CatalogObject& object : objects.value()) {
    if (!object.isManifest) pack = store().objects().pathOf(object.digest);
  }
  fs::remove(pack);
  fs::create_directory(pack);
  const auto emptied = emptyTrash(store(), {});
  ASSERT_TRUE(emptied) << emptied.error().message;
  EXPECT_EQ(labels(Place::Trash), std::vector<std::string>{});
  fs::remove(pack);
  ASSERT_TRUE(store().lock("test"));
  EXPECT_FALSE(fs::exists(store().objects().pathOf(version.manifestDigest)));
  EXPECT_EQ(test::entryCount(storeFolder() / "trash"), 0U);
  breakCatalog();
  expectUnchanged({"base:v1"});
}

TEST_F(FailedWriter, RenamesNothing) {
  breakCatalog();
  EXPECT_FALSE(renameVersions(store(), {.name = "sst2", .newName = "tone"}));
  expectUnchanged({"base:v1", "sst2:v1 prod"});
  EXPECT_FALSE(fs::exists(storeFolder() / "refs" / "tone" / "v1.json"));
}

TEST_F(FailedWriter, AddsNothingWhereAFileIsInTheWayOfItsTags) {
  const auto model = test::makeTuned(*base_, 20);
  fs::create_directory(storeFolder() / "refs" / "new");
  const fs::path place = storeFolder() / "refs" / "new" / "tags";
  test::writeWhole(place, "no folder");
  AddOptions options{.name = "new"};
  options.tags = {"prod"};
  const auto refused = addVersion(store(), *model, options, {}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::CorruptData) << refused.error().message;
  EXPECT_EQ(labels(), (std::vector<std::string>{"base:v1", "sst2:v1 prod"}));
  fs::remove(place);
  EXPECT_EQ(add(*model, options).version.tags, std::vector<std::string>{"prod"});
  EXPECT_TRUE(comesBack("new:prod", *model));
}

}  // namespace
}  // namespace strata
