#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "core/evaluate/evaluator_pool.h"
#include "core/io/scratch_folders.h"
#include "core/quantize/quantizer.h"
#include "core/search/trial.h"

namespace strata {

/// Trials of a real model: quantized by a Quantizer, scored by evaluators.
class ModelTrials final : public TrialSource {
 public:
  /// `quantizer`, `model` and `evaluators` must outlive it; `evaluators` is null where no quality
  /// is to be measured. Fails with NoSpace or Io.
  static Result<std::unique_ptr<ModelTrials>> open(const Quantizer& quantizer,
                                                   const ModelDescription& model,
                                                   EvaluatorPool* evaluators);

  std::size_t parallelism() const noexcept override {
    return evaluators_ == nullptr ? 1 : evaluators_->count();
  }
  const Evaluation* reference() const noexcept override {
    return evaluators_ == nullptr ? nullptr : &evaluators_->reference();
  }
  Result<Measured> measure(const QuantizeSettings& settings, bool wantsScore,
                           const std::stop_token& stop) override;

  /// Scores the candidate of `settings` with other evaluators. Fails as measure().
  Result<Evaluation> scoreWith(EvaluatorPool& evaluators, const QuantizeSettings& settings,
                               const std::stop_token& stop);

 private:
  ModelTrials(const Quantizer& quantizer, const ModelDescription& model, EvaluatorPool* evaluators,
              ScratchFolders folders)
      : quantizer_(quantizer),
        model_(model),
        evaluators_(evaluators),
        folders_(std::move(folders)) {}
  /// Quantizes, which fills `candidate`, and scores.
  Result<Evaluation> scored(EvaluatorPool& evaluators, const QuantizeSettings& settings,
                            QuantizedCandidate& candidate, const std::stop_token& stop);

  const Quantizer& quantizer_;
  const ModelDescription& model_;
  EvaluatorPool* evaluators_;
  ScratchFolders folders_;
};

}  // namespace strata
