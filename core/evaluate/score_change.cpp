#include "core/evaluate/score_change.h"

#include <fmt/format.h>

namespace strata {
namespace {

/// "1,820".
std::string grouped(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t i = digits.size(); i > 3;) digits.insert(i -= 3, ",");
  return digits;
}

}  // namespace

ScoreChange scoreChange(const Evaluation& reference, const Evaluation& restored) {
  ScoreChange change{reference, restored};
  const bool isPaired =
      !reference.correct.empty() && reference.correct.size() == restored.correct.size();
  if (isPaired) change.test = *pairedTest(reference.correct, restored.correct);
  return change;
}

std::string scoreChangeText(std::string_view metric, double reference, double restored,
                            std::uint64_t samples, std::optional<double> pValue) {
  std::string text =
      fmt::format("{} {:.4g} -> {:.4g}", metric.empty() ? "score" : metric, reference, restored);
  if (samples > 0)
    text += fmt::format(" on {} sample{}", grouped(samples), samples == 1 ? "" : "s");
  if (pValue) text += *pValue < 0.001 ? " (p < 0.001)" : fmt::format(" (p = {:.2g})", *pValue);
  return text;
}

std::string scoreChangeText(const ScoreChange& change) {
  return scoreChangeText(change.reference.metric, change.reference.score, change.restored.score,
                         change.reference.samples,
                         change.test ? std::optional(change.test->pValue) : std::nullopt);
}

}  // namespace strata
