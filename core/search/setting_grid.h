#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/search/search.h"

namespace strata {

/// One axis of a grid of settings, lowest quality first.
struct GridAxis {
  std::string name;            ///< "bins"
  std::vector<double> values;  ///< shares, counts, bits, bounds
};

/// A point: an index for each axis.
using GridPoint = std::vector<std::size_t>;

/// The settings that a codec can be searched over. For `levels` and `index` it is the grid of
/// Inshrinkerator: bins, bins of embeddings (where the model has any), prune and protect fraction;
/// for `exponent` its bits; for `sign` row scales or not; for `bounded` the bound.
struct SettingGrid {
  std::optional<CodecId> codec = {};  ///< nothing: `levels`
  std::vector<GridAxis> axes = {};
  QuantizeSettings start = {};  ///< what the axes leave as it is

  static SettingGrid of(const SearchOptions& options);

  /// Settings of a point; `bySensitivity` chooses the prune score.
  QuantizeSettings at(const GridPoint& point, bool bySensitivity) const;
  /// "bins 8, prune 0.2, protect 0.005".
  std::string text(const GridPoint& point) const;
  /// The point nearest to `settings` that is not more aggressive on any axis, and its score.
  std::pair<GridPoint, bool> nearest(const QuantizeSettings& settings) const;
  /// Whether there are two prune scores to choose from.
  bool hasScores(bool hasGradients) const noexcept;
};

}  // namespace strata
