#include "core/codec/lossy/level_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace strata {
namespace {

/// Numbers from a seed (G. Steele, D. Lea, C. Flood, OOPSLA 2014).
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}
  /// In [0, 1).
  double next() noexcept {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return static_cast<double>((z ^ z >> 31) >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

/// The item at which the running sum of `shares` passes `part` of the whole. Sums are those of 32
/// runs, which a device takes side by side (kernels/cuda/quantize_warp.h).
std::size_t draw(std::span<const double> shares, double part) {
  constexpr std::size_t kRuns = 32;
  const std::size_t length = (shares.size() + kRuns - 1) / kRuns;
  const auto endOf = [&](std::size_t run) { return std::min((run + 1) * length, shares.size()); };
  std::array<double, kRuns> sums{};
  double whole = 0;
  for (std::size_t run = 0; run < kRuns; ++run) {
    for (std::size_t i = run * length; i < endOf(run); ++i) sums[run] += shares[i];
    whole += sums[run];
  }
  const double wanted = part * whole;
  std::size_t chosen = 0;
  double start = 0;
  double sum = 0;
  for (std::size_t run = 0; run < kRuns && sum <= wanted; ++run) {
    if (sums[run] > 0) {
      chosen = run;
      start = sum;
    }
    sum += sums[run];
  }
  sum = start;
  std::size_t found = chosen * length;
  for (std::size_t i = found; i < endOf(chosen) && sum <= wanted; ++i) {
    if (shares[i] > 0) found = i;
    sum += shares[i];
  }
  return found;
}

std::vector<double> weightsOf(std::span<const SketchBucket> buckets, double countShare) {
  double counts = 0;
  double sizes = 0;
  for (const SketchBucket& b : buckets) {
    counts += static_cast<double>(b.count);
    sizes += std::abs(static_cast<double>(b.value));
  }
  std::vector<double> weights;
  weights.reserve(buckets.size());
  for (const SketchBucket& b : buckets) {
    const double size = sizes > 0 ? std::abs(static_cast<double>(b.value)) / sizes : 0;
    weights.push_back(countShare * static_cast<double>(b.count) / counts + (1 - countShare) * size);
  }
  return weights;
}

/// k-means++ with distances: ascending places of distinct values.
std::vector<double> seededCentres(const CentreSearch& search) {
  std::vector<double> centres;
  std::vector<double> distances(search.values.size(), std::numeric_limits<double>::infinity());
  std::vector<double> shares = search.weights;
  for (const double drawn : search.draws) {
    const double centre = search.values[draw(shares, drawn)];
    centres.push_back(centre);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      distances[i] = std::min(distances[i], std::abs(search.values[i] - centre));
      shares[i] = distances[i] * search.weights[i];
    }
  }
  std::sort(centres.begin(), centres.end());
  return centres;
}

}  // namespace

CentreSearch centreSearch(std::span<const SketchBucket> buckets, const LevelFit& fit) {
  CentreSearch search;
  search.weights = weightsOf(buckets, fit.countShare);
  search.rounds = fit.rounds;
  for (const SketchBucket& b : buckets) search.values.push_back(b.value);
  SplitMix random(fit.seed);
  for (unsigned i = 0; i < fit.levelCount; ++i) search.draws.push_back(random.next());
  return search;
}

std::vector<double> centresOf(const CentreSearch& search) {
  const auto& [values, weights, draws, rounds] = search;
  std::vector<double> centres = seededCentres(search);
  std::vector<std::size_t> ends;
  // Lloyd's iteration in one dimension: clusters are runs of values.
  for (unsigned round = 0; round < rounds; ++round) {
    std::vector<std::size_t> next;
    std::size_t at = 0;
    for (std::size_t c = 0; c < centres.size(); ++c) {
      const bool isLast = c + 1 == centres.size();
      const double edge = isLast ? 0 : (centres[c] + centres[c + 1]) / 2;
      double weight = 0;
      double sum = 0;
      for (; at < values.size() && (isLast || values[at] <= edge); ++at) {
        weight += weights[at];
        sum += weights[at] * values[at];
      }
      next.push_back(at);
      if (weight > 0) centres[c] = sum / weight;
    }
    if (next == ends) break;
    ends = std::move(next);
  }
  return centres;
}

std::vector<float> evenLevels(std::span<const SketchBucket> buckets, unsigned levelCount) {
  if (buckets.empty() || levelCount == 0) return {};
  const double least = buckets.front().value;
  const double width = buckets.back().value - least;
  if (width <= 0 || levelCount == 1) return {static_cast<float>(least + width / 2)};
  std::vector<float> levels(levelCount);
  for (unsigned i = 0; i < levelCount; ++i) {
    levels[i] = static_cast<float>(least + width * i / (levelCount - 1));
  }
  return levels;
}

std::vector<float> levelEdges(std::span<const float> levels) {
  std::vector<float> edges;
  for (std::size_t i = 1; i < levels.size(); ++i) {
    edges.push_back(levels[i - 1] * 0.5F + levels[i] * 0.5F);
  }
  return edges;
}

}  // namespace strata
