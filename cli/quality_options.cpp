#include "cli/quality_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "core/config/byte_count.h"
#include "core/config/duration.h"
#include "core/ops/setting_effects.h"
#include "core/profile/profile.h"

namespace strata::cli {
namespace {

constexpr std::string_view kUsualTimeout = "10m";

tl::unexpected<Error> refuse(std::string message) {
  return fail(ErrorCode::InvalidArgument, std::move(message));
}

/// A share given in percent, 0 to 100.
Result<std::optional<double>> shareOf(std::string_view option, const std::optional<double>& value) {
  if (!value) return std::nullopt;
  if (*value < 0 || *value > 100) {
    return refuse(fmt::format("{} is {}, expected 0 to 100 percent", option, *value));
  }
  return *value / 100;
}

Result<unsigned> wholeOf(std::string_view option, std::string_view text, unsigned most) {
  unsigned number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{} || end != text.data() + text.size() || number > most) {
    return refuse(fmt::format("{} is \"{}\", expected a number of 0 to {}", option, text, most));
  }
  return number;
}

}  // namespace

bool isLossyCodec(const std::string& name) {
  const auto codec = codecFromName(name);
  return codec && isLossy(*codec);
}

void QualityOptions::declare(Arguments& arguments) {
  arguments.add({.spelling = "--target",
                 .target = &target_,
                 .value = "WHAT",
                 .help =
                     "lossy: at most quality_loss=POINTS, size=BYTES or error=SHARE. A point is "
                     "0.01 of the score, which --evaluator measures. An error of 0.1 loses a "
                     "tenth of the difference to the base, by L2 norms"});
  arguments.add({.spelling = "--max-size",
                 .target = &maxSize_,
                 .value = "SIZE",
                 .help = "as --target size=SIZE: packs and manifest of the version"});
  arguments.add({.spelling = "--max-error",
                 .target = &maxError_,
                 .value = "X",
                 .help = "as --target error=X; with --codec bounded the most that each weight may "
                         "be off, in the weights' own unit"});
  arguments.add({.spelling = "--significance",
                 .target = &significance_,
                 .value = "P",
                 .help = "a loss beyond the target counts only if the paired test's p is below P"});
  arguments.add({.spelling = "--evaluator",
                 .target = &evaluator_,
                 .value = "CMD",
                 .help = "program that scores models; see tools/evaluators"});
  arguments.add({.spelling = "--evaluator-test",
                 .target = &testEvaluator_,
                 .value = "CMD",
                 .help = "the same on samples that settings are not chosen on"});
  arguments.add({.spelling = "--evaluator-timeout",
                 .target = &timeout_,
                 .value = "TIME",
                 .help = "for one answer, 10m by default; 0: no limit"});
  arguments.add({.spelling = "--pass-env",
                 .target = &passedSecrets_,
                 .value = "NAME",
                 .help = "a variable with a secret, such as HF_TOKEN, that evaluators get all the "
                         "same; may be repeated"});
  arguments.add({.spelling = "--gradients",
                 .target = &gradientsPath_,
                 .value = "FILE",
                 .help = "squared gradients, a safetensors file with the model's names",
                 .completes = Completes::Files});
  arguments.add({.spelling = "--sensitivity",
                 .target = &sensitivity_,
                 .value = "HOW",
                 .help =
                     "lossy: where errors mean more: tensors (their steps), rows (also weights of "
                     "rows and columns), none",
                 .choices = {"auto", "none", "tensors", "rows"}});
  arguments.add({.spelling = "--step",
                 .target = &step_,
                 .value = "X",
                 .help = "lossy: multiplies all steps; 1 is what transformers usually bear"});
  arguments.add({.spelling = "--levels",
                 .target = &levels_,
                 .value = "K",
                 .help = "lossy: non-uniform levels instead of steps"});
  arguments.add({.spelling = "--rank",
                 .target = &rank_,
                 .value = "N",
                 .help = "lossy: low-rank components of each matrix; auto: as the kind needs"});
  arguments.add({.spelling = "--prune",
                 .target = &prune_,
                 .value = "%",
                 .help = "lossy: share of words without a change"});
  arguments.add({.spelling = "--protect",
                 .target = &protect_,
                 .value = "%",
                 .help = "lossy: share of words kept as bf16"});
  arguments.add({.spelling = "--protect-tensor",
                 .target = &protectedTensors_,
                 .value = "GLOB",
                 .help = "lossy: tensors that are kept exactly; may be repeated"});
  arguments.add({.spelling = "--spacing",
                 .target = &spacing_,
                 .value = "HOW",
                 .help = "lossy: of the levels of index: fitted, or even as in QD-Compressor",
                 .choices = {"fitted", "even"}});
  arguments.add({.spelling = "--entropy",
                 .target = &entropy_,
                 .value = "STAGE",
                 .help = "lossy: of index: published (run lengths and Huffman codes) or rans",
                 .choices = {"published", "rans"}});
  arguments.add({.spelling = "--trials",
                 .target = &trials_,
                 .value = "N",
                 .help = "evaluations at most, 30 by default"});
  arguments.add({.spelling = "--time-limit",
                 .target = &timeLimit_,
                 .value = "TIME",
                 .help = "for the search, such as 90s, 5m, 1h30m"});
  arguments.add(
      {.spelling = "--seed", .target = &seed_, .value = "N", .help = "of random choices, 1"});
  arguments.add({.spelling = "--search",
                 .target = &method_,
                 .value = "METHOD",
                 .help = "auto, scale, guided, neighbourhood or fixed",
                 .choices = {"auto", "scale", "guided", "neighbourhood", "fixed"}});
}

bool QualityOptions::asksForLoss(const std::optional<std::string>& codec) const {
  return target_ || maxSize_ || maxError_ || evaluator_ || step_ || levels_ || rank_ || prune_ ||
         protect_ || spacing_ || entropy_ || gradientsPath_ || sensitivity_ ||
         (codec && isLossyCodec(*codec));
}

std::string_view QualityOptions::idleOption() const {
  if (!protectedTensors_.empty()) return "--protect-tensor";
  if (significance_) return "--significance";
  if (testEvaluator_) return "--evaluator-test";
  if (timeout_) return "--evaluator-timeout";
  if (!passedSecrets_.empty()) return "--pass-env";
  if (trials_) return "--trials";
  if (timeLimit_) return "--time-limit";
  if (seed_) return "--seed";
  return method_ ? "--search" : "";
}

bool QualityOptions::searches(const QualityPlan& plan) const {
  return isSearched(plan, evaluator_.has_value());
}

Result<void> QualityOptions::checkEffects(const QualityPlan& plan, bool isSearched) const {
  const std::pair<std::string_view, bool> settings[] = {{"step", step_.has_value()},
                                                        {"levels", levels_.has_value()},
                                                        {"rank", rank_.has_value()},
                                                        {"prune", prune_.has_value()},
                                                        {"protect", protect_.has_value()},
                                                        {"spacing", spacing_.has_value()},
                                                        {"entropy", entropy_.has_value()},
                                                        {"sensitivity", sensitivity_.has_value()},
                                                        {"gradients", gradientsPath_.has_value()}};
  std::vector<AskedSetting> asked;
  for (const auto& [setting, isGiven] : settings) {
    if (isGiven) asked.push_back({setting, fmt::format("--{}", setting)});
  }
  if (significance_ && !plan.target.qualityLoss) {
    return refuse("--significance is for a target of quality_loss, and there is none");
  }
  if ((trials_ || timeLimit_) && !isMeasured(plan, evaluator_.has_value())) {
    return refuse(
        fmt::format("{} is for a search, and nothing is searched: that takes --max-size, "
                    "--max-error or --evaluator",
                    trials_ ? "--trials" : "--time-limit"));
  }
  return strata::checkEffects(plan, asked, isSearched);
}

Result<void> QualityOptions::addTargets(SearchTarget& target) const {
  const int count = (target_ ? 1 : 0) + (maxSize_ ? 1 : 0) + (maxError_ ? 1 : 0);
  if (count > 1) return refuse("--target, --max-size and --max-error exclude each other");
  if (significance_) {
    if (*significance_ < 0 || *significance_ > 1) {
      return refuse(fmt::format("--significance is {}, expected 0 to 1", *significance_));
    }
    target.significance = *significance_;
  }
  if (target_) STRATA_TRY(parseTarget(*target_, target));
  if (maxSize_) STRATA_TRY(parseTarget("size=" + *maxSize_, target));
  if (maxError_) STRATA_TRY(parseTarget(fmt::format("error={}", *maxError_), target));
  if (target_ && target.qualityLoss && !evaluator_) {
    return refuse("--target quality_loss needs --evaluator: without one nothing measures it");
  }
  return {};
}

Result<QualityPlan> QualityOptions::applied(QualityPlan plan,
                                            const std::optional<std::string>& codec) const {
  QuantizeRule rule;
  const bool isLossy = codec && isLossyCodec(*codec);
  if (isLossy) rule.codec = codecFromName(*codec);
  if (isLossy && *codec == "bounded" && maxError_) {
    rule.maxError = maxError_;  // the bound is the setting, not a target to search for
  } else {
    STRATA_TRY(addTargets(plan.target));
  }
  if (levels_) {
    STRATA_TRY(rule.levelCount, wholeOf("--levels", std::to_string(*levels_), 65536));
  }
  if (rank_ && *rank_ != "auto") {
    STRATA_TRY(rule.rank, wholeOf("--rank", *rank_, 4096));
  }
  STRATA_TRY(rule.pruneShare, shareOf("--prune", prune_));
  STRATA_TRY(rule.protectShare, shareOf("--protect", protect_));
  if (spacing_) rule.uniformLevels = *spacing_ == "even";
  if (entropy_) rule.publishedEntropy = *entropy_ == "published";
  const bool hasRule = isLossy || levels_ || rule.rank || rule.pruneShare || rule.protectShare ||
                       spacing_ || entropy_;
  if (hasRule) plan.quantize.rules.push_back(rule);
  for (const std::string& glob : protectedTensors_) {
    plan.quantize.rules.push_back({.match = glob, .codec = CodecId::Integer});
  }
  if (step_) {
    if (!(*step_ > 0)) return refuse(fmt::format("--step is {}, expected more than 0", *step_));
    plan.quantize.stepScale = *step_;
  }
  if (sensitivity_) plan.quantize.sensitivity = *sensitivityFromName(*sensitivity_);
  if (seed_) plan.quantize.seed = *seed_;
  if (trials_) {
    if (*trials_ == 0) return refuse("--trials is 0, expected at least 1");
    plan.trials = static_cast<unsigned>(std::min<std::uint64_t>(*trials_, 1'000'000));
  }
  if (timeLimit_) {
    STRATA_TRY(plan.timeLimit, parseDuration(*timeLimit_));
  }
  if (method_) plan.method = *searchMethodFromName(*method_);
  return plan;
}

Result<void> QualityOptions::checkProtected(const ModelDescription& model) const {
  return strata::checkProtected(model, protectedTensors_, "--protect-tensor");
}

Outcome QualityOptions::prepare(Context& context, const std::string& modelPath,
                                TuneOptions& options) {
  if (!passedSecrets_.empty() && !evaluator_) return usage("--pass-env needs --evaluator, too");
  if (testEvaluator_ && !evaluator_) return usage("--evaluator-test needs --evaluator, too");
  STRATA_TRY(const std::chrono::seconds timeout,
             parseDuration(timeout_.value_or(std::string(kUsualTimeout))));
  if (evaluator_) options.evaluator = EvaluatorOptions{*evaluator_, timeout, passedSecrets_};
  if (testEvaluator_)
    options.testEvaluator = EvaluatorOptions{*testEvaluator_, timeout, passedSecrets_};
  options.evaluatorCount = std::max<std::size_t>(context.config().number("jobs"), 1);
  std::error_code status;
  options.modelPath = std::filesystem::absolute(modelPath, status);
  if (gradientsPath_) {
    STRATA_ATTEMPT(gradients_, context.openModel(*gradientsPath_, false));
    options.gradients = gradients_.get();
  }
  return ExitCode::Done;
}

}  // namespace strata::cli
