#include "cli/views/tune_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "cli/terminal.h"
#include "cli/views/table.h"
#include "cli/views/version_view.h"
#include "core/ops/inspect/show_version.h"
#include "core/search/settings_text.h"
#include "core/text/wording.h"

namespace strata::cli {
namespace {

constexpr std::string_view kNotMeasured = "not measured";

double ratioOf(const Trial& trial, std::uint64_t originalBytes) {
  const auto stored = static_cast<double>(trial.measured.storedBytes);
  return stored > 0 ? static_cast<double>(originalBytes) / stored : 0;
}

double ratioOf(const EstimateReport& report) {
  const double stored = report.estimate.storedBytes.value;
  return stored > 0 ? static_cast<double>(report.originalBytes) / stored : 0;
}

std::string lossText(const Trial& trial) {
  return trial.loss ? fmt::format("{:+.2f}", -*trial.loss) : std::string(kNotMeasured);
}

std::string divergenceText(const Trial& trial) {
  const auto& evaluation = trial.measured.evaluation;
  return evaluation && evaluation->divergence ? fmt::format("{:.3g}", *evaluation->divergence)
                                              : std::string{};
}

std::string scoreText(const Trial& trial) {
  const auto& evaluation = trial.measured.evaluation;
  return evaluation ? fmt::format("{:.4f}", evaluation->score) : std::string(kNotMeasured);
}

void printFrontier(Output& output, const TuneReport& report) {
  Table table({{"TRIAL", Align::Right},
               {"STORED", Align::Right},
               {"RATIO", Align::Right},
               {"SCORE", Align::Right},
               {"POINTS", Align::Right},
               {"LIKELY", Align::Right},
               {"AT WORST", Align::Right},
               {"DIVERGENCE", Align::Right},
               {"ERROR", Align::Right},
               {"TARGET"},
               {"WHAT", Align::Left, true}});
  const Trial* chosen = report.chosen();
  for (const std::size_t i : report.search.frontier) {
    const Trial& trial = report.search.trials[i];
    const std::string mark = &trial == chosen ? " *" : "";
    table.addRow({std::to_string(trial.number), wordBytes(trial.measured.storedBytes),
                  wordRatio(ratioOf(trial, report.originalBytes)), scoreText(trial),
                  trial.loss ? lossText(trial) : "",
                  trial.likelyLoss ? fmt::format("{:+.2f}", -*trial.likelyLoss) : "",
                  trial.mostLoss ? fmt::format("{:+.2f}", -*trial.mostLoss) : "",
                  divergenceText(trial), wordError(trial.measured.relativeError),
                  (trial.meetsTarget ? "met" : "missed") + mark, trial.what});
  }
  table.print(output);
}

/// `value` in as few digits as show that it is above `limit`.
std::string textAbove(double value, double limit) {
  std::string text;
  for (int digits = 2; digits <= 17; ++digits) {
    text = fmt::format("{:.{}g}", value, digits);
    if (std::strtod(text.c_str(), nullptr) > limit) break;
  }
  return text;
}

Json numberOrNull(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

}  // namespace

void printQuality(Output& output, const QuantizedAdd& done) {
  if (done.added->quality.empty()) output.line("  quality not measured");
  for (const QualityScore& quality : done.added->quality) {
    const bool isTest = quality.data == "test";
    const std::string words = qualityText(quality);
    output.line(isTest ? "  " + words : "  quality " + words);
  }
  printLoss(output, *done.added);
}

void printLoss(Output& output, const AddReport& added) {
  if (added.relativeError) {
    output.line(fmt::format("  error   {} of the {}, relative L2", wordError(*added.relativeError),
                            added.version.isBase() ? "weights" : "difference"));
  }
  for (const std::string& text : added.keptExact) {
    output.line(printable("  exact   " + text));
  }
  const ExactTypes& exact = added.exactTypes;
  if (exact.tensorCount > 0) {
    output.line(fmt::format("  exact   {} of types that are not quantized: {}",
                            wordCount(exact.tensorCount, "tensor"), fmt::join(exact.names, ", ")));
  }
}

Json toJson(const ScoreChange& change) {
  return {{"metric", change.reference.metric},
          {"reference", change.reference.score},
          {"score", change.restored.score},
          {"samples", change.reference.samples},
          {"divergence", numberOrNull(change.restored.divergence)},
          {"p_value", change.test ? Json(change.test->pValue) : Json()}};
}

Json toJson(const Trial& trial, std::uint64_t originalBytes) {
  const auto& evaluation = trial.measured.evaluation;
  return {{"trial", trial.number},
          {"what", trial.what},
          {"settings", settingsText(trial.settings)},
          {"stored_bytes", trial.measured.storedBytes},
          {"ratio", ratioOf(trial, originalBytes)},
          {"relative_error", trial.measured.relativeError},
          {"score", evaluation ? Json(evaluation->score) : Json()},
          {"loss_points", numberOrNull(trial.loss)},
          {"likely_loss_points", numberOrNull(trial.likelyLoss)},
          {"most_loss_points", numberOrNull(trial.mostLoss)},
          {"divergence", evaluation ? numberOrNull(evaluation->divergence) : Json()},
          {"p_value", trial.test ? Json(trial.test->pValue) : Json()},
          {"meets_target", trial.meetsTarget},
          {"failure", trial.failure.empty() ? Json() : Json(trial.failure)}};
}

std::string evaluationText(const Evaluation& evaluation) {
  const std::string metric = evaluation.metric.empty() ? "score" : evaluation.metric;
  std::string text = fmt::format("{} {:.4g}", metric, evaluation.score);
  if (evaluation.samples > 0) text += " on " + wordCount(evaluation.samples, "sample");
  return text;
}

std::string trialText(const Trial& trial, std::uint64_t originalBytes) {
  if (!trial.failure.empty()) {
    const std::string cause = trial.failure.substr(0, trial.failure.find('\n'));
    return printable(fmt::format("{:>4}  {:<28} {}", trial.number, trial.what, cause));
  }
  std::string text =
      fmt::format("{:>4}  {:<28} {:>9} {:>6}", trial.number, trial.what,
                  wordBytes(trial.measured.storedBytes), wordRatio(ratioOf(trial, originalBytes)));
  if (trial.loss) {
    text += fmt::format("  score {}  {} points", scoreText(trial), lossText(trial));
    const std::string divergence = divergenceText(trial);
    if (!divergence.empty()) text += "  divergence " + divergence;
    if (trial.likelyLoss) text += fmt::format("  likely {:+.2f}", -*trial.likelyLoss);
    if (trial.mostLoss) text += fmt::format("  at worst {:+.2f}", -*trial.mostLoss);
  } else {
    text += fmt::format("  error {}  quality {}", wordError(trial.measured.relativeError),
                        kNotMeasured);
  }
  return text;
}

std::string missedText(const TuneReport& report, const SearchTarget& target) {
  if (report.missedOnTest) {
    const double lost = 100 * (report.test->reference.score - report.test->restored.score);
    return fmt::format("{} is missed on test: {:.2f} points lost, {}", targetText(target), lost,
                       scoreChangeText(*report.test));
  }
  std::string text = "nothing reached " + targetText(target);
  const std::vector<Trial>& trials = report.search.trials;
  if (trials.empty()) return text;
  const Trial* nearest = report.chosen();
  if (target.qualityLoss && nearest != nullptr && nearest->mostLoss) {
    text += fmt::format("; trial {} lost {:.2f} points, and other samples may lose {:.2f}",
                        nearest->number, *nearest->loss, *nearest->mostLoss);
  }
  if (report.samplesToShow) {
    text += fmt::format("; it takes {} to show that", wordCount(*report.samplesToShow, "sample"));
  }
  if (target.error && nearest != nullptr) {
    text += fmt::format("; {} is the least that was found",
                        textAbove(nearest->measured.relativeError, *target.error));
  }
  if (!target.bytes) return text;
  const auto least =
      std::min_element(trials.begin(), trials.end(), [](const Trial& a, const Trial& b) {
        return a.measured.storedBytes < b.measured.storedBytes;
      });
  return text +
         fmt::format("; {} is the least that was found", wordBytes(least->measured.storedBytes));
}

std::string endText(const SearchReport& search) {
  switch (search.end) {
    case SearchReport::End::Finished:
      return {};
    case SearchReport::End::Trials:
      return "the search used all its trials; more may find better settings";
    case SearchReport::End::TimeLimit:
      return "the search used all its time; more may find better settings";
    case SearchReport::End::Cancelled:
      return "stopped; this is the best so far";
    case SearchReport::End::EvaluatorFailed:
      return "the evaluator failed three times in a row; this is the best so far";
  }
  return {};
}

void printTuned(Output& output, const TuneReport& report, const TuneOptions& options) {
  output.line("");
  printFrontier(output, report);
  output.line("");
  const Trial* chosen = report.chosen();
  if (chosen == nullptr) return;
  const char* const verdict = report.meetsTarget()  ? "Chosen:"
                              : report.missedOnTest ? "Missed on test:"
                                                    : "Nearest:";
  output.line(fmt::format("{} trial {} of {}{}", verdict, chosen->number,
                          report.search.trials.size(),
                          chosen->what == kNoChange ? ", no change: the base's own weights" : ""));
  output.line(fmt::format("  size     {} -> {}   {}", wordBytes(report.originalBytes),
                          wordBytes(chosen->measured.storedBytes),
                          wordRatio(ratioOf(*chosen, report.originalBytes))));
  output.line(fmt::format("  error    {} of the difference, relative L2",
                          wordError(chosen->measured.relativeError)));
  output.line("  quality  " +
              (report.choice ? scoreChangeText(*report.choice) : std::string(kNotMeasured)));
  if (report.test) {
    output.line("  test     " + scoreChangeText(*report.test));
  } else if (options.evaluator) {
    output.line(fmt::format("  test     {}", kNotMeasured));
  }
  output.line(printable("  settings " + settingsText(chosen->settings)));
}

Json toJson(const TuneReport& report, const TuneOptions& options) {
  Json trials = Json::array();
  for (const Trial& trial : report.search.trials) {
    trials.push_back(toJson(trial, report.originalBytes));
  }
  Json frontier = Json::array();
  for (const std::size_t i : report.search.frontier) {
    frontier.push_back(report.search.trials[i].number);
  }
  const Trial* chosen = report.chosen();
  return {{"target", targetText(options.plan.target)},
          {"met", report.meetsTarget()},
          {"missed_on_test", report.missedOnTest},
          {"parent", report.parentLabel},
          {"original_bytes", report.originalBytes},
          {"chosen", chosen ? toJson(*chosen, report.originalBytes) : Json()},
          {"quality", report.choice ? toJson(*report.choice) : Json()},
          {"test", report.test ? toJson(*report.test) : Json()},
          {"frontier", std::move(frontier)},
          {"trials", std::move(trials)},
          {"ended", endText(report.search)},
          {"seconds", report.seconds}};
}

void printEstimate(Output& output, const EstimateReport& report, const QuantizeSettings& settings) {
  const SampledEstimate& estimate = report.estimate;
  const auto whole = [](double bytes) { return static_cast<std::uint64_t>(std::llround(bytes)); };
  const Estimated& stored = estimate.storedBytes;
  output.line(fmt::format("Estimated from {} of {} ({}) in {}", estimate.sampledTensors,
                          wordCount(estimate.tensorCount, "tensor"),
                          wordBytes(estimate.sampledBytes), wordElapsed(report.seconds)));
  output.line(fmt::format("  size     {} -> {} ({} to {})   {}", wordBytes(report.originalBytes),
                          wordBytes(whole(stored.value)), wordBytes(whole(stored.low)),
                          wordBytes(whole(stored.high)), wordRatio(ratioOf(report))));
  output.line(fmt::format("  error    {} ({} to {}) of the difference, relative L2",
                          wordError(estimate.relativeError.value),
                          wordError(estimate.relativeError.low),
                          wordError(estimate.relativeError.high)));
  output.line("  bands    in brackets; about nine in ten hold the truth");
  output.line(fmt::format("  quality  {}", kNotMeasured));
  std::string worst;
  for (const SampledEstimate::Tensor& tensor : estimate.worst) {
    if (!worst.empty()) worst += ", ";
    worst += tensor.name + " " + wordError(tensor.relativeError);
  }
  if (!worst.empty()) output.line(printable("  worst    " + worst));
  output.line(printable("  settings " + settingsText(settings)));
  if (report.isFurtherThanParent()) {
    output.warning(printable(fartherText(estimate.relativeError.value, report.parentLabel)));
  }
}

Json toJson(const EstimateReport& report, const QuantizeSettings& settings) {
  const SampledEstimate& estimate = report.estimate;
  const auto bytes = [](double value) { return std::llround(value); };
  Json worst = Json::array();
  for (const SampledEstimate::Tensor& tensor : estimate.worst) {
    worst.push_back({{"name", tensor.name}, {"relative_error", tensor.relativeError}});
  }
  return {{"estimated", true},
          {"parent", report.parentLabel},
          {"original_bytes", report.originalBytes},
          {"stored_bytes", bytes(estimate.storedBytes.value)},
          {"stored_bytes_low", bytes(estimate.storedBytes.low)},
          {"stored_bytes_high", bytes(estimate.storedBytes.high)},
          {"ratio", ratioOf(report)},
          {"relative_error", estimate.relativeError.value},
          {"relative_error_low", estimate.relativeError.low},
          {"relative_error_high", estimate.relativeError.high},
          {"sampled_tensors", estimate.sampledTensors},
          {"tensors", estimate.tensorCount},
          {"sampled_bytes", estimate.sampledBytes},
          {"worst", std::move(worst)},
          {"settings", settingsText(settings)},
          {"seconds", report.seconds}};
}

}  // namespace strata::cli
