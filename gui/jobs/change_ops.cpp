#include "gui/jobs/change_ops.h"

#include <QCoreApplication>
#include <algorithm>
#include <functional>

#include "core/config/config.h"
#include "core/config/user_folders.h"
#include "gui/models/columns/operation_columns.h"
#include "gui/models/wording.h"
#include "onnx_io/model_reader.h"

namespace strata::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(strata::gui::ChangeOps)
};

using Stop = const std::stop_token&;
using Sink = const ProgressSink&;

/// The only entry of a kind that the log has got since.
Result<std::optional<Operation>> entryAfter(const Store& store, std::int64_t before,
                                            std::string_view kind) {
  constexpr std::size_t kLatest = 20;
  STRATA_TRY(const auto operations, store.catalog().operations(kLatest));
  std::optional<Operation> found;
  for (const Operation& one : operations) {
    if (one.id <= before || one.kind != kind) continue;
    if (found) return std::optional<Operation>();
    found = one;
  }
  return found;
}

/// Runs an op, and finds the entry that it made. A log that cannot be read leaves it without one:
/// the op is done.
template <typename Report>
Result<Changed<Report>> change(const Store& store, std::string_view kind,
                               const std::function<Result<Report>()>& op) {
  STRATA_TRY(const auto latest, store.catalog().operations(1));
  const std::int64_t before = latest.empty() ? 0 : latest.front().id;
  STRATA_TRY(Report report, op());
  Changed<Report> changed{std::move(report), {}};
  if (auto entry = entryAfter(store, before, kind)) changed.operation = *std::move(entry);
  return changed;
}

/// A job of an op on an open store whose entry in the log is of a kind.
template <typename Report>
OpJob<Changed<Report>>* changeJob(const QString& title, const QString& failure,
                                  const StorePtr& store, const char* kind,
                                  std::function<Result<Report>(Store&)> op) {
  return new OpJob<Changed<Report>>(
      title, failure, store, [store, kind, op = std::move(op)](Stop, Sink) {
        return change<Report>(*store, kind, [&] { return op(*store); });
      });
}

}  // namespace

OpJob<Changed<RemoveReport>>* removeJob(const StorePtr& store, const RemoveOptions& options) {
  const QString names = joined(options.references, QStringLiteral(", "));
  return changeJob<RemoveReport>(Words::tr("Removing %1").arg(names),
                                 Words::tr("%1 could not be removed").arg(names), store, "remove",
                                 [options](Store& own) { return removeVersions(own, options); });
}

OpJob<Changed<PruneReport>>* pruneJob(const StorePtr& store, const PruneOptions& options) {
  const QString names = joined(options.names, QStringLiteral(", "));
  return changeJob<PruneReport>(
      Words::tr("Pruning %1").arg(names), Words::tr("%1 could not be pruned").arg(names), store,
      "prune", [options](Store& own) { return pruneVersions(own, options, {}, {}); });
}

OpJob<Changed<RenameReport>>* renameJob(const StorePtr& store, const RenameOptions& options) {
  const QString name = text(options.name);
  return changeJob<RenameReport>(Words::tr("Renaming %1").arg(name),
                                 Words::tr("%1 could not be renamed").arg(name), store, "rename",
                                 [options](Store& own) { return renameVersions(own, options); });
}

OpJob<Changed<TagReport>>* tagJob(const StorePtr& store, const TagOptions& options) {
  const QString name = text(options.reference);
  return changeJob<TagReport>(Words::tr("Tagging %1").arg(name),
                              Words::tr("%1 could not be tagged").arg(name), store, "tag",
                              [options](Store& own) { return addTag(own, options); });
}

OpJob<Changed<TagRow>>* untagJob(const StorePtr& store, const QString& reference) {
  return changeJob<TagRow>(
      Words::tr("Taking the tag off %1").arg(reference),
      Words::tr("The tag %1 could not be removed").arg(reference), store, "tag remove",
      [name = reference.toStdString()](Store& own) { return removeTag(own, name); });
}

OpJob<Changed<TextReport>>* noteJob(const StorePtr& store, const NoteOptions& options) {
  const QString name = text(options.reference);
  return changeJob<TextReport>(Words::tr("Writing the note of %1").arg(name),
                               Words::tr("The note of %1 could not be written").arg(name), store,
                               "note", [options](Store& own) { return editNote(own, options); });
}

OpJob<RecodeReport>* recodeJob(const StorePtr& store, const RecodeOptions& options) {
  const QString name = text(options.reference);
  return new OpJob<RecodeReport>(
      options.dryRun ? Words::tr("Trying to recode %1").arg(name)
                     : Words::tr("Recoding %1").arg(name),
      Words::tr("%1 could not be recoded").arg(name), store,
      [store, options](Stop stop, Sink sink) -> Result<RecodeReport> {
        STRATA_TRY(const Config config,
                   Config::load(userConfigFile(), store->folder() / "config.toml"));
        RecodeOptions wanted = options;
        wanted.reader = [](const std::filesystem::path& path) { return openModel(path); };
        wanted.memoryBytes = config.byteCount("memory");
        return recodeVersion(*store, wanted, stop, sink);
      });
}

OpJob<std::vector<Operation>>* historyJob(const StorePtr& store) {
  return new OpJob<std::vector<Operation>>(
      Words::tr("Reading the history"), Words::tr("The history could not be read"), store,
      [store](Stop, Sink) { return operationHistory(*store, {}); });
}

OpJob<UndoReport>* undoJob(const StorePtr& store, const Operation& operation,
                           const UndoOptions& options) {
  const QString what = operationText(operation);
  return new OpJob<UndoReport>(
      options.again ? Words::tr("Doing again: %1").arg(what)
                    : Words::tr("Taking back: %1").arg(what),
      options.again ? Words::tr("Could not be done again: %1").arg(what)
                    : Words::tr("Could not be taken back: %1").arg(what),
      store, [store, options](Stop, Sink) { return undoOperation(*store, options); });
}

}  // namespace strata::gui
