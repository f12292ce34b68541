#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/evaluate/answer.h"
#include "core/result.h"

namespace strata {

/// A user's program that scores models.
struct EvaluatorOptions {
  std::string command;                   ///< cut into words by commandWords()
  std::chrono::milliseconds timeout{0};  ///< for one answer, the start included; 0: no limit
  std::vector<std::string> passedSecrets =
      {};  ///< variables with secrets that it gets all the same
};

/// One running evaluator, which has scored the unquantized model. One thread at a time.
class Evaluator {
 public:
  /// Starts the program and asks for the score of `reference`: a model's file or folder.
  /// Fails with InvalidArgument (the command), Evaluator, Cancelled.
  static Result<std::unique_ptr<Evaluator>> start(const EvaluatorOptions& options,
                                                  std::filesystem::path reference,
                                                  const std::stop_token& stop);
  ~Evaluator();

  /// The score of the unquantized model.
  const Evaluation& reference() const noexcept;

  /// Scores a model. A program that crashed, hung or answered nonsense before is started again.
  /// Fails with Evaluator, with what it last wrote to stderr on further lines; Cancelled.
  Result<Evaluation> evaluate(const std::filesystem::path& model, const std::stop_token& stop);

 private:
  struct State;
  explicit Evaluator(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace strata
