#pragma once

#include <mutex>
#include <utility>

#include "core/store/catalog.h"
#include "core/store/detail/sqlite.h"

namespace strata {

struct Catalog::State {
  explicit State(sqlite::Database opened) : database(std::move(opened)) {}

  /// Catalogs of earlier programs lack the table until they are opened for writing.
  Result<bool> hasAwaited() const {
    sqlite::Statement made(database,
                           "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'awaited'");
    return made.step();
  }

  sqlite::Database database;
  bool wasExtended = false;
  mutable std::recursive_mutex mutex;  ///< one statement or transaction at a time on `database`
};

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
