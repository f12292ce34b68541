#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/problem.h"
#include "cli/words/arguments.h"
#include "core/ops/quantize/tune_model.h"

namespace strata::cli {

/// A setting of the lossy codecs as an option: "--levels" and what was given.
struct GivenSetting {
  std::string key;
  std::optional<std::string> text = {};
};

/// The options that say how a model is quantized and how that is judged: those of add and tune.
class QualityOptions {
 public:
  void declare(Arguments& arguments);

  /// Whether one of them asks for a lossy version; `codec` is what --codec names.
  bool asksForLoss(const std::optional<std::string>& codec) const;

  /// The first option that was given and means nothing for an exact version; empty: none.
  std::string_view idleOption() const;

  /// The first option that was given and is about one model: what scores it, or its gradients.
  std::string_view optionOfOne() const;

  /// Whether --search says how settings are to be varied, whatever a profile says.
  bool choosesSearch() const noexcept { return method_.has_value(); }

  /// What `plan`, a profile's, becomes with the options on top. Fails with InvalidArgument.
  Result<QualityPlan> applied(QualityPlan plan, const std::optional<std::string>& codec) const;

  /// Whether settings are searched for `plan`, as these options have it.
  bool searches(const QualityPlan& plan) const;

  /// Fails with InvalidArgument where an option has no effect on `plan`, or where a codec of the
  /// plan needs one that is not there. `isSearched` tells whether settings are searched.
  Result<void> checkEffects(const QualityPlan& plan, bool isSearched) const;

  /// Fails with InvalidArgument where a pattern of --protect-tensor matches no tensor of `model`.
  Result<void> checkProtected(const ModelDescription& model) const;

  /// Fills evaluators, gradients and the model's path in; the gradients live as long as this.
  Outcome prepare(Context& context, const std::string& modelPath, TuneOptions& options);

 private:
  Result<void> addTargets(SearchTarget& target) const;
  void declareSettings(Arguments& arguments);
  bool hasSettings() const noexcept;
  /// Reads the settings that were given into `rule`; whether there were any.
  Result<bool> takeSettings(QuantizeRule& rule) const;

  std::optional<std::string> target_;
  std::optional<std::string> maxSize_;
  std::optional<double> maxError_;
  std::optional<double> significance_;
  std::optional<std::string> evaluator_;
  std::optional<std::string> testEvaluator_;
  std::vector<std::string> passedSecrets_;  ///< names of variables
  std::optional<std::string> timeout_;
  std::optional<std::string> gradientsPath_;
  std::optional<std::string> sensitivity_;
  std::optional<double> step_;
  std::vector<GivenSetting> settings_;         ///< those of codecs that are options
  std::vector<std::string> protectedTensors_;  ///< globs
  std::optional<std::uint64_t> trials_;
  std::optional<std::string> timeLimit_;
  std::optional<std::uint64_t> seed_;
  std::optional<std::string> method_;
  std::unique_ptr<ModelSource> gradients_;
};

/// --evaluator-timeout, of all commands that run an evaluator, and what it says, or by default.
void declareEvaluatorTimeout(Arguments& arguments, std::optional<std::string>& text);
/// Fails with InvalidArgument where `text` is no time.
Result<std::chrono::seconds> evaluatorTimeout(const std::optional<std::string>& text);

/// Whether a codec's name stands for one that changes values.
bool isLossyCodec(const std::string& name);

}  // namespace strata::cli
