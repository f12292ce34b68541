#include "gui/jobs/sample_ops.h"

#include <QCoreApplication>
#include <QFile>
#include <QTemporaryDir>
#include <iterator>

#include "core/ops/versions/add_version.h"
#include "core/ops/versions/import_base.h"
#include "gui/models/wording.h"
#include "onnx_io/model_reader.h"

namespace strata::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(strata::gui::SampleOps)
};

/// A model of the sample, as gui/CMakeLists.txt builds it in. The first is the base.
struct SampleModel {
  const char* file;
  const char* name;
  const char* note;
};
constexpr SampleModel kModels[] = {
    {"base.safetensors", "digits", "reads 8x8 pixel handwritten digits"},
    {"rotated.safetensors", "rotated", "tuned on digits turned by up to 40 degrees"},
    {"shifted-1.safetensors", "shifted", "tuned on shifted digits, checkpoint 1 of 3"},
    {"shifted-2.safetensors", "shifted", "checkpoint 2 of 3"},
    {"shifted-3.safetensors", "shifted", "checkpoint 3 of 3"},
};

QString resourceOf(const SampleModel& model) {
  return QStringLiteral(":/sample/") + QLatin1String(model.file);
}

Result<std::unique_ptr<ModelSource>> openSample(const SampleModel& model,
                                                const QTemporaryDir& folder) {
  const QString path = folder.filePath(QLatin1String(model.file));
  if (!folder.isValid() || !QFile::copy(resourceOf(model), path)) {
    return fail(ErrorCode::Io, path.toStdString() + ": could not be written");
  }
  return openModel(path.toStdString());
}

/// A version that an earlier run of the sample made; empty if there is none.
Result<QString> knownLabel(const Store& store, const SampleModel& sample) {
  STRATA_TRY(const auto versions, store.catalog().versionsOf(sample.name));
  for (const VersionEntry& version : versions) {
    if (version.note == sample.note) return labelText(version);
  }
  return QString();
}

Result<QStringList> addSample(Store& store, const std::stop_token& stop,
                              const ProgressSink& progress) {
  const QTemporaryDir folder;
  QStringList labels;
  for (const SampleModel& sample : kModels) {
    STRATA_TRY(const QString known, knownLabel(store, sample));
    if (!known.isEmpty()) {
      labels << known;
      continue;
    }
    STRATA_TRY(const std::unique_ptr<ModelSource> model, openSample(sample, folder));
    if (labels.isEmpty()) {
      const ImportOptions options{.name = sample.name, .note = sample.note};
      STRATA_TRY(const AddReport report, importBase(store, *model, options, stop, progress));
      labels << labelText(report.version);
      continue;
    }
    AddOptions options;
    options.name = sample.name;
    options.baseChoice = BaseChoice::Reference;
    options.base = labels.front().toStdString();
    options.note = sample.note;
    STRATA_TRY(const AddReport report, addVersion(store, *model, options, stop, progress));
    labels << labelText(report.version);
  }
  return labels;
}

}  // namespace

std::uint64_t sampleBytes() {
  std::uint64_t sum = 0;
  for (const SampleModel& model : kModels) {
    sum += static_cast<std::uint64_t>(QFile(resourceOf(model)).size());
  }
  return sum;
}

OpJob<QStringList>* addSampleJob(const StorePtr& store) {
  return new OpJob<QStringList>(Words::tr("Adding the sample"),
                                Words::tr("The sample could not be added"), store,
                                [store](std::stop_token stop, const ProgressSink& progress) {
                                  return addSample(*store, stop, progress);
                                });
}

}  // namespace strata::gui
