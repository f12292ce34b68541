#include "gui/jobs/preview_job.h"

#include <QCoreApplication>
#include <filesystem>

#include "onnx_io/model_reader.h"

namespace strata::gui {
namespace {

namespace fs = std::filesystem;

struct Words {
  Q_DECLARE_TR_FUNCTIONS(strata::gui::Preview)
};

/// What a source was opened for; another one is another source.
struct Key {
  const Store* store = nullptr;
  QString path;
  QString base;
  QString profile;  ///< it says with which effort
  std::uintmax_t byteCount = 0;
  fs::file_time_type changed;

  static Key of(const StorePtr& store, const TuneRequest& request) {
    const fs::path path = request.path.toStdString();
    std::error_code gone;
    Key key{store.get(), request.path, request.base, request.profile, fs::file_size(path, gone),
            {}};
    key.changed = fs::last_write_time(path, gone);
    return key;
  }
  bool operator==(const Key&) const = default;
};

}  // namespace

class PreviewSource {
 public:
  static Result<PreviewSourcePtr> open(StorePtr store, const TuneRequest& request) {
    auto source = std::make_shared<PreviewSource>();
    source->key_ = Key::of(store, request);
    source->store_ = std::move(store);
    STRATA_TRY(source->model_, openModel(request.path.toStdString()));
    STRATA_TRY(const TuneOptions options, tuneOptions(*source->store_, request));
    STRATA_TRY(source->estimator_,
               SettingsEstimator::open(*source->store_, *source->model_, options));
    return source;
  }

  bool isFor(const Key& key) const { return key_ == key; }
  const ModelDescription& model() const { return model_->description(); }
  const SettingsEstimator& estimator() const { return *estimator_; }

 private:
  Key key_;
  StorePtr store_;
  std::unique_ptr<ModelSource> model_;
  std::unique_ptr<SettingsEstimator> estimator_;  ///< reads the two above
};

namespace {

Result<Preview> preview(const StorePtr& store, const TuneRequest& request, PreviewSourcePtr source,
                        const std::stop_token& stop) {
  Preview made;
  STRATA_TRY(const QualityPlan plan, planOf(request));
  made.settings = plan.quantize;
  if (!source || !source->isFor(Key::of(store, request))) {
    source.reset();
    STRATA_TRY(source, PreviewSource::open(store, request));
  }
  STRATA_TRY(checkProtected(request, source->model()));
  STRATA_TRY(made.report,
             source->estimator().estimate(plan.quantize, {.seed = plan.quantize.seed}, stop));
  made.source = std::move(source);
  return made;
}

}  // namespace

OpJob<Preview>* previewJob(const StorePtr& store, const TuneRequest& request,
                           PreviewSourcePtr source) {
  return new OpJob<Preview>(
      Words::tr("Previewing settings for %1").arg(request.path.section(u'/', -1)),
      Words::tr("The settings could not be previewed"), store,
      [store, request, source = std::move(source)](const std::stop_token& stop,
                                                   const ProgressSink&) mutable {
        return preview(store, request, std::move(source), stop);
      });
}

}  // namespace strata::gui
