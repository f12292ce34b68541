#pragma once

#include <cstdint>
#include <optional>

#include "core/search/search_beliefs.h"
#include "core/search/search_knobs.h"
#include "core/search/trial_gate.h"

namespace strata {

/// By which multipliers are tried, in logarithms.
inline constexpr double kScaleGrid = 0.02;

/// What is expected of a point.
struct Forecast {
  SearchPoint point;
  double bytes = 0;  ///< logarithms
  double loss = 0;
  double chance = 0;  ///< that it meets the target
  double gain = 0;    ///< in logarithms of bytes, or of the loss for a target of size
};

/// What is known around the best trial.
struct Surroundings {
  SeenPoint best;
  TrialGate gate;
  SearchBeliefs beliefs;
};

/// What a trial of `point` should save or gain, times the chance that it meets the target.
/// `mostBytes` is the target where that is a size.
Forecast forecastOf(const SearchPoint& point, const Surroundings& around,
                    std::optional<std::uint64_t> mostBytes);

/// By how much nearer to the limit `point` should come than any trial did, the smaller the better:
/// for where nothing passes nor is likely to.
Forecast approachOf(const SearchPoint& point, const Surroundings& around);

}  // namespace strata
