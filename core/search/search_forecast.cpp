#include "core/search/search_forecast.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace strata {
namespace {

constexpr double kMostGain = 0.5;  // that is believed, of one trial

}  // namespace

Forecast forecastOf(const SearchPoint& point, const Surroundings& around,
                    std::optional<std::uint64_t> mostBytes) {
  const auto [bytes, loss, deviation, noise] = around.beliefs.guess(point);
  Forecast found{.point = point, .bytes = bytes, .loss = loss};
  if (mostBytes) {
    const double limit = std::log(static_cast<double>(*mostBytes));
    const bool isNear = bytes <= limit && bytes >= limit - 2 * kScaleGrid;
    // Expected improvement of a normal guess.
    const double z = (around.best.loss - loss) / deviation;
    const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
    found.chance = 1;
    found.gain = isNear ? deviation * (z * 0.5 * std::erfc(-z / std::numbers::sqrt2) + density) : 0;
    return found;
  }
  // Without a trial that passes, any that does is a gain.
  const double bytesNow = around.best.passes ? around.best.bytes : around.best.bytes + 1;
  // What is unknown may be better than believed, too, but that is no reason to try it.
  found.chance = std::min(around.gate.chance(loss, deviation), around.gate.chance(loss, noise));
  // What is foreseen from far away is hardly so.
  found.gain = std::min(bytesNow - bytes, kMostGain) * found.chance;
  return found;
}

Forecast approachOf(const SearchPoint& point, const Surroundings& around) {
  constexpr double kPrice = 10;  // bytes that missing the limit is worth, both in logarithms
  const auto badness = [&](double bytes, double loss) {
    return bytes + kPrice * std::max(loss - around.gate.limit, 0.0);
  };
  Forecast found = forecastOf(point, around, {});
  found.gain = badness(around.best.bytes, around.best.loss) - badness(found.bytes, found.loss);
  return found;
}

}  // namespace strata
