#include "core/store/catalog/transfer_table.h"

#include "core/store/detail/sqlite.h"

namespace strata {
namespace {

using sqlite::Database;
using sqlite::Statement;

constexpr const char* kTable = R"sql(
CREATE TABLE IF NOT EXISTS transfers(
  id INTEGER PRIMARY KEY AUTOINCREMENT, direction TEXT NOT NULL, remote TEXT NOT NULL,
  refs TEXT NOT NULL, options TEXT NOT NULL, state TEXT NOT NULL, problem TEXT NOT NULL,
  process INTEGER NOT NULL, done_bytes INTEGER NOT NULL, total_bytes INTEGER NOT NULL,
  begun_at INTEGER NOT NULL, changed_at INTEGER NOT NULL);
)sql";

std::int64_t integer(std::uint64_t value) { return static_cast<std::int64_t>(value); }

}  // namespace

struct TransferTable::State {
  Database database;
};

TransferTable::TransferTable(std::unique_ptr<State> state) : state_(std::move(state)) {}
TransferTable::~TransferTable() = default;

Result<std::unique_ptr<TransferTable>> TransferTable::open(const std::filesystem::path& storeFolder,
                                                           Access access) {
  const std::filesystem::path file = storeFolder / "catalog.sqlite";
  std::error_code status;
  if (!std::filesystem::exists(file, status)) {
    return fail(ErrorCode::NotFound, file.string() + ": does not exist");
  }
  const auto mode = access == Access::Read ? Database::Mode::Read : Database::Mode::Write;
  STRATA_TRY(Database database, Database::open(file, mode));
  STRATA_TRY(database.run("PRAGMA synchronous = NORMAL"));
  return std::unique_ptr<TransferTable>(
      new TransferTable(std::make_unique<State>(State{std::move(database)})));
}

Result<std::vector<TransferRow>> TransferTable::rows() const {
  std::vector<TransferRow> rows;
  Statement made(state_->database,
                 "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'transfers'");
  STRATA_TRY(const bool isMade, made.step());
  if (!isMade) return rows;
  Statement statement(state_->database,
                      "SELECT id, direction, remote, refs, options, state, problem, process,"
                      " done_bytes, total_bytes, begun_at, changed_at FROM transfers ORDER BY id");
  for (;;) {
    STRATA_TRY(const bool isRow, statement.step());
    if (!isRow) return rows;
    rows.push_back({.id = statement.integer(0),
                    .direction = statement.text(1),
                    .remote = statement.text(2),
                    .references = statement.text(3),
                    .options = statement.text(4),
                    .state = statement.text(5),
                    .problem = statement.text(6),
                    .processId = statement.integer(7),
                    .doneBytes = static_cast<std::uint64_t>(statement.integer(8)),
                    .totalBytes = static_cast<std::uint64_t>(statement.integer(9)),
                    .begunAt = statement.integer(10),
                    .changedAt = statement.integer(11)});
  }
}

Result<std::int64_t> TransferTable::otherChanges() const {
  Statement statement(state_->database, "SELECT coalesce(max(id), 0) FROM operations");
  STRATA_TRY(const bool isRow, statement.step());
  return isRow ? statement.integer(0) : 0;
}

Result<void> TransferTable::transact(int waitMs, const std::function<Result<void>()>& change) {
  const Database& database = state_->database;
  ::sqlite3_busy_timeout(database.handle(), waitMs);
  return sqlite::inTransaction(database, [&]() -> Result<void> {
    STRATA_TRY(database.run(kTable));
    return change();
  });
}

Result<std::int64_t> TransferTable::put(const TransferRow& row) {
  Statement statement(
      state_->database,
      "INSERT OR REPLACE INTO transfers(id, direction, remote, refs, options, state,"
      " problem, process, done_bytes, total_bytes, begun_at, changed_at)"
      " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  row.id == 0 ? statement.bindNull() : statement.bind(row.id);
  statement.bind(std::string_view(row.direction)).bind(std::string_view(row.remote));
  statement.bind(std::string_view(row.references)).bind(std::string_view(row.options));
  statement.bind(std::string_view(row.state)).bind(std::string_view(row.problem));
  statement.bind(row.processId).bind(integer(row.doneBytes)).bind(integer(row.totalBytes));
  STRATA_TRY(statement.bind(row.begunAt).bind(row.changedAt).run());
  return row.id == 0 ? ::sqlite3_last_insert_rowid(state_->database.handle()) : row.id;
}

Result<void> TransferTable::erase(std::int64_t id) {
  Statement statement(state_->database, "DELETE FROM transfers WHERE id = ?");
  return statement.bind(id).run();
}

}  // namespace strata
