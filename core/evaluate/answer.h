#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace strata {

/// What an evaluator says of one model (tools/evaluators/README.md).
struct Evaluation {
  double score = 0;                       ///< higher is better; a point of quality is 0.01
  std::optional<double> divergence = {};  ///< of the outputs to the reference's; lower is better
  /// Score that this model should lose by what the reference believes of its own answers; far less
  /// noisy than the score itself.
  std::optional<double> expectedLoss = {};
  std::string metric = {};         ///< "accuracy"; may be empty
  std::uint64_t samples = 0;       ///< 0: not said
  std::vector<bool> correct = {};  ///< one for each sample, or empty
};

/// A line that asks for the score of `model`.
std::string requestLine(const std::filesystem::path& model, std::uint64_t id, bool isReference);

/// An answer that is well formed: a score, or why there is none.
struct Answer {
  std::optional<Evaluation> evaluation;
  std::string refusal;
};

/// Reads a line that answers request `id`. Fails with Evaluator, naming the field.
Result<Answer> parseAnswer(std::string_view line, std::uint64_t id);

}  // namespace strata
