#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/model_source.h"
#include "core/search/trial.h"

namespace strata {

/// What a search is to reach; one of the three.
struct SearchTarget {
  std::optional<double> qualityLoss = {};   ///< points of score at most; as small as possible
  std::optional<std::uint64_t> bytes = {};  ///< stored at most; as good as possible
  std::optional<double> error = {};         ///< relative error at most; as small as possible
  /// Where above 0, a loss beyond qualityLoss counts only if the paired test's p is below this.
  double significance = 0;
  /// Of quality: where above 0, the divergence may be at most this share of what the parent's own
  /// weights have. Of an evaluator that tells no divergences it asks for nothing; where the
  /// parent's weights cannot be scored, no trial meets it.
  double ofChange = 0;
};

/// How settings are varied.
enum class SearchMethod {
  Auto,           ///< Scale where tensors have steps, else Guided
  Scale,          ///< one multiplier of all steps, then groups and knobs by loss per byte
  Guided,         ///< the paper's search over its grid (arXiv 2306.11800, first checkpoint)
  Neighbourhood,  ///< the paper's search near the last version's settings; else Guided
  Fixed,          ///< none: the settings as they are, measured; the only one without a target
};

std::string_view name(SearchMethod method) noexcept;
std::optional<SearchMethod> searchMethodFromName(std::string_view name) noexcept;

/// How much of a model a kind of tensor is.
struct KindShare {
  TensorKind kind = TensorKind::Unknown;
  double share = 0;  ///< of the bytes that can be quantized; 0 to 1
};

struct SearchOptions {
  SearchTarget target = {};
  SearchMethod method = SearchMethod::Auto;
  QuantizeSettings start = {};        ///< where to begin; the last version's for Neighbourhood
  std::vector<KindShare> kinds = {};  ///< that the model has, the one of most bytes first
  bool hasGradients = false;          ///< prune by sensitivity, too
  unsigned trials = 30;               ///< measurements with a score, at most
  std::chrono::seconds timeLimit{0};  ///< 0: none
  /// Called after each trial, one call at a time.
  std::function<void(const Trial&)> onTrial = {};
};

struct SearchReport {
  enum class End { Finished, Trials, TimeLimit, Cancelled, EvaluatorFailed };
  std::vector<Trial> trials;  ///< in the order of trying
  /// Index of the trial to take; nothing where none meets the target. Where the evaluator gives a
  /// score alone, one that meets the target by more than luck, if there is one: in the mean of
  /// trials a little better by the smooth score.
  std::optional<std::size_t> best = {};
  std::optional<std::size_t> nearest = {};  ///< where there is no best: what comes closest
  std::vector<std::size_t> frontier = {};  ///< trials that no other one beats in both size and loss
  End end = End::Finished;
  std::string failure = {};  ///< for EvaluatorFailed: the last error
};

/// Looks for the settings that meet a target. Fails with InvalidArgument (a target that needs a
/// score without one), Evaluator where nothing could be scored, and as TrialSource::measure.
/// A cancelled search is a report, with the best so far, unless there is nothing yet: Cancelled.
Result<SearchReport> searchSettings(TrialSource& source, const SearchOptions& options,
                                    const std::stop_token& stop);

}  // namespace strata
