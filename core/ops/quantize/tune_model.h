#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "core/evaluate/evaluator.h"
#include "core/evaluate/score_change.h"
#include "core/ops/versions/add_version.h"
#include "core/profile/quality_plan.h"
#include "core/search/search.h"

namespace strata {

/// How settings for a model are to be found.
struct TuneOptions {
  AddOptions parent = {};  ///< name, baseChoice, base and chain say what the model is coded against
  QualityPlan plan =
      {};  ///< where to begin and what to reach; without a target nothing is searched
  std::optional<EvaluatorOptions> evaluator = {};      ///< nothing: no quality is measured
  std::optional<EvaluatorOptions> testEvaluator = {};  ///< scores what was chosen, on other samples
  std::size_t evaluatorCount = 1;                      ///< that run at the same time
  std::filesystem::path modelPath = {};    ///< the unquantized model, as evaluators open it
  const ModelSource* gradients = nullptr;  ///< see Quantizer; null: none
  bool isMissAllowed = false;              ///< what comes nearest is of use, too
  /// Called once the unquantized model was scored, then after each trial; one call at a time.
  std::function<void(const Evaluation&)> onReference = {};
  std::function<void(const Trial&)> onTrial = {};
};

/// Trials of a search where nothing else is said.
inline constexpr unsigned kUsualTrials = 30;

struct TuneReport {
  SearchReport search;
  std::string parentLabel;  ///< what the model is a difference to
  std::uint64_t originalBytes = 0;
  std::optional<ScoreChange> choice = {};  ///< of the chosen settings, on the evaluator's samples
  std::optional<ScoreChange> test = {};    ///< the same on those of the test evaluator
  std::string testFailure = {};            ///< why there is no `test`, though it was asked for
  /// Samples that it takes to show what the target asks for, where the evaluator has fewer.
  std::optional<std::uint64_t> samplesToShow = {};
  bool missedOnTest = false;  ///< `test` loses more than the target allows
  double seconds = 0;

  /// The trial to take; what comes closest where the target is not met; null where there is none.
  const Trial* chosen() const noexcept;
  bool meetsTarget() const noexcept { return search.best.has_value() && !missedOnTest; }
};

/// The TOML that a version records of its settings: the same whether they were found now or stood
/// in a profile that was saved as found.
std::string recordedSettings(QualityPlan plan, const QuantizeSettings& settings);

/// What a profile is to keep of what was found: the settings as they are, and their scores.
/// `report` has a trial that was chosen.
QualityPlan foundPlan(const TuneReport& report, const TuneOptions& options);

/// The same as the TOML of a profile, whose description names the model's file and its score.
std::string foundProfile(const TuneReport& report, const TuneOptions& options,
                         const std::string& fileName);

/// Looks for the settings that reach a target for `model`. Writes nothing to the store. A search
/// for a loss that the evaluator has too few samples to show cannot end well. It is refused before
/// its first trial, unless a miss is allowed. Fails with InvalidArgument, NotFound (the base),
/// Evaluator, CorruptData (a damaged parent), NoSpace, Cancelled, Io.
Result<TuneReport> tuneModel(const Store& store, const ModelSource& model,
                             const TuneOptions& options, std::stop_token stop);

}  // namespace strata
