#include <fmt/format.h>

#include <optional>

#include "core/store/catalog/catalog.h"
#include "core/store/detail/catalog_state.h"

// The log of operations.

namespace strata {
namespace {

using sqlite::Database;
using sqlite::Statement;

/// Beyond the latest of those that somebody asked for, or of the store's own: many checks would
/// else drive out what can be taken back.
Result<void> forgetOld(const Database& database, bool own) {
  Statement rows(database, "SELECT id, kind FROM operations ORDER BY id DESC");
  std::size_t count = 0;
  std::vector<std::int64_t> old;
  while (true) {
    STRATA_TRY(const bool isRow, rows.step());
    if (!isRow) break;
    if (isOwnKind(rows.text(1)) == own && ++count > kMostOperations) old.push_back(rows.integer(0));
  }
  for (const std::int64_t id : old) {
    for (const char* table : {"operations WHERE id", "operation_steps WHERE operation",
                              "operation_parts WHERE operation"}) {
      Statement forget(database, fmt::format("DELETE FROM {} = ?", table));
      STRATA_TRY(forget.bind(id).run());
    }
  }
  return {};
}

/// What a command repaired on its way is never taken back, so its additions before and after that
/// share an entry.
constexpr std::string_view kPassedOver = "repair";

/// The entry that `operation` belongs to: the last one of its command and kind, if it stands. With
/// its first step alone.
Result<std::optional<Operation>> entryOfCommand(const Database& database,
                                                const Operation& operation) {
  if (operation.command.empty()) return std::nullopt;
  Statement rows(database,
                 "SELECT o.id, o.kind, s.steps, s.undone FROM operations o"
                 " JOIN operation_steps s ON s.operation = o.id ORDER BY o.id DESC LIMIT 20");
  while (true) {
    STRATA_TRY(const bool isRow, rows.step());
    if (!isRow) return std::nullopt;
    if (isOwnKind(rows.text(1))) continue;
    auto last = parseOperation(rows.text(2));
    if (!last || last->command != operation.command || rows.integer(3) != 0) return std::nullopt;
    last->id = rows.integer(0);
    if (last->kind == operation.kind) return *std::move(last);
    if (last->kind != kPassedOver) return std::nullopt;
  }
}

bool hasSteps(const Operation& operation) {
  return !operation.versions.empty() || !operation.tags.empty();
}

Result<bool> isLogged(const Database& database, std::string_view token) {
  for (const char* table : {"operation_steps", "operation_parts"}) {
    Statement known(database, fmt::format("SELECT 1 FROM {} WHERE token = ?", table));
    STRATA_TRY(const bool isThere, known.bind(token).step());
    if (isThere) return true;
  }
  return false;
}

Result<void> addPart(const Database& database, std::int64_t entry, const Operation& operation) {
  Statement part(database, "INSERT INTO operation_parts(operation, token, steps) VALUES(?, ?, ?)");
  const std::string text = serializeOperation(operation);
  part.bind(entry).bind(std::string_view(operation.token));
  return part.bind(std::string_view(text)).run();
}

/// Puts the steps of one part of an entry behind those of the parts before it.
void append(const Operation& part, Operation& rest) {
  rest.versions.insert(rest.versions.end(), part.versions.begin(), part.versions.end());
  rest.tags.insert(rest.tags.end(), part.tags.begin(), part.tags.end());
  if (!rest.detail.empty()) rest.detail += ", ";
  rest.detail += part.detail;
}

/// Adds to each entry what its command did later. `operations`: the latest first.
Result<void> addParts(const Database& database, std::vector<Operation>& operations) {
  STRATA_TRY(const bool hasParts, hasTable(database, "operation_parts"));
  if (!hasParts || operations.empty()) return {};
  Statement parts(database,
                  "SELECT operation, steps FROM operation_parts WHERE operation >= ?"
                  " ORDER BY operation DESC, id");
  parts.bind(operations.back().id);
  auto entry = operations.begin();
  std::optional<Operation> rest;  // all parts of `entry`
  bool isWhole = true;
  const auto join = [&] {
    if (!rest || (isWhole && extend(*entry, *rest))) return;
    // Half of an entry could not be taken back.
    entry->versions.clear();
    entry->tags.clear();
  };
  STRATA_TRY(forEachRow(parts, [&](Statement& row) -> Result<void> {
    if (entry != operations.end() && entry->id != row.integer(0)) {
      join();
      rest.reset();
      isWhole = true;
      while (entry != operations.end() && entry->id > row.integer(0)) ++entry;
    }
    if (entry == operations.end() || entry->id != row.integer(0)) return {};
    const auto part = parseOperation(row.text(1));
    isWhole = isWhole && part && hasSteps(*part);
    if (!rest) rest.emplace();
    if (isWhole) append(*part, *rest);
    return {};
  }));
  if (entry != operations.end()) join();
  return {};
}

}  // namespace

Result<std::vector<Operation>> Catalog::operations(std::size_t limit) const {
  const std::lock_guard guard(state_->mutex);
  STRATA_TRY(const bool hasSteps, hasTable(state_->database, "operation_steps"));
  Statement statement(
      state_->database,
      fmt::format("SELECT o.id, o.at, o.kind, o.detail, {} FROM operations o {}"
                  " ORDER BY o.id DESC LIMIT ?",
                  hasSteps ? "coalesce(s.steps, ''), coalesce(s.undone, 0)" : "'', 0",
                  hasSteps ? "LEFT JOIN operation_steps s ON s.operation = o.id" : ""));
  statement.bind(limit == 0 ? std::int64_t{-1} : static_cast<std::int64_t>(limit));
  std::vector<Operation> operations;
  STRATA_TRY(forEachRow(statement, [&](Statement& row) -> Result<void> {
    Operation operation;
    // One whose steps are damaged cannot be taken back.
    if (auto parsed = parseOperation(row.text(4))) operation = *std::move(parsed);
    operation.id = row.integer(0);
    operation.at = row.integer(1);
    operation.kind = row.text(2);
    operation.detail = row.text(3);
    operation.isUndone = row.integer(5) != 0;
    operations.push_back(std::move(operation));
    return {};
  }));
  STRATA_TRY(addParts(state_->database, operations));
  return operations;
}

Result<void> Catalog::log(const Operation& operation) {
  const Database& database = state_->database;
  STRATA_TRY(const bool isThere, isLogged(database, operation.token));
  if (isThere) return {};
  STRATA_TRY(const auto earlier, entryOfCommand(database, operation));
  if (earlier && hasSteps(*earlier) && hasSteps(operation)) {
    return addPart(database, earlier->id, operation);
  }
  Statement entry(database, "INSERT INTO operations(at, kind, detail) VALUES(?, ?, ?)");
  entry.bind(operation.at).bind(std::string_view(operation.kind));
  STRATA_TRY(entry.bind(std::string_view(operation.detail)).run());
  Statement steps(database,
                  "INSERT OR REPLACE INTO operation_steps(operation, token, undone, steps)"
                  " VALUES(last_insert_rowid(), ?, 0, ?)");
  const std::string text = serializeOperation(operation);
  STRATA_TRY(steps.bind(std::string_view(operation.token)).bind(std::string_view(text)).run());
  if (!operation.reverted.empty()) {
    Statement mark(database, "UPDATE operation_steps SET undone = ? WHERE token = ?");
    mark.bind(std::int64_t{operation.undoes}).bind(std::string_view(operation.reverted));
    STRATA_TRY(mark.run());
  }
  return forgetOld(database, isOwnKind(operation.kind));
}

}  // namespace strata
