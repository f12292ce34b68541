#include "core/ops/operation_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/ops/rename_versions.h"
#include "core/store/reversal.h"
#include "core/store/store_writer.h"

namespace strata {
namespace {

constexpr std::array<std::string_view, 10> kUndoable{"add",    "remove",       "prune", "rename",
                                                     "tag",    "tag remove",   "note",  "source",
                                                     "recode", "trash restore"};

/// Of checks and of settling what writers left: nobody asked for a change.
constexpr std::array<std::string_view, 4> kOwn{"verify", "settle", "rebuild", "arrival"};

template <std::size_t kCount>
bool isAmong(const std::array<std::string_view, kCount>& kinds, std::string_view kind) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

/// `operations`: the latest first. What is done again has to be later than all that is done: an
/// operation since then began another future.
Result<Operation> chosen(const std::vector<Operation>& operations, const UndoOptions& options) {
  const Operation* found = nullptr;
  for (const Operation& one : operations) {
    if (options.id) {
      if (one.id == *options.id) found = &one;
      continue;
    }
    if (!isUndoable(one)) continue;
    if (options.again) {
      if (!one.isUndone) break;
      found = &one;
    } else if (!one.isUndone) {
      found = &one;
      break;
    }
  }
  if (found == nullptr) {
    return fail(ErrorCode::NotFound,
                options.id      ? fmt::format("there is no operation {}", *options.id)
                : options.again ? "nothing was taken back that could be done again"
                                : "nothing is left to be taken back");
  }
  if (!isUndoable(*found)) {
    return fail(ErrorCode::InvalidArgument, fmt::format("operation {}, {} {}: cannot be taken back",
                                                        found->id, found->kind, found->detail));
  }
  if (found->isUndone != options.again) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("operation {}, {} {}: {}", found->id, found->kind, found->detail,
                            options.again ? "is done" : "was taken back already"));
  }
  return *found;
}

RenameOptions renameOf(const Operation& operation, bool again) {
  if (again) return {.name = operation.renamedFrom, .newName = operation.renamedTo};
  return {.name = operation.renamedTo, .newName = operation.renamedFrom};
}

/// Without a writer it is only found out whether that could be done.
Result<void> revert(const Store& store, StoreWriter* writer, const Operation& operation,
                    bool again) {
  if (operation.renamedFrom.empty()) {
    if (writer != nullptr) return writer->revert(operation, again);
    STRATA_TRY(const RefChange planned, planReversal(store, operation, again));
    return {};
  }
  const RenameOptions rename = renameOf(operation, again);
  STRATA_TRY(checkRename(store, writer ? writer->catalog() : store.catalog(), rename));
  if (writer == nullptr) return {};
  Operation back = makeOperation(again ? "redo" : "undo", operation.kind + " " + operation.detail);
  back.reverted = operation.token;
  back.undoes = !again;
  return writer->renameVersions(rename.name, rename.newName, std::move(back));
}

}  // namespace

bool isUndoable(const Operation& operation) noexcept {
  const bool hasSteps =
      !operation.versions.empty() || !operation.tags.empty() || !operation.renamedFrom.empty();
  return hasSteps && isAmong(kUndoable, operation.kind);
}

Result<std::vector<Operation>> operationHistory(const Store& store, const HistoryOptions& options) {
  STRATA_TRY(std::vector<Operation> operations, store.catalog().operations(0));
  std::erase_if(operations, [](const Operation& one) { return isAmong(kOwn, one.kind); });
  if (options.limit > 0 && operations.size() > options.limit) operations.resize(options.limit);
  return operations;
}

Result<UndoReport> undoOperation(Store& store, const UndoOptions& options) {
  std::unique_ptr<StoreWriter> writer;
  if (!options.dryRun) {
    STRATA_TRY(writer, store.lock(options.again ? "redo" : "undo"));
  }
  const Catalog& catalog = writer ? writer->catalog() : store.catalog();
  STRATA_TRY(const auto operations, catalog.operations(0));
  STRATA_TRY(const Operation operation, chosen(operations, options));
  const Result<void> done = revert(store, writer.get(), operation, options.again);
  if (!done) {
    return fail(
        done.error().within(fmt::format("{} {}: cannot be {}", operation.kind, operation.detail,
                                        options.again ? "done again" : "taken back")));
  }
  return UndoReport{operation};
}

}  // namespace strata
