#include "core/ops/versions/operation_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "core/archive/read/lineage_limit.h"
#include "core/ops/detail/lineage_reach.h"
#include "core/ops/versions/rename_versions.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/objects/lineage_check.h"
#include "core/store/refs/reversal.h"
#include "core/store/store_writer.h"
#include "core/text/command_words.h"

namespace strata {
namespace {

constexpr std::array<std::string_view, 11> kUndoable{
    "add",  "remove", "prune",         "rename", "tag",     "tag remove",
    "note", "source", "trash restore", "recode", "renumber"};

bool isOfUndoableKind(const Operation& operation) {
  return std::find(kUndoable.begin(), kUndoable.end(), operation.kind) != kUndoable.end();
}

/// What the last `undo` took back that is not done again yet. A new operation since then began
/// another future. `operations`: the latest first.
const Operation* lastUndone(const std::vector<Operation>& operations) {
  for (const Operation& one : operations) {
    if (isOfUndoableKind(one)) return nullptr;
    if (one.reverted.empty() || !one.undoes) continue;
    const auto meant = std::find_if(operations.begin(), operations.end(),
                                    [&](const auto& done) { return done.token == one.reverted; });
    if (meant != operations.end() && meant->isUndone && isUndoable(*meant)) return &*meant;
  }
  return nullptr;
}

/// The last operation that `undo` has not taken back yet.
const Operation* lastDone(const std::vector<Operation>& operations) {
  const auto last = std::find_if(operations.begin(), operations.end(), [](const Operation& one) {
    return isUndoable(one) && !one.isUndone;
  });
  return last == operations.end() ? nullptr : &*last;
}

/// ", because …" where the log began anew with the catalog.
std::string lostHistory(const std::vector<Operation>& operations) {
  const auto anew = std::find_if(operations.begin(), operations.end(), [](const auto& one) {
    return one.kind == "rebuild" && !one.detail.empty();
  });
  return anew == operations.end() ? std::string() : "; " + anew->detail;
}

/// `operations`: the latest first.
Result<Operation> chosen(const std::vector<Operation>& operations, const UndoOptions& options) {
  const Operation* found = nullptr;
  if (options.id) {
    const auto meant = std::find_if(operations.begin(), operations.end(),
                                    [&](const auto& one) { return one.id == *options.id; });
    if (meant != operations.end()) found = &*meant;
  } else {
    found = options.again ? lastUndone(operations) : lastDone(operations);
  }
  if (found == nullptr) {
    return fail(ErrorCode::NotFound,
                (options.id      ? fmt::format("there is no operation {}", *options.id)
                 : options.again ? "nothing was taken back that could be done again"
                                 : "nothing is left to be taken back") +
                    lostHistory(operations));
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

/// A version that gets a coding back which it had has to restore by it, and so has what stands on
/// it. Nothing has needed the objects meanwhile, so they are hashed.
Result<void> checkCodings(const Store& store, const Catalog& catalog, const RefChange& planned) {
  LineageCheck check(store);
  STRATA_TRY(const LineageReach reach, LineageReach::load(catalog));
  for (const VersionRef& ref : planned.versions) {
    STRATA_TRY(const auto listed, catalog.version(ref.name, ref.number, ref.place()));
    if (!listed || listed->manifestDigest == ref.manifestDigest) continue;
    STRATA_TRY(const Manifest manifest, readManifest(store, ref.manifestDigest, ref.contentDigest));
    VersionEntry former = *listed;
    former.manifestDigest = ref.manifestDigest;
    STRATA_TRY(const bool isSound, check.isSound(former, {}, {}));
    const auto parent = manifest.parentDigest;
    const bool stands =
        !parent ||
        (!reach.isCircle(*parent, ref.contentDigest) &&
         reach.parentCount(*parent) + 1 + reach.dependantCount(ref.contentDigest) <= kMostParents);
    if (isSound && stands) continue;
    return fail(ErrorCode::CorruptData,
                fmt::format("{}: does not restore by the objects that it had then: {}", ref.label(),
                            stands ? "they are damaged, or its parent is gone"
                                   : "its parent stands on it by now"));
  }
  return {};
}

/// Returns what was done, with its steps. Without a writer that is only found out.
/// `isChecked`: objects that nothing needs now are hashed before anything rests on them again.
Result<Operation> revert(const Store& store, StoreWriter* writer, const Operation& operation,
                         bool again, bool isChecked) {
  Operation back = makeOperation(again ? "redo" : "undo", operation.kind + " " + operation.detail);
  back.reverted = operation.token;
  back.undoes = !again;
  if (operation.renamedFrom.empty()) {
    STRATA_TRY(const RefChange planned, planReversal(store, operation, again));
    addSteps(back, store.refs(), planned);
    if (isChecked) {
      STRATA_TRY(checkCodings(store, writer ? writer->catalog() : store.catalog(), planned));
    }
    if (writer != nullptr) STRATA_TRY(writer->revert(back, planned));
    return back;
  }
  const RenameOptions rename = renameOf(operation, again);
  STRATA_TRY(checkRename(store, writer ? writer->catalog() : store.catalog(), rename));
  back.renamedFrom = rename.name;
  back.renamedTo = rename.newName;
  if (writer != nullptr) STRATA_TRY(writer->renameVersions(rename.name, rename.newName, back));
  return back;
}

/// Advice for a last operation that cannot be taken back: the last before it that can.
std::string earlierAdvice(const Store& store, const std::vector<Operation>& operations,
                          std::int64_t id) {
  for (const Operation& one : operations) {
    if (one.id >= id || !canTakeBack(store, one)) continue;
    return fmt::format("; \"strata undo {}\" takes an earlier one back: {} {}", one.id, one.kind,
                       one.detail);
  }
  return {};
}

/// Advice for a rename that cannot be taken back, because its former name is in use by what came
/// back with a pull: the contents are those under the new name, so none is lost.
std::string wayBackOfRename(const Catalog& catalog, const Operation& operation) {
  const auto versions = catalog.versions();
  if (!versions) return {};
  std::set<Digest> kept;
  std::set<Digest> inTheWay;
  for (const VersionEntry& one : *versions) {
    if (one.name == operation.renamedTo) kept.insert(one.contentDigest);
    if (one.name == operation.renamedFrom) inTheWay.insert(one.contentDigest);
  }
  const bool areKept = std::ranges::includes(kept, inTheWay);
  if (inTheWay.empty() || !areKept) return {};
  return fmt::format(
      ", and {1} has the same; \"strata remove {0} --now\" frees the name, and then \"strata undo "
      "{2}\" takes the rename back",
      shellWord(operation.renamedFrom), operation.renamedTo, operation.id);
}

}  // namespace

bool canTakeBack(const Store& store, const Operation& operation) {
  return isUndoable(operation) && !operation.isUndone &&
         revert(store, nullptr, operation, false, /*isChecked=*/false).has_value();
}

bool isUndoable(const Operation& operation) noexcept {
  const bool hasSteps =
      !operation.versions.empty() || !operation.tags.empty() || !operation.renamedFrom.empty();
  return hasSteps && isOfUndoableKind(operation);
}

Result<std::vector<Operation>> operationHistory(const Store& store, const HistoryOptions& options) {
  STRATA_TRY(std::vector<Operation> operations, store.catalog().operations(0));
  std::erase_if(operations, [](const Operation& one) { return isOwnKind(one.kind); });
  if (options.limit > 0 && operations.size() > options.limit) operations.resize(options.limit);
  return operations;
}

Result<Reversals> nextReversals(const Store& store) {
  STRATA_TRY(const auto operations, store.catalog().operations(0));
  Reversals next;
  if (const Operation* const done = lastDone(operations)) next.undo = *done;
  if (const Operation* const undone = lastUndone(operations)) next.redo = *undone;
  return next;
}

Result<UndoReport> undoOperation(Store& store, const UndoOptions& options) {
  std::unique_ptr<StoreWriter> writer;
  if (!options.dryRun) {
    STRATA_TRY(writer, store.lock(options.again ? "redo" : "undo"));
  }
  const Catalog& catalog = writer ? writer->catalog() : store.catalog();
  STRATA_TRY(const auto operations, catalog.operations(0));
  STRATA_TRY(const Operation operation, chosen(operations, options));
  const Result<Operation> done = revert(store, writer.get(), operation, options.again, true);
  if (!done) {
    Error error =
        done.error().within(fmt::format("{} {}: cannot be {}", operation.kind, operation.detail,
                                        options.again ? "done again" : "taken back"));
    // What stands in the way of a rename is no earlier operation's.
    const bool isRename = !operation.renamedFrom.empty();
    if (isRename && !options.again) error.message += wayBackOfRename(catalog, operation);
    const bool isLast = !options.again && !options.id && !isRename;
    if (isLast) error.message += earlierAdvice(store, operations, operation.id);
    return fail(std::move(error));
  }
  return UndoReport{operation, stepTexts(*done)};
}

}  // namespace strata
