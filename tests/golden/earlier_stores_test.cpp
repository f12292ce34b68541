// Whole stores as earlier programs left them, their catalogs included, and as later ones may.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "core/ops/care/collect_garbage.h"
#include "core/ops/care/rebuild_catalog.h"
#include "core/ops/care/verify_store.h"
#include "core/ops/inspect/list_versions.h"
#include "core/ops/versions/add_version.h"
#include "core/ops/versions/restore_version.h"
#include "core/ops/versions/tags.h"
#include "core/transfer/transfer_log.h"
#include "tests/support/memory_model.h"
#include "tests/support/temp_folder.h"

namespace strata::test {
namespace {

namespace fs = std::filesystem;

const fs::path kGolden = STRATA_GOLDEN_FOLDER;

std::vector<std::string> layouts() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kGolden / "layouts")) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> linesOf(const fs::path& file) {
  std::vector<std::string> lines;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Runs statements on a database file, which is made if it is missing.
void runSql(const fs::path& file, const std::string& sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(::sqlite3_open(file.c_str(), &database), SQLITE_OK);
  char* problem = nullptr;
  ::sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &problem);
  EXPECT_EQ(problem, nullptr) << problem;
  ::sqlite3_free(problem);
  ::sqlite3_close(database);
}

/// All files of a store but those that readers may leave there, by path.
std::map<std::string, std::string> filesOf(const fs::path& store) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(store)) {
    const std::string path = fs::relative(entry.path(), store).string();
    const bool isOfReaders = path.ends_with("-shm") || path.ends_with("-wal");
    if (entry.is_regular_file() && !isOfReaders) files[path] = readWhole(entry.path());
  }
  return files;
}

/// What is known of each version, in lines as a layout's file `list` has them.
std::vector<std::string> listed(const fs::path& folder) {
  const auto store = Store::open(folder);
  if (!store) return {store.error().message};
  std::vector<std::string> lines;
  for (const Place place : {Place::Live, Place::Trash}) {
    const auto versions = (*store)->catalog().versions(place);
    for (const VersionEntry& entry : versions.value()) {
      lines.push_back(fmt::format("{} | {} | {} | {} | {} | {} | {}", entry.label(), entry.addedAt,
                                  entry.removedAt, fmt::join(entry.tags, ","), entry.note,
                                  entry.license, entry.sourceUrl));
    }
  }
  return lines;
}

class Layout : public testing::Test {
 protected:
  /// Puts a layout together: the store that it is based on, without what is absent, with other
  /// refs.
  void make(const std::string& name) {
    const fs::path layout = kGolden / "layouts" / name;
    base_ = linesOf(layout / "base").front();
    const auto copied = fs::copy_options::recursive | fs::copy_options::overwrite_existing;
    fs::copy(kGolden / base_ / "store", store_, copied);
    fs::copy(layout / "store", store_, copied);
    for (const char* folder : {"tmp", "trash"}) fs::create_directories(store_ / folder);
    for (const std::string& path : linesOf(layout / "absent")) {
      ASSERT_TRUE(fs::remove(store_ / path)) << path;
    }
    runSql(catalog(), "PRAGMA journal_mode = WAL; " + readWhole(layout / "catalog.sql"));
    list_ = linesOf(layout / "list");
    isPartial_ = !linesOf(layout / "absent").empty();
  }

  fs::path catalog() const { return store_ / "catalog.sqlite"; }
  std::unique_ptr<Store> open() const { return std::move(Store::open(store_)).value(); }

  /// Every version that is here gives the files of the store that the layout is based on.
  void expectRestores() const {
    const auto store = open();
    std::map<std::string, std::vector<std::string>> expected;
    for (const std::string& line : linesOf(kGolden / base_ / "expected.sha256")) {
      expected[line.substr(66, 6)].push_back(line);
    }
    fs::create_directory(temp_ / "restored");
    for (const auto& [label, lines] : expected) {
      if (isPartial_ && label == "run-v5") continue;
      const fs::path target = temp_ / "restored" / label;
      RestoreOptions options;
      options.reference = "run:" + label.substr(4);
      options.target = target;
      const auto restored = restoreVersion(*store, options, {}, {});
      ASSERT_TRUE(restored) << label << ": " << restored.error().message;
      for (const std::string& line : lines) {
        const std::string bytes = readWhole(target / line.substr(73));
        EXPECT_EQ(toHex(sha256(std::as_bytes(std::span(bytes)))), line.substr(0, 64)) << line;
      }
    }
    fs::remove_all(temp_ / "restored");
  }

  void expectSound() const {
    const auto report = verifyStore(*open(), {.level = VerifyOptions::Level::Rebuild}, {}, {});
    ASSERT_TRUE(report) << report.error().message;
    for (const Damage& damage : report->damages) {
      ADD_FAILURE() << damage.path << ": " << damage.reason;
    }
    EXPECT_EQ(report->absentVersions.size(), isPartial_ ? 1U : 0U);
  }

  void expectRefused(ErrorCode code, const Result<void>& outcome, const std::string& text) const {
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, code) << outcome.error().message;
    EXPECT_NE(outcome.error().message.find(text), std::string::npos) << outcome.error().message;
  }

  /// What a reader, a writer and a rebuild of the catalog say of the store.
  std::vector<Result<void>> everyUse() const {
    std::vector<Result<void>> outcomes;
    const auto keep = [&](const auto& outcome) {
      outcomes.push_back(outcome ? Result<void>() : fail(outcome.error()));
    };
    keep(Store::open(store_));
    keep(rebuildCatalog(store_, {}, {}));
    return outcomes;
  }

  TempFolder temp_;
  fs::path store_ = temp_ / "store";
  std::string base_;
  std::vector<std::string> list_;
  bool isPartial_ = false;
};

class EveryLayout : public Layout, public testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override { make(GetParam()); }
};

TEST_P(EveryLayout, IsReadAsItIs) {
  const auto before = filesOf(store_);
  EXPECT_EQ(listed(store_), list_);
  const auto store = open();
  const auto report = listVersions(*store, {.allVersions = true});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->rows.size(), 5U);
  EXPECT_TRUE(listTransfers(*store)) << "transfers";
  expectRestores();
  EXPECT_EQ(filesOf(store_), before);
}

TEST_P(EveryLayout, IsReadFromAFolderThatNobodyMayWriteTo) {
  const auto all = fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write;
  for (const auto& entry : fs::recursive_directory_iterator(store_)) {
    fs::permissions(entry.path(), all, fs::perm_options::remove);
  }
  fs::permissions(store_, all, fs::perm_options::remove);
  EXPECT_EQ(listed(store_), list_);
  expectRestores();
  fs::permissions(store_, fs::perms::owner_all, fs::perm_options::add);
  for (const auto& entry : fs::recursive_directory_iterator(store_)) {
    fs::permissions(entry.path(), fs::perms::owner_write, fs::perm_options::add);
  }
}

TEST_P(EveryLayout, IsSoundAndStaysSo) {
  expectSound();
  EXPECT_EQ(listed(store_), list_);
}

TEST_P(EveryLayout, IsExtendedByTheFirstWriter) {
  ASSERT_TRUE(addTag(*open(), {.reference = "run:v4", .tag = "new", .note = "x"}));
  const auto model = makeModel(3, 600);
  const auto added =
      addVersion(*open(), *model, {.name = "run", .baseChoice = BaseChoice::None}, {}, {});
  ASSERT_TRUE(added) << added.error().message;
  EXPECT_EQ(added->version.label(), "run:v10") << "v9 was the highest number that there ever was";
  auto after = listed(store_);
  ASSERT_EQ(after.size(), list_.size() + 1);
  for (const std::string& line : list_) {
    if (line.starts_with("run:v4")) continue;  // has the tag now
    EXPECT_EQ(std::ranges::count(after, line), 1) << line;
  }
  expectRestores();
  expectSound();
}

TEST_P(EveryLayout, LosesNothingWhenItsCatalogIsWrittenAnew) {
  for (const char* const state : {"sound", "missing", "unreadable"}) {
    SCOPED_TRACE(state);
    if (state == std::string("missing")) fs::remove(catalog());
    if (state == std::string("unreadable")) writeWhole(catalog(), "no database");
    const auto rebuilt = rebuildCatalog(store_, {}, {});
    ASSERT_TRUE(rebuilt) << rebuilt.error().message;
    EXPECT_TRUE(rebuilt->problems.empty()) << rebuilt->problems.front();
    EXPECT_EQ(listed(store_), list_);
    EXPECT_EQ(open()->catalog().lastNumber("run"), 9U);
    expectRestores();
    expectSound();
  }
}

/// Their catalogs know the highest number alone.
TEST_P(EveryLayout, NoticesThatItLostWhatKeepsItsNumbers) {
  const fs::path file = store_ / "refs/run/last.json";
  ASSERT_TRUE(fs::remove(file));
  const auto report = verifyStore(*open(), {}, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_EQ(report->damages.size(), 1U);
  EXPECT_EQ(report->damages[0].path, file);
  ASSERT_TRUE(addTag(*open(), {.reference = "run:v4", .tag = "new", .note = "x"}));
  const auto last = open()->refs().readLastNumber("run");
  ASSERT_TRUE(last) << last.error().message;
  EXPECT_EQ(last->number, 9U);
  EXPECT_EQ(last->unknownTo, 9U);
  expectSound();
}

INSTANTIATE_TEST_SUITE_P(OfStores, EveryLayout, testing::ValuesIn(layouts()),
                         [](const auto& layout) { return layout.param; });

class NewerStore : public Layout {
 protected:
  void SetUp() override { make("layout_1_checks"); }

  /// A program that knows less says so and leaves everything as it is.
  void expectAllRefused(const std::string& text) {
    const auto before = filesOf(store_);
    for (const Result<void>& outcome : everyUse()) {
      expectRefused(ErrorCode::FormatTooNew, outcome, text);
    }
    auto after = filesOf(store_);
    if (!before.contains("lock")) after.erase("lock");
    EXPECT_EQ(after, before);
  }
};

/// The store's own format is known, so that a catalog can be made anew, as one that is damaged.
TEST_F(NewerStore, IsReadOnceItsCatalogWasMadeAnew) {
  runSql(catalog(), "PRAGMA user_version = 2");
  const auto opened = Store::open(store_);
  expectRefused(ErrorCode::FormatTooNew, opened ? Result<void>() : fail(opened.error()),
                "has schema 2, this program reads up to 1; \"strata verify --rebuild-catalog\"");
  ASSERT_TRUE(rebuildCatalog(store_, {}, {}));
  EXPECT_EQ(listed(store_), list_);
  expectRestores();
  expectSound();
}

TEST_F(NewerStore, IsRefusedByItsSettings) {
  std::string settings = readWhole(store_ / "store.toml");
  settings.replace(settings.find("format = 1"), 10, "format = 2");
  writeWhole(store_ / "store.toml", settings);
  expectAllRefused("format 2");
}

TEST_F(NewerStore, MayHaveMoreInACatalogOfTheSameSchema) {
  runSql(catalog(),
         "ALTER TABLE versions ADD COLUMN mood TEXT; ALTER TABLE names ADD COLUMN mood TEXT;"
         "ALTER TABLE finding ADD COLUMN mood TEXT; ALTER TABLE manifests ADD COLUMN mood TEXT;"
         "ALTER TABLE awaited ADD COLUMN mood TEXT; ALTER TABLE objects ADD COLUMN mood TEXT;"
         "ALTER TABLE tags ADD COLUMN mood TEXT; CREATE TABLE moods(mood TEXT)");
  EXPECT_EQ(listed(store_), list_);
  const auto model = makeModel(3, 600);
  const auto added =
      addVersion(*open(), *model, {.name = "more", .baseChoice = BaseChoice::None}, {}, {});
  ASSERT_TRUE(added) << added.error().message;
  ASSERT_TRUE(rebuildCatalog(store_, {}, {}));
  EXPECT_EQ(listed(store_).size(), list_.size() + 1);
  expectRestores();
  expectSound();
}

TEST_F(NewerStore, KeepsTheVersionWhoseRefIsOfALaterSchema) {
  const fs::path file = store_ / "refs/run/v4.json";
  const std::string sealed = readWhole(file);
  std::string body = sealed.substr(sealed.find("\"ref\":") + 6);
  body.erase(body.size() - 2);
  body.replace(body.find("\"schema\":1"), 10, "\"schema\":2");
  const std::string later =
      fmt::format("{{\"checksum\":\"{:016x}\",\"ref\":{}}}\n",
                  xxh3(std::as_bytes(std::span(std::string_view(body)))), body);
  writeWhole(file, later);
  const auto rebuilt = rebuildCatalog(store_, {}, {});
  ASSERT_TRUE(rebuilt) << rebuilt.error().message;
  ASSERT_EQ(rebuilt->problems.size(), 1U);
  EXPECT_NE(rebuilt->problems.front().find("has schema 2"), std::string::npos);
  const auto collected = collectGarbage(*open(), {}, {});
  ASSERT_FALSE(collected) << "objects of a version that this program cannot read may be needed";
  EXPECT_EQ(collected.error().code, ErrorCode::FormatTooNew) << collected.error().message;
  EXPECT_EQ(readWhole(file), later);
}

}  // namespace
}  // namespace strata::test
