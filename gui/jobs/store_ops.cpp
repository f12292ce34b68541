#include "gui/jobs/store_ops.h"

#include <QCoreApplication>

#include "core/config/user_folders.h"
#include "core/ops/versions/add_settings.h"
#include "core/ops/versions/import_base.h"
#include "core/store/objects/probe.h"
#include "gui/models/wording.h"
#include "onnx_io/model_reader.h"
#include "onnx_io/plain_arrays.h"

namespace strata::gui {
namespace {

namespace fs = std::filesystem;

struct Words {
  Q_DECLARE_TR_FUNCTIONS(strata::gui::StoreOps)
};

using Stop = const std::stop_token&;
using Sink = const ProgressSink&;

Result<ModelFacts> inspect(const Store& store, const QString& path) {
  STRATA_TRY(const std::unique_ptr<ModelSource> model, openModel(path.toStdString()));
  const ModelDescription& found = model->description();
  ModelFacts facts;
  facts.path = path;
  facts.format = text(found.format);
  facts.byteCount = originalBytes(found);
  facts.fileCount = found.files.size();
  facts.tensorCount = found.tensors.size();
  STRATA_TRY(facts.bases, rankStoredBases(store, *model));
  return facts;
}

/// What the form asks for on top of a profile.
Result<QualityPlan> planOf(const AddRequest& request, QualityPlan plan) {
  if (!request.target.isEmpty()) {
    STRATA_TRY(parseTarget(request.target.toStdString(), plan.target));
  }
  if (request.nearest) {
    plan.quantize = *request.nearest;
    plan.method = SearchMethod::Fixed;
  }
  return plan;
}

Result<AddOutcome> addLossy(Store& store, const ModelSource& model, const AddRequest& request,
                            const AddOptions& options, QualityPlan plan, Stop stop, Sink sink) {
  TuneOptions tune;
  tune.plan = std::move(plan);
  if (!request.evaluator.isEmpty()) {
    tune.evaluator = EvaluatorOptions{request.evaluator.toStdString(), std::chrono::minutes(10)};
  }
  std::error_code status;
  tune.modelPath = fs::absolute(request.path.toStdString(), status);
  const auto missed = request.nearest ? MissedGate::Store : MissedGate::Refuse;
  STRATA_TRY(QuantizedAdd done, addQuantized(store, model, options, tune, missed, stop, sink));
  return AddOutcome{std::move(done.tune), std::move(done.added), tune.plan.target};
}

Result<AddOutcome> addModel(Store& store, const AddRequest& request, Stop stop, Sink sink) {
  STRATA_TRY(const Config config, Config::load(userConfigFile(), store.folder() / "config.toml"));
  STRATA_TRY(const std::unique_ptr<ModelSource> model, openModel(request.path.toStdString()));
  AddOptions options = request.options;
  if (request.isBase) {
    ImportOptions base{.name = options.name, .note = options.note, .tags = options.tags};
    base.dryRun = options.dryRun;
    applySettings(config, std::nullopt, base);
    STRATA_TRY(AddReport report, importBase(store, *model, base, stop, sink));
    return AddOutcome{{}, std::move(report), {}};
  }
  CodingWish wish{.profile = request.profile.toStdString()};
  wish.quality = [&](QualityPlan plan) { return planOf(request, std::move(plan)); };
  STRATA_TRY(const auto plan, chooseCoding(wish, config, options));
  if (plan) return addLossy(store, *model, request, options, *plan, stop, sink);
  STRATA_TRY(AddReport report, addVersion(store, *model, options, stop, sink));
  return AddOutcome{{}, std::move(report), {}};
}

Result<DiffReport> diffSides(const Store& store, const CompareSide& a, const CompareSide& b,
                             double threshold, Stop stop, Sink sink) {
  DiffOptions options;
  options.threshold = threshold;
  if (a.kind == CompareSide::Kind::Base) {
    return diffToBase(store, b.text.toStdString(), options, stop, sink);
  }
  std::unique_ptr<ModelSource> models[2];
  DiffSide sides[2];
  const CompareSide* chosen[2] = {&a, &b};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string name = chosen[i]->text.toStdString();
    if (chosen[i]->kind == CompareSide::Kind::File) {
      STRATA_TRY(models[i], openModel(name));
      sides[i] = {.model = models[i].get(), .label = fs::path(name).filename().string()};
    } else {
      sides[i] = {.store = &store, .reference = name};
    }
  }
  return diffModels(sides[0], sides[1], options, stop, sink);
}

}  // namespace

OpJob<ModelFacts>* inspectJob(const StorePtr& store, const QString& path) {
  return new OpJob<ModelFacts>(Words::tr("Looking at %1").arg(path),
                               Words::tr("%1 cannot be added").arg(path), store,
                               [store, path](Stop, Sink) { return inspect(*store, path); });
}

OpJob<AddOutcome>* addJob(const StorePtr& store, const AddRequest& request) {
  const QString name = text(request.options.name);
  const bool isDry = request.options.dryRun;
  return new OpJob<AddOutcome>(
      isDry ? Words::tr("Estimating %1").arg(name) : Words::tr("Adding %1").arg(name),
      isDry ? Words::tr("%1 could not be estimated").arg(name)
            : Words::tr("%1 could not be added").arg(name),
      store,
      [store, request](Stop stop, Sink sink) { return addModel(*store, request, stop, sink); });
}

OpJob<RestoreReport>* restoreJob(const StorePtr& store, const RestoreOptions& options) {
  const QString name = text(options.reference);
  return new OpJob<RestoreReport>(Words::tr("Restoring %1").arg(name),
                                  Words::tr("%1 could not be restored").arg(name), store,
                                  [store, options](Stop stop, Sink sink) {
                                    return restoreVersion(*store, options, stop, sink);
                                  });
}

OpJob<VerifyReport>* verifyJob(const StorePtr& store, const VerifyOptions& options) {
  return new OpJob<VerifyReport>(
      Words::tr("Verifying"), Words::tr("The store could not be verified"), store,
      [store, options](Stop stop, Sink sink) { return verifyStore(*store, options, stop, sink); });
}

OpJob<TrashRestoreReport>* untrashJob(const StorePtr& store, const QStringList& labels) {
  std::vector<std::string> references;
  for (const QString& label : labels) references.push_back(label.toStdString());
  const QString names = labels.join(QStringLiteral(", "));
  return new OpJob<TrashRestoreReport>(
      Words::tr("Bringing back %1").arg(names),
      Words::tr("%1 could not be brought back").arg(names), store,
      [store, references](Stop, Sink) { return restoreFromTrash(*store, references); });
}

OpJob<EmptyTrashReport>* emptyTrashJob(const StorePtr& store, const EmptyTrashOptions& options) {
  return new OpJob<EmptyTrashReport>(
      Words::tr("Emptying the trash"), Words::tr("The trash could not be emptied"), store,
      [store, options](Stop stop, Sink sink) { return emptyTrash(*store, options, stop, sink); });
}

OpJob<ShowReport>* showJob(const StorePtr& store, const QString& reference, Tensors tensors) {
  return new OpJob<ShowReport>(
      Words::tr("Reading %1").arg(reference), Words::tr("%1 could not be read").arg(reference),
      store, [store, reference, tensors](Stop, Sink) {
        return showVersion(
            *store, {.reference = reference.toStdString(), .tensors = tensors == Tensors::With});
      });
}

OpJob<HistogramReport>* histogramJob(const StorePtr& store, const HistogramOptions& options) {
  const QString name = text(options.tensor);
  return new OpJob<HistogramReport>(
      Words::tr("Reading %1").arg(name),
      Words::tr("The distribution of %1 could not be read").arg(name), store,
      [store, options](Stop stop, Sink) { return tensorHistogram(*store, options, stop); });
}

OpJob<ExportReport>* exportJob(const StorePtr& store, ExportOptions options) {
  const QString name = joined(options.globs, QStringLiteral(", "));
  options.arrays = plainArraysOf;
  return new OpJob<ExportReport>(Words::tr("Exporting %1").arg(name),
                                 Words::tr("%1 could not be exported").arg(name), store,
                                 [store, options](Stop stop, Sink sink) {
                                   return exportTensors(*store, options, stop, sink);
                                 });
}

OpJob<std::vector<ObjectRow>>* objectsJob(const StorePtr& store) {
  return new OpJob<std::vector<ObjectRow>>(Words::tr("Listing objects"),
                                           Words::tr("The objects could not be listed"), store,
                                           [store](Stop, Sink) { return listObjects(*store); });
}

OpJob<DiffReport>* diffJob(const StorePtr& store, const CompareSide& a, const CompareSide& b,
                           double threshold) {
  return new OpJob<DiffReport>(Words::tr("Comparing"),
                               Words::tr("%1 could not be compared").arg(b.text), store,
                               [store, a, b, threshold](Stop stop, Sink sink) {
                                 return diffSides(*store, a, b, threshold, stop, sink);
                               });
}

}  // namespace strata::gui
