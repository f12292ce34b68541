#pragma once

#include <mutex>
#include <string_view>
#include <utility>

#include "core/store/catalog/catalog.h"
#include "core/store/detail/sqlite.h"

namespace strata {

/// Made by the first check of a store (core/store/catalog/check_dates.h), too.
inline constexpr const char* kCheckTable =
    "CREATE TABLE IF NOT EXISTS checks("
    "manifest BLOB PRIMARY KEY, checked_at INTEGER NOT NULL) WITHOUT ROWID";

/// The versions of the trash that no name leads to (VersionEntry::isUnlisted).
inline constexpr const char* kUnlistedTable =
    "CREATE TABLE IF NOT EXISTS unlisted("
    "name TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY(name, number)) WITHOUT ROWID";

/// What it takes to take an operation back; `steps` is a text (core/store/refs/operation.h).
inline constexpr const char* kStepTable =
    "CREATE TABLE IF NOT EXISTS operation_steps("
    "operation INTEGER PRIMARY KEY, token TEXT NOT NULL UNIQUE, undone INTEGER NOT NULL,"
    " steps TEXT NOT NULL)";

/// What the same command did later. Its entry in the log is the first step and these, in order, so
/// that a step costs the same however many came before it. Programs that do not know the table see
/// the first step alone.
inline constexpr const char* kPartTable =
    "CREATE TABLE IF NOT EXISTS operation_parts("
    "id INTEGER PRIMARY KEY, operation INTEGER NOT NULL, token TEXT NOT NULL UNIQUE,"
    " steps TEXT NOT NULL);"
    "CREATE INDEX IF NOT EXISTS operation_parts_by_operation ON operation_parts(operation)";

/// What `last.json` of names says (core/store/catalog/number_notes.h), as a text.
inline constexpr std::string_view kNumberNotes = "number_notes";
inline constexpr const char* kNumberNoteTable =
    "CREATE TABLE IF NOT EXISTS number_notes("
    "name TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID";

/// What makes the look-ups of one version quick whose name has thousands. They are no part of what
/// a catalog says: one of an earlier program lacks them until it is opened for writing.
inline constexpr const char* kLookUpIndexes =
    "CREATE INDEX IF NOT EXISTS tags_by_number ON tags(name, number);"
    "CREATE INDEX IF NOT EXISTS manifests_without_optimizer ON manifests(id)"
    " WHERE lossy != 0 AND profile = 'weights-only';";

/// Catalogs of earlier programs lack the tables "awaited", "checks", "unlisted", "operation_steps",
/// "operation_parts" and "number_notes" until they are opened for writing.
inline Result<bool> hasTable(const sqlite::Database& database, std::string_view name) {
  sqlite::Statement made(database, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?");
  return made.bind(name).step();
}

struct Catalog::State {
  explicit State(sqlite::Database opened) : database(std::move(opened)) {}

  Result<bool> hasAwaited() const { return hasTable(database, "awaited"); }

  sqlite::Database database;
  bool wasExtended = false;
  mutable std::recursive_mutex mutex;  ///< one statement or transaction at a time on `database`
};

inline std::uint32_t countIn(const sqlite::Statement& row, int column) {
  return static_cast<std::uint32_t>(row.integer(column));
}

/// Of `versions v`.
inline const char* placeCondition(Place place) {
  return place == Place::Live ? "v.removed_at = 0" : "v.removed_at != 0";
}

/// Fails with CorruptData if the column holds none.
inline Result<Digest> requiredDigest(const sqlite::Statement& row, int column) {
  const auto digest = row.digest(column);
  if (digest) return *digest;
  return fail(ErrorCode::CorruptData, "the catalog holds a digest that is not 32 bytes");
}

/// Runs a query to its end and gives each row to `take`, which returns a Result.
template <typename Take>
Result<void> forEachRow(sqlite::Statement& statement, Take take) {
  while (true) {
    STRATA_TRY(const bool isRow, statement.step());
    if (!isRow) return {};
    STRATA_TRY(take(statement));
  }
}

}  // namespace strata
