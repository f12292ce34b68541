#include "core/store/catalog/catalog.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "core/store/detail/catalog_state.h"

namespace strata {
namespace {

using sqlite::Database;
using sqlite::Statement;

constexpr std::int64_t kApplicationId = 0x53545241;  // "STRA"

// In a table without row ids the key comes first: integrity_check of SQLite 3.40 reports NULLs that
// are not there otherwise.
constexpr const char* kTables = R"sql(
CREATE TABLE manifests(
  id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, content BLOB NOT NULL, parent BLOB,
  depth INTEGER NOT NULL, format TEXT NOT NULL, effort TEXT NOT NULL, profile TEXT NOT NULL,
  lossy INTEGER NOT NULL, original_bytes INTEGER NOT NULL, file_count INTEGER NOT NULL,
  tensor_count INTEGER NOT NULL, changed_tensors INTEGER NOT NULL, same_tensors INTEGER NOT NULL,
  new_tensors INTEGER NOT NULL, relative_change REAL NOT NULL);
CREATE INDEX manifests_by_content ON manifests(content);
CREATE INDEX manifests_by_parent ON manifests(parent);
CREATE TABLE versions(
  name TEXT NOT NULL, number INTEGER NOT NULL, manifest INTEGER NOT NULL REFERENCES manifests(id),
  added_at INTEGER NOT NULL, removed_at INTEGER NOT NULL, note TEXT NOT NULL,
  license TEXT NOT NULL, source TEXT NOT NULL, stored_bytes INTEGER NOT NULL,
  PRIMARY KEY(name, number)) WITHOUT ROWID;
CREATE INDEX versions_by_manifest ON versions(manifest);
CREATE TABLE finding(
  name TEXT NOT NULL, number INTEGER NOT NULL, probe INTEGER NOT NULL,
  original_bytes INTEGER NOT NULL, is_base INTEGER NOT NULL, signature BLOB NOT NULL,
  PRIMARY KEY(name, number));
CREATE INDEX finding_by_bytes ON finding(original_bytes, probe);
CREATE TABLE tags(
  name TEXT NOT NULL, tag TEXT NOT NULL, number INTEGER NOT NULL, in_trash INTEGER NOT NULL,
  note TEXT NOT NULL, tagged_at INTEGER NOT NULL,
  PRIMARY KEY(name, tag, number, in_trash)) WITHOUT ROWID;
CREATE TABLE names(name TEXT PRIMARY KEY, last_number INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE objects(
  id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, byte_count INTEGER NOT NULL,
  is_manifest INTEGER NOT NULL);
CREATE TABLE manifest_objects(
  manifest INTEGER NOT NULL REFERENCES manifests(id),
  object INTEGER NOT NULL REFERENCES objects(id),
  PRIMARY KEY(manifest, object)) WITHOUT ROWID;
CREATE INDEX manifest_objects_by_object ON manifest_objects(object);
CREATE TABLE awaited(object INTEGER PRIMARY KEY);
CREATE TABLE operations(
  id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, kind TEXT NOT NULL,
  detail TEXT NOT NULL);
)sql";

Result<std::int64_t> pragma(const Database& database, std::string_view name) {
  Statement statement(database, fmt::format("PRAGMA {}", name));
  STRATA_TRY(const bool isRow, statement.step());
  return isRow ? statement.integer(0) : 0;
}

/// A newer schema is refused before anything else is read.
Result<void> checkSchema(const Database& database) {
  STRATA_TRY(const std::int64_t application, pragma(database, "application_id"));
  STRATA_TRY(const std::int64_t schema, pragma(database, "user_version"));
  if (application != kApplicationId || schema < 1) {
    return fail(ErrorCode::CorruptData, database.file().string() + ": is no catalog of a store");
  }
  if (schema > kCatalogSchema) {
    return fail(ErrorCode::FormatTooNew,
                fmt::format("{}: has schema {}, this program reads up to {}",
                            database.file().string(), schema, kCatalogSchema));
  }
  return {};
}

Result<void> checkExists(const std::filesystem::path& file) {
  std::error_code status;
  if (std::filesystem::exists(file, status)) return {};
  return fail(ErrorCode::NotFound, file.string() + ": does not exist");
}

/// Moves the write-ahead log into the database. Programs live for one command, and each would have
/// to read a log that only grows. A reader that is in the way keeps it until the next time.
void emptyLog(const Database& database) {
  ::sqlite3_busy_timeout(database.handle(), 0);
  ::sqlite3_wal_checkpoint_v2(database.handle(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr,
                              nullptr);
  ::sqlite3_busy_timeout(database.handle(), sqlite::kBusyTimeoutMs);
}

}  // namespace

Catalog::Catalog(std::unique_ptr<State> state) : state_(std::move(state)) {}
Catalog::~Catalog() = default;

std::string Catalog::libraryVersion() { return sqlite3_libversion(); }

Result<std::unique_ptr<Catalog>> Catalog::openForReading(const std::filesystem::path& file) {
  STRATA_TRY(checkExists(file));
  STRATA_TRY(Database database, Database::open(file, Database::Mode::Read));
  STRATA_TRY(checkSchema(database));
  return std::unique_ptr<Catalog>(new Catalog(std::make_unique<State>(std::move(database))));
}

Result<std::unique_ptr<Catalog>> Catalog::openForWriting(const std::filesystem::path& file) {
  STRATA_TRY(checkExists(file));
  STRATA_TRY(Database database, Database::open(file, Database::Mode::Write));
  STRATA_TRY(checkSchema(database));
  STRATA_TRY(database.run("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON"));
  auto state = std::make_unique<State>(std::move(database));
  STRATA_TRY(const bool hasAwaited, state->hasAwaited());
  STRATA_TRY(const bool hasUnlisted, hasTable(state->database, "unlisted"));
  if (!hasAwaited) {
    STRATA_TRY(state->database.run("CREATE TABLE awaited(object INTEGER PRIMARY KEY)"));
  }
  STRATA_TRY(state->database.run(kUnlistedTable));
  STRATA_TRY(state->database.run(kStepTable));
  STRATA_TRY(state->database.run(kPartTable));
  // Who notes the numbers makes their table, so that none is there without them.
  STRATA_TRY(const bool hasNotes, hasTable(state->database, kNumberNotes));
  state->wasExtended = !hasAwaited || !hasUnlisted || !hasNotes;
  STRATA_TRY(state->database.run(kCheckTable));
  // Without them it is slower, and a repair has to go on.
  (void)state->database.run(kLookUpIndexes);
  return std::unique_ptr<Catalog>(new Catalog(std::move(state)));
}

bool Catalog::wasExtended() const noexcept { return state_->wasExtended; }

Result<std::unique_ptr<Catalog>> Catalog::create(const std::filesystem::path& file) {
  STRATA_TRY(Database database, Database::open(file, Database::Mode::Create));
  STRATA_TRY(database.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL"));
  return makeTables(std::make_unique<State>(std::move(database)));
}

Result<std::unique_ptr<Catalog>> Catalog::createInMemory() {
  STRATA_TRY(Database database, Database::open("memory", Database::Mode::Memory));
  return makeTables(std::make_unique<State>(std::move(database)));
}

Result<std::unique_ptr<Catalog>> Catalog::makeTables(std::unique_ptr<State> state) {
  std::unique_ptr<Catalog> catalog(new Catalog(std::move(state)));
  STRATA_TRY(catalog->transact([&]() -> Result<void> {
    STRATA_TRY(catalog->state_->database.run(kTables));
    STRATA_TRY(catalog->state_->database.run(kCheckTable));
    STRATA_TRY(catalog->state_->database.run(kUnlistedTable));
    STRATA_TRY(catalog->state_->database.run(kStepTable));
    STRATA_TRY(catalog->state_->database.run(kPartTable));
    STRATA_TRY(catalog->state_->database.run(kNumberNoteTable));
    STRATA_TRY(catalog->state_->database.run(kLookUpIndexes));
    const std::string marks = fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                                          kApplicationId, kCatalogSchema);
    return catalog->state_->database.run(marks.c_str());
  }));
  return catalog;
}

Result<void> Catalog::transact(const std::function<Result<void>()>& change) {
  const std::lock_guard guard(state_->mutex);
  Result<void> done = sqlite::inTransaction(state_->database, change);
  // After a failed commit as well: whoever opens the database after a crash would find it in the
  // log and take it for done.
  emptyLog(state_->database);
  return done;
}

namespace {

constexpr std::size_t kMostProblems = 20;

/// SQLite 3.40 says so of every row of a table whose key's columns do not all come first, as those
/// of the tags did once. What tags say is compared with their refs.
bool isMisread(std::string_view problem) noexcept {
  return problem == "NULL value in tags.note" || problem == "NULL value in tags.tagged_at";
}

/// Name, type and part of a key of each column of each table; the order of columns was another one
/// once.
Result<std::map<std::string, std::set<std::string>>> columnsOf(const Database& database) {
  std::map<std::string, std::set<std::string>> columns;
  Statement statement(database,
                      "SELECT t.name, c.name || ' ' || c.type || ' ' || c.\"notnull\" || c.pk"
                      " FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table'");
  STRATA_TRY(forEachRow(statement, [&](Statement& row) -> Result<void> {
    columns[row.text(0)].insert(row.text(1));
    return {};
  }));
  return columns;
}

/// What SQLite takes for sound though its tables are no longer those that a catalog has: a bit of a
/// table's or column's name is enough. Those that an earlier program did not make may be missing.
Result<std::vector<std::string>> tableProblems(const Database& made, const Database& database) {
  STRATA_TRY(const auto expected, columnsOf(made));
  STRATA_TRY(const auto found, columnsOf(database));
  std::vector<std::string> problems;
  for (const auto& [table, columns] : expected) {
    const auto place = found.find(table);
    if (place == found.end()) {
      const bool comesLater = table == "awaited" || table == "checks" || table == "unlisted" ||
                              table == "operation_steps" || table == "operation_parts" ||
                              table == kNumberNotes;
      if (!comesLater) problems.push_back(fmt::format("table {} is missing", table));
    } else if (place->second != columns) {
      problems.push_back(fmt::format("table {} has other columns than it was made with", table));
    }
  }
  return problems;
}

}  // namespace

Result<std::vector<std::string>> Catalog::integrityProblems() const {
  const std::lock_guard guard(state_->mutex);
  std::vector<std::string> problems;
  Statement statement(state_->database, "PRAGMA integrity_check(100000)");
  STRATA_TRY(forEachRow(statement, [&](Statement& row) -> Result<void> {
    const std::string problem = row.text(0);
    const bool isOne = problem != "ok" && !isMisread(problem);
    if (isOne && problems.size() < kMostProblems) problems.push_back(problem);
    return {};
  }));
  STRATA_TRY(const auto made, createInMemory());
  STRATA_TRY(const auto wrong, tableProblems(made->state_->database, state_->database));
  problems.insert(problems.end(), wrong.begin(), wrong.end());
  return problems;
}

}  // namespace strata
