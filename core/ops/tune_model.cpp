#include "core/ops/tune_model.h"

#include <algorithm>
#include <map>

#include "core/codec/lossy_codec.h"
#include "core/evaluate/evaluator_pool.h"
#include "core/ops/detail/model_quantizer.h"
#include "core/progress_meter.h"
#include "core/search/model_trials.h"
#include "core/search/trial_log.h"

namespace strata {
namespace {

/// What a version records of settings and scores takes about as much as this. A trial has none of
/// it.
std::uint64_t recordedBytes(const QualityPlan& plan) {
  constexpr std::uint64_t kBytesOfScores = 256;
  return qualityProfileText({}, plan).size() / 2 + kBytesOfScores;
}

/// Of the tensors that can be quantized, the kind of most bytes first.
std::vector<KindShare> kindsOf(const ModelDescription& model) {
  std::map<TensorKind, double> bytes;
  double all = 0;
  for (const TensorInfo& tensor : model.tensors) {
    if (!isQuantizable(wordFormat(tensor.type))) continue;
    bytes[tensor.kind] += static_cast<double>(tensor.byteCount);
    all += static_cast<double>(tensor.byteCount);
  }
  std::vector<KindShare> kinds;
  for (const auto& [kind, count] : bytes) kinds.push_back({kind, all > 0 ? count / all : 0});
  std::stable_sort(kinds.begin(), kinds.end(),
                   [](const KindShare& a, const KindShare& b) { return a.share > b.share; });
  return kinds;
}

std::uint64_t bytesOf(const ModelDescription& model) {
  std::uint64_t bytes = 0;
  for (const ModelFile& file : model.files) bytes += file.bytes.size();
  return bytes;
}

class Tuning {
 public:
  Tuning(const Store& store, const ModelSource& model, const TuneOptions& options,
         std::stop_token stop)
      : store_(store), model_(model), options_(options), stop_(std::move(stop)) {}

  Result<TuneReport> run() {
    report_.originalBytes = bytesOf(model_.description());
    STRATA_TRY(prepare());
    STRATA_TRY(const auto evaluators, startEvaluators(options_.evaluator, options_.evaluatorCount));
    if (evaluators && options_.onReference) options_.onReference(evaluators->reference());
    STRATA_TRY(const auto trials,
               ModelTrials::open(*quantizer_, model_.description(), evaluators.get()));
    STRATA_TRY(report_.search, searchSettings(*trials, searchOptions(), stop_));
    const Trial* chosen = report_.chosen();
    if (chosen == nullptr || !evaluators) return std::move(report_);
    if (chosen->measured.evaluation) {
      report_.choice = scoreChange(evaluators->reference(), *chosen->measured.evaluation);
    }
    STRATA_TRY(scoreTest(*trials, chosen->settings));
    if (report_.test && report_.search.best) {
      report_.missedOnTest = !allowsLoss(options_.plan.target, *report_.test);
    }
    return std::move(report_);
  }

 private:
  Result<void> prepare() {
    STRATA_TRY(ModelQuantizer opened, openQuantizer(store_, model_, options_));
    report_.parentLabel = std::move(opened.parentLabel);
    quantizer_ = std::move(opened.quantizer);
    return {};
  }

  /// Null where no program is named.
  Result<std::unique_ptr<EvaluatorPool>> startEvaluators(
      const std::optional<EvaluatorOptions>& program, std::size_t count) {
    if (!program) return std::unique_ptr<EvaluatorPool>();
    return EvaluatorPool::start(*program, options_.modelPath, count, stop_);
  }

  SearchOptions searchOptions() const {
    const QualityPlan& plan = options_.plan;
    SearchOptions search{.target = plan.target,
                         .method = plan.hasTarget() ? plan.method : SearchMethod::Fixed,
                         .start = plan.quantize,
                         .kinds = kindsOf(model_.description()),
                         .hasGradients = options_.gradients != nullptr,
                         .trials = plan.trials.value_or(kUsualTrials),
                         .onTrial = options_.onTrial};
    if (search.target.bytes && search.method != SearchMethod::Fixed) {
      *search.target.bytes -= std::min(*search.target.bytes / 8, recordedBytes(plan));
    }
    search.timeLimit = plan.timeLimit.value_or(std::chrono::seconds(0));
    return search;
  }

  /// Scores what was chosen on other samples. Settings are not lost for a test that fails.
  Result<void> scoreTest(ModelTrials& trials, const QuantizeSettings& settings) {
    if (!options_.testEvaluator || report_.search.end == SearchReport::End::Cancelled) return {};
    const auto failed = [&](const Error& error) -> Result<void> {
      if (error.code != ErrorCode::Evaluator) return fail(error);
      report_.testFailure = error.message;
      return {};
    };
    const auto evaluators = startEvaluators(options_.testEvaluator, 1);
    if (!evaluators) return failed(evaluators.error());
    const auto score = trials.scoreWith(**evaluators, settings, stop_);
    if (!score) return failed(score.error());
    report_.test = scoreChange((*evaluators)->reference(), *score);
    return {};
  }

  const Store& store_;
  const ModelSource& model_;
  const TuneOptions& options_;
  std::stop_token stop_;
  std::unique_ptr<Quantizer> quantizer_;
  TuneReport report_;
};

}  // namespace

const Trial* TuneReport::chosen() const noexcept {
  const std::optional<std::size_t> index = search.best ? search.best : search.nearest;
  return index ? &search.trials[*index] : nullptr;
}

namespace {

ProfileScore profileScore(std::string data, const Digest& content, const ScoreChange& change) {
  ProfileScore score{.content = content,
                     .data = std::move(data),
                     .metric = change.reference.metric,
                     .reference = change.reference.score,
                     .score = change.restored.score,
                     .samples = change.reference.samples,
                     .divergence = change.restored.divergence};
  if (change.test) score.pValue = change.test->pValue;
  return score;
}

}  // namespace

QualityPlan foundPlan(const TuneReport& report, const TuneOptions& options) {
  QualityPlan plan = options.plan;
  const Trial& chosen = *report.chosen();
  plan.quantize = chosen.settings;
  plan.method = SearchMethod::Fixed;
  plan.scores.clear();
  const Digest& content = chosen.measured.contentDigest;
  if (report.choice) plan.scores.push_back(profileScore("choice", content, *report.choice));
  if (report.test) plan.scores.push_back(profileScore("test", content, *report.test));
  return plan;
}

Result<TuneReport> tuneModel(const Store& store, const ModelSource& model,
                             const TuneOptions& options, std::stop_token stop) {
  const Stopwatch watch;
  STRATA_TRY(TuneReport report, Tuning(store, model, options, std::move(stop)).run());
  STRATA_TRY(model.checkUnchanged());
  report.seconds = watch.seconds();
  return report;
}

}  // namespace strata
