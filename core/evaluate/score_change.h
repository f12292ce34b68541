#pragma once

#include <optional>
#include <string>

#include "core/evaluate/answer.h"
#include "core/evaluate/paired_test.h"

namespace strata {

/// Scores of the unquantized and of the restored model on the same samples.
struct ScoreChange {
  Evaluation reference;
  Evaluation restored;
  std::optional<PairedTest> test = {};  ///< where both say which samples were right
};

/// Pairs two evaluations of one evaluator.
ScoreChange scoreChange(const Evaluation& reference, const Evaluation& restored);

/// "accuracy 0.876 -> 0.873 on 872 samples (p = 0.71)".
std::string scoreChangeText(std::string_view metric, double reference, double restored,
                            std::uint64_t samples, std::optional<double> pValue);
std::string scoreChangeText(const ScoreChange& change);

}  // namespace strata
