#pragma once

#include <QString>
#include <QStringList>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/ops/care/verify_store.h"
#include "core/ops/inspect/diff_models.h"
#include "core/ops/inspect/export_tensors.h"
#include "core/ops/inspect/list_objects.h"
#include "core/ops/inspect/rank_bases.h"
#include "core/ops/inspect/show_version.h"
#include "core/ops/inspect/tensor_histogram.h"
#include "core/ops/quantize/add_quantized.h"
#include "core/ops/versions/restore_version.h"
#include "core/ops/versions/trash.h"
#include "gui/jobs/job.h"
#include "gui/jobs/store_session.h"

namespace strata::gui {

/// Jobs that own one op of core each. All disk access of an op, that of opening a model included,
/// happens on the worker. The caller starts them through a JobQueue.

/// What a model on disk is, and which stored base would serve it.
struct ModelFacts {
  QString path;
  QString format;
  std::uint64_t byteCount = 0;
  std::size_t fileCount = 0;
  std::size_t tensorCount = 0;
  std::vector<BaseCandidate> bases;
};
OpJob<ModelFacts>* inspectJob(const StorePtr& store, const QString& path);

/// How a model is to be stored.
struct AddRequest {
  QString path;
  QString profile = QStringLiteral("exact");
  AddOptions options;  ///< name, base, note, tags, dryRun; the rest follows from the profile
  QString evaluator;   ///< a command; empty: quality is not measured
  QString target;      ///< "quality_loss=0.5"; empty: the profile's
  /// Store with these, though they miss the target: nothing is searched.
  std::optional<QuantizeSettings> nearest;
  bool isBase = false;  ///< in full: `import`
};
struct AddOutcome {
  std::optional<TuneReport> tune;
  std::optional<AddReport> added;  ///< nothing where the target was missed
  SearchTarget target;             ///< that was missed or met
};
OpJob<AddOutcome>* addJob(const StorePtr& store, const AddRequest& request);

OpJob<RestoreReport>* restoreJob(const StorePtr& store, const RestoreOptions& options);
OpJob<VerifyReport>* verifyJob(const StorePtr& store, const VerifyOptions& options);
OpJob<TrashRestoreReport>* untrashJob(const StorePtr& store, const QStringList& labels);
OpJob<EmptyTrashReport>* emptyTrashJob(const StorePtr& store, const EmptyTrashOptions& options);
enum class Tensors { With, Without };
OpJob<ShowReport>* showJob(const StorePtr& store, const QString& reference,
                           Tensors tensors = Tensors::With);
OpJob<HistogramReport>* histogramJob(const StorePtr& store, const HistogramOptions& options);
OpJob<ExportReport>* exportJob(const StorePtr& store, ExportOptions options);
OpJob<std::vector<ObjectRow>>* objectsJob(const StorePtr& store);

/// One side of a comparison: a reference, the base of the other side, or a path on disk.
struct CompareSide {
  enum class Kind { Version, Base, File };
  Kind kind = Kind::Version;
  QString text;
};
/// Compares `a` with the version or file `b`; `threshold` is a share of changed words.
OpJob<DiffReport>* diffJob(const StorePtr& store, const CompareSide& a, const CompareSide& b,
                           double threshold);

}  // namespace strata::gui
