#include "cli/words/quality_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "core/config/byte_count.h"
#include "core/config/duration.h"
#include "core/ops/quantize/setting_effects.h"
#include "core/profile/profile.h"

namespace strata::cli {
namespace {

constexpr std::string_view kUsualTimeout = "10m";

tl::unexpected<Error> refuse(std::string message) {
  return fail(ErrorCode::InvalidArgument, std::move(message));
}

/// Reads what was given for `setting` into `rule`. Fails with InvalidArgument.
template <typename T>
Result<void> take(const LossySetting<T>& setting, const std::string& text, QuantizeRule& rule) {
  const double unit = setting.option == "%" ? 100 : 1;
  T number{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto most = static_cast<T>(unit * setting.most);
  const bool isNumber = status == std::errc{} && end == text.data() + text.size();
  if (!isNumber || !(number >= setting.least && number <= most)) {
    return refuse(fmt::format("--{} is \"{}\", expected a number of {} to {}{}", setting.key, text,
                              setting.least, most, unit == 1 ? "" : " percent"));
  }
  rule.*setting.inRule = static_cast<T>(number / unit);
  return {};
}

/// The parser has seen to it that `text` is one of the two words.
Result<void> take(const LossySetting<bool>& setting, const std::string& text, QuantizeRule& rule) {
  rule.*setting.inRule = text == setting.words[1];
  return {};
}

}  // namespace

bool isLossyCodec(const std::string& name) {
  const auto codec = codecFromName(name);
  return codec && isLossy(*codec);
}

void declareEvaluatorTimeout(Arguments& arguments, std::optional<std::string>& text) {
  arguments.add({.spelling = "--evaluator-timeout",
                 .target = &text,
                 .value = "TIME",
                 .help = "for one answer, 10m by default; 0: no limit"});
}

Result<std::chrono::seconds> evaluatorTimeout(const std::optional<std::string>& text) {
  return parseDuration(text.value_or(std::string(kUsualTimeout)));
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
  declareEvaluatorTimeout(arguments, timeout_);
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
  declareSettings(arguments);
  arguments.add({.spelling = "--protect-tensor",
                 .target = &protectedTensors_,
                 .value = "GLOB",
                 .help = "lossy: tensors that are kept exactly; may be repeated"});
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

void QualityOptions::declareSettings(Arguments& arguments) {
  // Parsing fills the texts in where they lie: none may move once all are there.
  forEachLossySetting([&](const auto& setting) {
    if (!setting.option.empty()) settings_.push_back({std::string(setting.key)});
  });
  auto given = settings_.begin();
  forEachLossySetting([&](const auto& setting) {
    if (setting.option.empty()) return;
    Argument argument{.spelling = fmt::format("--{}", setting.key),
                      .target = &given->text,
                      .value = std::string(setting.option),
                      .help = fmt::format("lossy: {}", setting.help)};
    if (setting.key == "rank") argument.help += "; auto: as the kind needs";
    if (setting.isInWords()) argument.choices = {setting.words.begin(), setting.words.end()};
    arguments.add(std::move(argument));
    ++given;
  });
}

bool QualityOptions::hasSettings() const noexcept {
  return std::any_of(settings_.begin(), settings_.end(),
                     [](const GivenSetting& given) { return given.text.has_value(); });
}

bool QualityOptions::asksForLoss(const std::optional<std::string>& codec) const {
  return target_ || maxSize_ || maxError_ || evaluator_ || step_ || hasSettings() ||
         gradientsPath_ || sensitivity_ || (codec && isLossyCodec(*codec));
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

std::string_view QualityOptions::optionOfOne() const {
  if (evaluator_) return "--evaluator";
  if (testEvaluator_) return "--evaluator-test";
  if (!protectedTensors_.empty()) return "--protect-tensor";
  return gradientsPath_ ? "--gradients" : "";
}

bool QualityOptions::searches(const QualityPlan& plan) const {
  return isSearched(plan, evaluator_.has_value());
}

Result<void> QualityOptions::checkEffects(const QualityPlan& plan, bool isSearched) const {
  std::vector<AskedSetting> asked;
  const auto ask = [&](std::string_view setting, bool isGiven) {
    if (isGiven) asked.push_back({setting, fmt::format("--{}", setting)});
  };
  ask("step", step_.has_value());
  for (const GivenSetting& given : settings_) ask(given.key, given.text.has_value());
  ask("sensitivity", sensitivity_.has_value());
  ask("gradients", gradientsPath_.has_value());
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

Result<bool> QualityOptions::takeSettings(QuantizeRule& rule) const {
  Result<void> done;
  bool hasAny = false;
  forEachLossySetting([&](const auto& setting) {
    const auto given =
        std::find_if(settings_.begin(), settings_.end(),
                     [&](const GivenSetting& one) { return one.key == setting.key; });
    if (!done || given == settings_.end() || !given->text) return;
    if (setting.key == "rank" && *given->text == "auto") return;
    done = take(setting, *given->text, rule);
    hasAny = true;
  });
  STRATA_TRY(done);
  return hasAny;
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
  STRATA_TRY(const bool hasSettings, takeSettings(rule));
  if (isLossy || hasSettings) plan.quantize.rules.push_back(rule);
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
  STRATA_TRY(const std::chrono::seconds timeout, evaluatorTimeout(timeout_));
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
