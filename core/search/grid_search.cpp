#include "core/search/grid_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/search/setting_grid.h"

namespace strata {
namespace {

/// Points low … high of the grid, both included on each axis.
struct Box {
  GridPoint low;
  GridPoint high;
};

class GridSearch {
 public:
  GridSearch(TrialLog& log, const SearchOptions& options)
      : log_(log), options_(options), grid_(SettingGrid::of(options)) {}

  Result<void> guided() {
    STRATA_TRY(guided(false));
    if (grid_.hasScores(options_.hasGradients)) STRATA_TRY(guided(true));
    return {};
  }

  Result<void> neighbourhood();

 private:
  Result<void> guided(bool bySensitivity) {
    bySensitivity_ = bySensitivity;
    Box whole;
    for (const GridAxis& axis : grid_.axes) {
      whole.low.push_back(0);
      whole.high.push_back(axis.values.size() - 1);
    }
    return searchBox(whole);
  }

  Result<void> searchBox(const Box& box);
  Result<std::vector<const Trial*>> tryAll(const std::vector<GridPoint>& points);
  Result<std::uint64_t> bytesAt(const GridPoint& point);
  Result<const Trial*> withBetterScore(const GridPoint& last);

  TrialLog& log_;
  const SearchOptions& options_;
  const SettingGrid grid_;
  bool bySensitivity_ = false;
  std::optional<std::uint64_t> bestBytes_;
};

/// From the cheapest corner to the best one, as many points as the longest axis has.
std::vector<GridPoint> diagonalOf(const Box& box) {
  std::size_t longest = 0;
  for (std::size_t i = 0; i < box.low.size(); ++i) {
    longest = std::max(longest, box.high[i] - box.low[i]);
  }
  std::vector<GridPoint> diagonal;
  for (std::size_t step = 0; step <= longest; ++step) {
    GridPoint point = box.low;
    const double share =
        longest == 0 ? 0 : static_cast<double>(step) / static_cast<double>(longest);
    for (std::size_t i = 0; i < point.size(); ++i) {
      const auto extent = static_cast<double>(box.high[i] - box.low[i]);
      point[i] += static_cast<std::size_t>(std::lround(share * extent));
    }
    diagonal.push_back(std::move(point));
  }
  return diagonal;
}

/// The boxes that are below `split` on some axes and not below on the others; those all below and
/// all not below are decided.
std::vector<Box> mixedBoxes(const Box& box, const GridPoint& split) {
  std::vector<Box> boxes;
  const std::size_t axes = split.size();
  for (std::size_t mask = 1; mask + 1 < std::size_t{1} << axes; ++mask) {
    Box part = box;
    bool isEmpty = false;
    for (std::size_t i = 0; i < axes; ++i) {
      if ((mask >> i & 1) != 0) {
        isEmpty = isEmpty || split[i] == box.low[i];
        if (!isEmpty) part.high[i] = split[i] - 1;
      } else {
        part.low[i] = split[i];
      }
    }
    if (!isEmpty) boxes.push_back(std::move(part));
  }
  return boxes;
}

Result<std::vector<const Trial*>> GridSearch::tryAll(const std::vector<GridPoint>& points) {
  std::vector<Wish> wishes;
  for (const GridPoint& point : points) {
    wishes.push_back({grid_.at(point, bySensitivity_), grid_.text(point)});
  }
  STRATA_TRY(auto trials, log_.runAll(wishes));
  for (const Trial* trial : trials) {
    if (!trial->meetsTarget) continue;
    bestBytes_ =
        std::min(bestBytes_.value_or(trial->measured.storedBytes), trial->measured.storedBytes);
  }
  return trials;
}

Result<std::uint64_t> GridSearch::bytesAt(const GridPoint& point) {
  STRATA_TRY(const Measured measured, log_.size(grid_.at(point, bySensitivity_)));
  return measured.storedBytes;
}

Result<void> GridSearch::searchBox(const Box& box) {
  // A target of size asks for the best that fits: no box can be left out for its bytes.
  if (bestBytes_ && !options_.target.bytes) {
    STRATA_TRY(const std::uint64_t cheapest, bytesAt(box.low));
    if (cheapest >= *bestBytes_) return {};
  }
  const std::vector<GridPoint> diagonal = diagonalOf(box);
  STRATA_TRY(const std::vector<const Trial*> trials, tryAll(diagonal));
  // Along the diagonal quality grows; for a target of size the last point that fits is the split.
  std::optional<std::size_t> split;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!trials[i]->meetsTarget) continue;
    split = i;
    if (!options_.target.bytes) break;
  }
  if (!split) return {};
  for (const Box& part : mixedBoxes(box, diagonal[*split])) STRATA_TRY(searchBox(part));
  return {};
}

/// The last point with the score that loses clearly less there.
Result<const Trial*> GridSearch::withBetterScore(const GridPoint& last) {
  STRATA_TRY(const auto same, tryAll({last}));
  if (!grid_.hasScores(options_.hasGradients)) return same.front();
  bySensitivity_ = !bySensitivity_;
  STRATA_TRY(const auto other, tryAll({last}));
  constexpr double kClearly = 0.1;  // of the loss that is allowed
  const double margin = kClearly * options_.target.qualityLoss.value_or(0);
  const auto lossOf = [](const Trial& trial) {
    return trial.loss.value_or(trial.measured.relativeError);
  };
  if (other.front()->failure.empty() && lossOf(*other.front()) < lossOf(*same.front()) - margin) {
    return other.front();
  }
  bySensitivity_ = !bySensitivity_;
  return same.front();
}

Result<void> GridSearch::neighbourhood() {
  GridPoint last;
  std::tie(last, bySensitivity_) = grid_.nearest(options_.start);
  STRATA_TRY(const Trial* first, withBetterScore(last));

  // All points at most one step to the side of quality on each axis.
  std::vector<std::pair<std::uint64_t, GridPoint>> candidates;
  for (std::size_t mask = 0; mask < std::size_t{1} << last.size(); ++mask) {
    GridPoint point = last;
    bool isInside = true;
    for (std::size_t i = 0; i < point.size(); ++i) {
      point[i] += mask >> i & 1;
      isInside = isInside && point[i] < grid_.axes[i].values.size();
    }
    if (!isInside) continue;
    STRATA_TRY(const std::uint64_t bytes, bytesAt(point));
    candidates.emplace_back(bytes, std::move(point));
  }
  std::sort(candidates.begin(), candidates.end());
  if (first->meetsTarget && candidates.front().second == last) return {};
  const std::size_t atOnce = std::max<std::size_t>(log_.parallelism(), 1);
  for (std::size_t begin = 0; begin < candidates.size(); begin += atOnce) {
    std::vector<GridPoint> round;
    for (std::size_t i = begin; i < std::min(begin + atOnce, candidates.size()); ++i) {
      round.push_back(candidates[i].second);
    }
    STRATA_TRY(const std::vector<const Trial*> trials, tryAll(round));
    const auto isFeasible = [](const Trial* trial) { return trial->meetsTarget; };
    if (std::any_of(trials.begin(), trials.end(), isFeasible)) return {};
  }
  return guided();
}

}  // namespace

Result<void> searchGuided(TrialLog& log, const SearchOptions& options) {
  return GridSearch(log, options).guided();
}

Result<void> searchNeighbourhood(TrialLog& log, const SearchOptions& options) {
  return GridSearch(log, options).neighbourhood();
}

}  // namespace strata
