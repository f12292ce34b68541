#include "gui/jobs/tune_job.h"

#include "core/config/config.h"
#include "core/config/user_folders.h"
#include "core/ops/add_settings.h"
#include "core/ops/setting_effects.h"
#include "core/profile/profile.h"
#include "onnx_io/model_reader.h"

namespace strata::gui {
namespace {

/// What the form changes of the profile, by the names of its fields.
std::vector<AskedSetting> askedOf(const TuneRequest& request) {
  std::vector<AskedSetting> asked;
  const auto add = [&](bool isAsked, const char* setting, const QString& field) {
    if (isAsked) asked.push_back({setting, field.toStdString() + ":"});
  };
  add(request.stepScale.has_value(), "step", TuneJob::tr("Step scale"));
  add(request.rule.rank.has_value(), "rank", TuneJob::tr("Rank"));
  add(request.rule.pruneShare.has_value(), "prune", TuneJob::tr("Prune"));
  return asked;
}

}  // namespace

struct TuneJob::Run {
  StorePtr store;
  TuneRequest request;
  Post post;
  std::function<void(const Trial&)> tell;
  QualityPlan plan;
  std::optional<TuneReport> report;
};

Result<QualityPlan> planOf(const TuneRequest& request) {
  STRATA_TRY(const Profile profile, loadProfile(profileFolder(), request.profile.toStdString()));
  if (profile.isExact()) {
    return fail(ErrorCode::InvalidArgument,
                "profile " + profile.name + " is exact: there is nothing to tune");
  }
  QualityPlan plan = profile.plan;
  plan.trials = request.trials;
  if (request.stepScale) plan.quantize.stepScale = *request.stepScale;
  if (request.hasRule) plan.quantize.rules.push_back(request.rule);
  for (const QString& glob : request.protect) {
    plan.quantize.rules.push_back({.match = glob.toStdString(), .codec = CodecId::Integer});
  }
  plan.target = {};
  if (request.target.isEmpty()) {
    plan.method = SearchMethod::Fixed;
  } else {
    STRATA_TRY(parseTarget(request.target.toStdString(), plan.target));
    // A profile that was saved as found is where a new search begins.
    if (plan.method == SearchMethod::Fixed) plan.method = SearchMethod::Auto;
  }
  STRATA_TRY(checkEffects(plan, askedOf(request), isSearched(plan, !request.evaluator.isEmpty())));
  return plan;
}

Result<void> checkProtected(const TuneRequest& request, const ModelDescription& model) {
  std::vector<std::string> globs;
  for (const QString& glob : request.protect) globs.push_back(glob.toStdString());
  return strata::checkProtected(model, globs, TuneJob::tr("Protect").toStdString());
}

Result<TuneOptions> tuneOptions(const Store& store, const TuneRequest& request) {
  STRATA_TRY(const Config config, Config::load(userConfigFile(), store.folder() / "config.toml"));
  TuneOptions options;
  // As add has them: sizes are those of the version that it stores.
  STRATA_TRY(const Profile profile, loadProfile(profileFolder(), request.profile.toStdString()));
  CodingWish wish{.chain = ChainPolicy::Never};
  if (!request.base.isEmpty()) wish.base = request.base.toStdString();
  applyProfile(profile, wish, config, options.parent);
  options.parent.profile = request.saveAs.isEmpty() ? "custom" : request.saveAs.toStdString();
  return options;
}

TuneJob::TuneJob(StorePtr store, const TuneRequest& request, QObject* parent)
    : TuneJob(std::make_shared<Run>(Run{std::move(store), request, {}, {}, {}, {}}),
              tr("Tuning %1").arg(request.path.section(u'/', -1)), parent) {}

TuneJob::TuneJob(std::shared_ptr<Run> run, const QString& title, QObject* parent)
    : Job(
          title, tr("No settings could be found"),
          [run](const std::stop_token& stop, const ProgressSink&) { return tune(*run, stop); },
          parent),
      run_(std::move(run)) {
  qRegisterMetaType<Trial>();
  run_->tell = [this, post = poster()](const Trial& trial) {
    // Posted calls run only while the job lives.
    post([this, trial] { emit tried(trial); });
  };
}

Result<void> TuneJob::tune(Run& run, const std::stop_token& stop) {
  if (!run.store) return fail(noStoreOpen());
  const TuneRequest& request = run.request;
  STRATA_TRY(run.plan, planOf(request));
  STRATA_TRY(const std::unique_ptr<ModelSource> model, openModel(request.path.toStdString()));
  STRATA_TRY(checkProtected(request, model->description()));
  STRATA_TRY(TuneOptions options, tuneOptions(*run.store, request));
  options.plan = run.plan;
  if (!request.evaluator.isEmpty()) {
    options.evaluator = EvaluatorOptions{request.evaluator.toStdString(), std::chrono::minutes(10)};
  }
  std::error_code status;
  options.modelPath = std::filesystem::absolute(request.path.toStdString(), status);
  options.onTrial = run.tell;
  STRATA_TRY(run.report, tuneModel(*run.store, *model, options, stop));
  return {};
}

const TuneReport& TuneJob::report() const { return *run_->report; }
const QualityPlan& TuneJob::plan() const { return run_->plan; }

}  // namespace strata::gui
