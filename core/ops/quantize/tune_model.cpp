#include "core/ops/quantize/tune_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/codec/lossy/lossy_codec.h"
#include "core/evaluate/evaluator_pool.h"
#include "core/evaluate/loss_forecast.h"
#include "core/ops/quantize/detail/model_quantizer.h"
#include "core/ops/quantize/detail/recorded_quality.h"
#include "core/progress_meter.h"
#include "core/search/model_trials.h"
#include "core/search/trial_log.h"
#include "core/store/objects/probe.h"

namespace strata {
namespace {

/// The manifest is compressed: what stands in for a score may take a few bytes less than it.
constexpr std::uint64_t kSpareBytesOfScore = 12;

/// Of the tensors that can be quantized, the kind of most bytes first.
std::vector<KindShare> kindsOf(const ModelDescription& model) {
  std::map<TensorKind, double> bytes;
  double all = 0;
  for (const TensorInfo& tensor : model.tensors) {
    if (!isQuantizable(wordFormat(tensor.type)) || isOptimizerState(tensor.kind)) continue;
    bytes[tensor.kind] += static_cast<double>(tensor.byteCount);
    all += static_cast<double>(tensor.byteCount);
  }
  std::vector<KindShare> kinds;
  for (const auto& [kind, count] : bytes) kinds.push_back({kind, all > 0 ? count / all : 0});
  std::stable_sort(kinds.begin(), kinds.end(),
                   [](const KindShare& a, const KindShare& b) { return a.share > b.share; });
  return kinds;
}

class Tuning {
 public:
  Tuning(const Store& store, const ModelSource& model, const TuneOptions& options,
         std::stop_token stop)
      : store_(store), model_(model), options_(options), stop_(std::move(stop)) {}

  Result<TuneReport> run() {
    report_.originalBytes = originalBytes(model_.description());
    STRATA_TRY(prepare());
    STRATA_TRY(const auto evaluators, startEvaluators(options_.evaluator, options_.evaluatorCount));
    if (evaluators && options_.onReference) options_.onReference(evaluators->reference());
    const Evaluation* const reference = evaluators ? &evaluators->reference() : nullptr;
    if (reference != nullptr) STRATA_TRY(checkSamples(*reference));
    // A test that cannot run is told now, not after the search.
    STRATA_TRY(const auto testers, startEvaluators(options_.testEvaluator, 1));
    const auto recordOf = [&](const QuantizeSettings& settings, const Digest& content,
                              const Evaluation* score) {
      return record(settings, content, reference, score);
    };
    STRATA_TRY(const auto trials,
               ModelTrials::open(*quantizer_, model_.description(), evaluators.get(), recordOf));
    STRATA_TRY(report_.search, searchSettings(*trials, searchOptions(), stop_));
    const Trial* chosen = report_.chosen();
    if (chosen == nullptr || !evaluators) return std::move(report_);
    if (chosen->measured.evaluation) {
      report_.choice = scoreChange(evaluators->reference(), *chosen->measured.evaluation);
    }
    STRATA_TRY(scoreTest(*trials, testers.get(), chosen->settings));
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
    STRATA_TRY(original_, hashModel(model_));
    return {};
  }

  /// What a version of these settings records. `reference` is null without an evaluator.
  VersionRecord record(const QuantizeSettings& settings, const Digest& content,
                       const Evaluation* reference, const Evaluation* score) const {
    VersionRecord record{.profile = options_.parent.profile,
                         .settings = recordedSettings(options_.plan, settings),
                         .original = original_};
    if (reference == nullptr) {
      for (const ProfileScore& known : options_.plan.scores) {
        if (known.content == content) record.quality.push_back(recorded(known));
      }
      return record;
    }
    const auto addUnknown = [&](const char* data) {
      record.quality.push_back(unknownQuality(data, *reference));
      record.spareBytes += kSpareBytesOfScore;
    };
    if (score != nullptr) {
      record.quality.push_back(recorded("choice", scoreChange(*reference, *score)));
    } else {
      addUnknown("choice");
    }
    if (options_.testEvaluator) addUnknown("test");
    return record;
  }

  /// Null where no program is named.
  Result<std::unique_ptr<EvaluatorPool>> startEvaluators(
      const std::optional<EvaluatorOptions>& program, std::size_t count) {
    if (!program) return std::unique_ptr<EvaluatorPool>();
    return EvaluatorPool::start(*program, options_.modelPath, count, stop_);
  }

  /// Whether the samples can show a loss as small as the target, even of a model that answers all
  /// of them alike. A single measurement is worth having all the same.
  Result<void> checkSamples(const Evaluation& reference) {
    const SearchOptions search = searchOptions();
    const SearchTarget& target = search.target;
    const std::uint64_t samples = reference.correct.size();
    if (!target.qualityLoss || target.significance > 0 || samples == 0) return {};
    constexpr double kPointsPerScore = 100;
    const bool isFixed = search.method == SearchMethod::Fixed;
    const unsigned candidates = isFixed ? 1 : search.trials;
    const bool expects = reference.expectedLoss.has_value();
    const double least = kPointsPerScore * leastForecast(samples, expects, candidates);
    if (least <= *target.qualityLoss) return {};
    std::string needed;
    if (*target.qualityLoss > 0) {
      report_.samplesToShow =
          samplesToShow(*target.qualityLoss / kPointsPerScore, expects, candidates);
      needed = fmt::format(": that takes {}", *report_.samplesToShow);
    }
    if (isFixed || options_.isMissAllowed) return {};
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} samples cannot show {}, even of a model that answers all of them "
                            "alike{}; they can show {:.2f} points",
                            samples, targetText(target), needed, std::ceil(least * 100) / 100));
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
    search.timeLimit = plan.timeLimit.value_or(std::chrono::seconds(0));
    return search;
  }

  /// Scores what was chosen on other samples. Settings are not lost for a test that fails.
  /// `testers` is null without a test.
  Result<void> scoreTest(ModelTrials& trials, EvaluatorPool* testers,
                         const QuantizeSettings& settings) {
    if (testers == nullptr || report_.search.end == SearchReport::End::Cancelled) return {};
    const auto score = trials.scoreWith(*testers, settings, stop_);
    if (!score && score.error().code != ErrorCode::Evaluator) return fail(score.error());
    if (!score) {
      report_.testFailure = score.error().message;
      return {};
    }
    report_.test = scoreChange(testers->reference(), *score);
    return {};
  }

  const Store& store_;
  const ModelSource& model_;
  const TuneOptions& options_;
  std::stop_token stop_;
  std::unique_ptr<Quantizer> quantizer_;
  Digest original_ = {};  ///< content of the unquantized model
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

std::string recordedSettings(QualityPlan plan, const QuantizeSettings& settings) {
  plan.quantize = settings;
  plan.method = SearchMethod::Fixed;
  plan.scores.clear();
  return qualityProfileText({}, plan);
}

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

std::string foundProfile(const TuneReport& report, const TuneOptions& options,
                         const std::string& fileName) {
  const std::string score =
      report.choice ? scoreChangeText(*report.choice) : std::string("quality not measured");
  return qualityProfileText("lossy: tuned on " + fileName + ": " + score,
                            foundPlan(report, options));
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
