#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "core/evaluate/evaluator_pool.h"
#include "core/io/owned/scratch_folders.h"
#include "core/quantize/quantizer.h"
#include "core/search/trial.h"

namespace strata {

/// What a version of these settings records, which counts among its bytes. The score is null where
/// nobody measured it so far.
using RecordOf = std::function<VersionRecord(const QuantizeSettings& settings,
                                             const Digest& content, const Evaluation* score)>;

/// Trials of a real model: quantized by a Quantizer, scored by evaluators.
class ModelTrials final : public TrialSource {
 public:
  /// `quantizer`, `model` and `evaluators` must outlive it; `evaluators` is null where no quality
  /// is to be measured. Fails with NoSpace or Io.
  static Result<std::unique_ptr<ModelTrials>> open(const Quantizer& quantizer,
                                                   const ModelDescription& model,
                                                   EvaluatorPool* evaluators, RecordOf recordOf);

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
              RecordOf recordOf, ScratchFolders folders)
      : quantizer_(quantizer),
        model_(model),
        evaluators_(evaluators),
        recordOf_(std::move(recordOf)),
        folders_(std::move(folders)) {}
  Result<Measured> measuredOf(const QuantizeSettings& settings, const QuantizedCandidate& candidate,
                              std::optional<Evaluation> evaluation) const;
  /// Quantizes, which fills `candidate`, and scores.
  Result<Evaluation> scored(EvaluatorPool& evaluators, const QuantizeSettings& settings,
                            QuantizedCandidate& candidate, const std::stop_token& stop);

  const Quantizer& quantizer_;
  const ModelDescription& model_;
  EvaluatorPool* evaluators_;
  RecordOf recordOf_;
  ScratchFolders folders_;
};

}  // namespace strata
