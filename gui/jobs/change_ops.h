#pragma once

#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "core/ops/versions/edit_note.h"
#include "core/ops/versions/operation_history.h"
#include "core/ops/versions/prune_versions.h"
#include "core/ops/versions/recode_version.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/rename_versions.h"
#include "core/ops/versions/tags.h"
#include "gui/jobs/job.h"
#include "gui/jobs/store_session.h"

namespace strata::gui {

/// Jobs that change versions which are stored already, and those that take such changes back. But
/// for recodeJob() they go to the lane of edits.

/// What an op came to, and the entry that it made in the log of operations: what "Undo" beside its
/// result takes back. Without one where nothing changed, or where another program made an entry of
/// the same kind at the same moment.
template <typename Report>
struct Changed {
  Report report;
  std::optional<Operation> operation;
};

OpJob<Changed<RemoveReport>>* removeJob(const StorePtr& store, const RemoveOptions& options);
OpJob<Changed<PruneReport>>* pruneJob(const StorePtr& store, const PruneOptions& options);
OpJob<Changed<RenameReport>>* renameJob(const StorePtr& store, const RenameOptions& options);
OpJob<Changed<TagReport>>* tagJob(const StorePtr& store, const TagOptions& options);
OpJob<Changed<TagRow>>* untagJob(const StorePtr& store, const QString& reference);
OpJob<Changed<TextReport>>* noteJob(const StorePtr& store, const NoteOptions& options);

/// The log has what takes a recode back. `options` need no memory limit.
OpJob<RecodeReport>* recodeJob(const StorePtr& store, const RecodeOptions& options);

/// What was done to the store, the latest first.
OpJob<std::vector<Operation>>* historyJob(const StorePtr& store);
/// Takes an operation back, or does it again; `options` name it.
OpJob<UndoReport>* undoJob(const StorePtr& store, const Operation& operation,
                           const UndoOptions& options);

}  // namespace strata::gui
