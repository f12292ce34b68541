#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/result.h"
#include "core/store/catalog/catalog.h"
#include "core/store/store.h"

namespace strata {

struct HistoryOptions {
  std::size_t limit = 0;  ///< so many, the latest; 0: all that are kept
};

/// What was done to a store, the latest first; the last thousand are kept. Without the checks and
/// repairs that the store makes by itself. Fails with what the catalog fails with.
Result<std::vector<Operation>> operationHistory(const Store& store, const HistoryOptions& options);

/// Whether `undo` and `redo` are about operations of this kind.
bool isUndoable(const Operation& operation) noexcept;

/// The operations that `undo` and `redo` are about now; nothing where there is none.
struct Reversals {
  std::optional<Operation> undo;
  std::optional<Operation> redo;
};

/// Goes by the log alone: only undoOperation() finds out whether the store still has what it takes.
/// Fails with what the catalog fails with.
Result<Reversals> nextReversals(const Store& store);

/// Whether `undo` with its number takes it back: what it takes is there, and nothing of it was
/// changed since.
bool canTakeBack(const Store& store, const Operation& operation);

struct UndoOptions {
  /// Do again what the last `undo` took back, unless a new operation came since.
  bool again = false;
  std::optional<std::int64_t> id = {};  ///< an operation other than the last
  bool dryRun = false;                  ///< find it, change nothing
};

struct UndoReport {
  Operation operation;               ///< taken back, or done again
  std::vector<std::string> changes;  ///< what that made of versions and tags, for people
};

/// Takes back the last operation that was not taken back yet: an `add`, `remove`, `prune`,
/// `rename`, `recode`, change of tags, notes or sources, `trash restore`, or the new numbers of a
/// `push --renumber` of this store, whoever did it. What it added goes to the trash; what it coded
/// anew is stored as before. All of it is taken back, or nothing. Fails with NotFound if there is
/// none, or what it takes is gone (the trash was emptied, gc freed objects); InvalidArgument if
/// something of it was changed since; CorruptData if what it takes is damaged; StoreLocked, Io.
Result<UndoReport> undoOperation(Store& store, const UndoOptions& options);

}  // namespace strata
