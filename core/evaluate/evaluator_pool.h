#pragma once

#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

#include "core/evaluate/evaluator.h"

namespace strata {

/// Several evaluators of one command, for candidates that are scored at the same time. Safe to use
/// from several threads.
class EvaluatorPool {
 public:
  /// Starts the first evaluator; the others start when they are first needed.
  /// Fails as Evaluator::start.
  static Result<std::unique_ptr<EvaluatorPool>> start(const EvaluatorOptions& options,
                                                      const std::filesystem::path& reference,
                                                      std::size_t count,
                                                      const std::stop_token& stop);

  std::size_t count() const noexcept { return count_; }
  /// The score of the unquantized model, as the first evaluator gave it.
  const Evaluation& reference() const noexcept { return reference_; }

  /// Scores a model with an evaluator that is free, waiting for one. Fails as Evaluator::evaluate.
  Result<Evaluation> evaluate(const std::filesystem::path& model, const std::stop_token& stop);

 private:
  EvaluatorPool(EvaluatorOptions options, std::filesystem::path reference, std::size_t count)
      : options_(std::move(options)), referencePath_(std::move(reference)), count_(count) {}
  /// A free evaluator, or nothing where one is to be started.
  std::unique_ptr<Evaluator> take();
  void give(std::unique_ptr<Evaluator> evaluator);

  const EvaluatorOptions options_;
  const std::filesystem::path referencePath_;
  const std::size_t count_;
  Evaluation reference_;
  std::mutex mutex_;  // guards free_ and busy_
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Evaluator>> free_;
  std::size_t busy_ = 0;
};

}  // namespace strata
