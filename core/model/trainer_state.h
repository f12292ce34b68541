#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"

namespace strata {

/// What `trainer_state.json` of a checkpoint says of the training up to there.
struct TrainerState {
  std::uint64_t step = 0;
  std::optional<double> epoch = {};
  std::optional<double> loss = {};   ///< of the training, as it was logged last; NaN: no number
  std::optional<double> score = {};  ///< of the evaluation, as it was logged last; NaN: no number
  /// The steps that loss and score were logged at. An earlier one than `step` is no figure of it.
  std::optional<std::uint64_t> lossStep = {};
  std::optional<std::uint64_t> scoreStep = {};
  std::string scoreName = {};  ///< "eval_accuracy"; empty without a score
  /// Whether more of the score is better, as far as the trainer says or its log shows.
  std::optional<bool> isMoreBetter = {};
};

/// The name of that file in a checkpoint.
inline constexpr std::string_view kTrainerStateFile = "trainer_state.json";
/// Longer ones are not read.
inline constexpr std::uint64_t kMostTrainerStateBytes = 64'000'000;

/// Reads the text of a `trainer_state.json`. Numbers that JSON does not have, as Python writes them
/// (NaN, Infinity), are NaN.
///
/// The score is what the trainer chose its best checkpoint by, as far as that shows: the value that
/// is its `metric_for_best_model` or its `best_metric`. Else it is a number of an evaluation, of
/// several of one kind the first by the alphabet. First come those whose names say which way is
/// better (isMoreBetterByName) and that are no losses, then losses, then any. With `metric` it is
/// the number of that name. Fails with CorruptData where the text is cut, and with Unsupported
/// where it has no `global_step` that is a whole number.
Result<TrainerState> parseTrainerState(std::string_view text, std::string_view metric = {});

/// The losses of the training that such a text has logged, by their steps; none where it cannot be
/// read. A training that goes on from a checkpoint keeps what that has logged, number for number.
std::vector<std::pair<std::uint64_t, double>> loggedLosses(std::string_view text);

}  // namespace strata
