#pragma once

#include <optional>
#include <string_view>

namespace strata {

/// Whether more of a metric is better, as far as its name says: true of "eval_accuracy" and
/// "rouge1", false of "loss", "val_perplexity" and "neg_log_likelihood". Nothing where the name has
/// no word that is known: who guesses takes the worst for the best half of the time.
std::optional<bool> isMoreBetterByName(std::string_view metric);

}  // namespace strata
