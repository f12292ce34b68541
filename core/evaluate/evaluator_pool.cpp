#include "core/evaluate/evaluator_pool.h"

#include <algorithm>

namespace strata {

Result<std::unique_ptr<EvaluatorPool>> EvaluatorPool::start(const EvaluatorOptions& options,
                                                            const std::filesystem::path& reference,
                                                            std::size_t count,
                                                            const std::stop_token& stop) {
  STRATA_TRY(auto first, Evaluator::start(options, reference, stop));
  std::unique_ptr<EvaluatorPool> pool(
      new EvaluatorPool(options, reference, std::max<std::size_t>(count, 1)));
  pool->reference_ = first->reference();
  pool->free_.push_back(std::move(first));
  return pool;
}

std::unique_ptr<Evaluator> EvaluatorPool::take() {
  std::unique_lock lock(mutex_);
  returned_.wait(lock, [&] { return !free_.empty() || busy_ < count_; });
  ++busy_;
  if (free_.empty()) return nullptr;
  auto evaluator = std::move(free_.back());
  free_.pop_back();
  return evaluator;
}

void EvaluatorPool::give(std::unique_ptr<Evaluator> evaluator) {
  {
    const std::lock_guard lock(mutex_);
    --busy_;
    if (evaluator) free_.push_back(std::move(evaluator));
  }
  returned_.notify_one();
}

Result<Evaluation> EvaluatorPool::evaluate(const std::filesystem::path& model,
                                           const std::stop_token& stop) {
  auto evaluator = take();
  if (!evaluator) {
    auto started = Evaluator::start(options_, referencePath_, stop);
    if (!started) {
      give(nullptr);
      return fail(std::move(started).error());
    }
    evaluator = std::move(*started);
  }
  Result<Evaluation> evaluation = evaluator->evaluate(model, stop);
  give(std::move(evaluator));
  return evaluation;
}

}  // namespace strata
