#include "core/codec/level_sketch.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace strata {
namespace {

constexpr double kAlpha = 0.01;
constexpr double kGamma = (1 + kAlpha) / (1 - kAlpha);
constexpr double kLeast = std::numeric_limits<float>::min();
constexpr double kMost = std::numeric_limits<float>::max();
constexpr std::uint32_t kMagnitude = 0x7fffffff;

/// A bin holds floats with the same top bits: 6 of the mantissa make it narrower than a bucket, so
/// that it has parts of two buckets at most.
constexpr unsigned kBinShift = 17;
constexpr std::size_t kBins = std::size_t{1} << (32 - kBinShift);

/// Where floats of one bin are counted: in `slot`, or one further from zero above `edge`.
struct Bin {
  std::uint32_t edge = kMagnitude;
  std::int32_t slot = 0;
};

/// The largest float not above `value`, as bits.
std::uint32_t floorBits(double value) {
  const auto nearest = static_cast<float>(std::min(value, kMost));
  const auto bits = std::bit_cast<std::uint32_t>(nearest);
  return static_cast<double>(nearest) > value ? bits - 1 : bits;
}

/// The fixed layout of all sketches. Slots ascend by value: negatives, zero, positives; behind them
/// one for what is no finite number.
struct Layout {
  std::vector<double> tops;  ///< gamma^key for all keys of normal floats, ascending
  std::vector<Bin> bins;
  std::size_t zeroSlot = 0;
  std::size_t slotCount = 0;  ///< with the one for non-finite values

  Layout() {
    for (double top = 1 / kGamma; top * kGamma > kLeast; top /= kGamma) tops.push_back(top);
    std::reverse(tops.begin(), tops.end());
    for (double top = 1; top / kGamma < kMost; top *= kGamma) tops.push_back(top);
    zeroSlot = tops.size();
    slotCount = 2 * tops.size() + 2;
    fillBins();
  }

  float valueOf(std::size_t slot) const {
    if (slot == zeroSlot) return 0;
    const std::size_t key = slot > zeroSlot ? slot - zeroSlot - 1 : zeroSlot - slot - 1;
    const auto value = static_cast<float>(std::min(kMost, 2 * tops[key] / (kGamma + 1)));
    return slot > zeroSlot ? value : -value;
  }

 private:
  void fillBins() {
    bins.resize(kBins);
    const auto zero = static_cast<std::int32_t>(zeroSlot);
    std::size_t key = 0;
    for (std::uint32_t b = 0; b < kBins / 2; ++b) {
      const std::uint32_t first = b << kBinShift;
      Bin positive{kMagnitude, zero};
      Bin negative = positive;
      if (first >= 0x7f800000) {
        positive.slot = negative.slot = static_cast<std::int32_t>(slotCount - 1);
      } else if (first >= 0x00800000) {
        while (key + 1 < tops.size() && floorBits(tops[key]) < first) ++key;
        positive = {floorBits(tops[key]), zero + 1 + static_cast<std::int32_t>(key)};
        negative = {positive.edge, zero - 1 - static_cast<std::int32_t>(key)};
      }
      bins[b] = positive;
      bins[b + kBins / 2] = negative;
    }
  }
};

const Layout& layout() {
  static const Layout kLayout;
  return kLayout;
}

inline std::size_t slotOf(const Bin* bins, float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const Bin bin = bins[bits >> kBinShift];
  const std::int32_t outward = 1 - 2 * static_cast<std::int32_t>(bits >> 31);
  const std::int32_t slot = bin.slot + ((bits & kMagnitude) > bin.edge ? outward : 0);
  return static_cast<std::size_t>(slot);
}

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

/// The first item at which the running sum of `shares` passes `part` of the whole.
std::size_t draw(std::span<const double> shares, double part) {
  double whole = 0;
  for (const double share : shares) whole += share;
  double sum = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] <= 0) continue;
    last = i;
    sum += shares[i];
    if (sum > part * whole) return i;
  }
  return last;
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

/// k-means++ with distances: ascending places of distinct buckets.
std::vector<double> seededCentres(std::span<const SketchBucket> buckets,
                                  std::span<const double> weights, const LevelFit& fit) {
  SplitMix random(fit.seed);
  std::vector<double> centres;
  std::vector<double> distances(buckets.size(), std::numeric_limits<double>::infinity());
  std::vector<double> shares(weights.begin(), weights.end());
  while (centres.size() < fit.levelCount) {
    const double centre = buckets[draw(shares, random.next())].value;
    centres.push_back(centre);
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      distances[i] = std::min(distances[i], std::abs(buckets[i].value - centre));
      shares[i] = distances[i] * weights[i];
    }
  }
  std::sort(centres.begin(), centres.end());
  return centres;
}

/// Lloyd's iteration in one dimension: clusters are runs of buckets.
void settleCentres(std::span<const SketchBucket> buckets, std::span<const double> weights,
                   unsigned rounds, std::vector<double>& centres) {
  std::vector<std::size_t> ends;
  for (unsigned round = 0; round < rounds; ++round) {
    std::vector<std::size_t> next;
    std::size_t at = 0;
    for (std::size_t c = 0; c < centres.size(); ++c) {
      const bool isLast = c + 1 == centres.size();
      const double edge = isLast ? 0 : (centres[c] + centres[c + 1]) / 2;
      double weight = 0;
      double sum = 0;
      for (; at < buckets.size() && (isLast || buckets[at].value <= edge); ++at) {
        weight += weights[at];
        sum += weights[at] * buckets[at].value;
      }
      next.push_back(at);
      if (weight > 0) centres[c] = sum / weight;
    }
    if (next == ends) return;
    ends = std::move(next);
  }
}

}  // namespace

LevelSketch::LevelSketch() : counts_(2 * layout().slotCount) {}

void LevelSketch::add(std::span<const float> values) noexcept {
  const Bin* bins = layout().bins.data();
  std::uint64_t* even = counts_.data();
  std::uint64_t* odd = even + layout().slotCount;
  std::size_t i = 0;
  for (; i + 1 < values.size(); i += 2) {
    ++even[slotOf(bins, values[i])];
    ++odd[slotOf(bins, values[i + 1])];
  }
  if (i < values.size()) ++even[slotOf(bins, values[i])];
}

void LevelSketch::add(const LevelSketch& other) noexcept {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
}

std::uint64_t LevelSketch::count() const noexcept {
  std::uint64_t all = 0;
  for (const std::uint64_t n : counts_) all += n;
  return all - nonFiniteCount();
}

std::uint64_t LevelSketch::nonFiniteCount() const noexcept {
  return counts_[layout().slotCount - 1] + counts_.back();
}

std::vector<SketchBucket> LevelSketch::buckets() const {
  const Layout& l = layout();
  std::vector<SketchBucket> found;
  for (std::size_t slot = 0; slot + 1 < l.slotCount; ++slot) {
    const std::uint64_t n = counts_[slot] + counts_[l.slotCount + slot];
    if (n != 0) found.push_back({l.valueOf(slot), n});
  }
  return found;
}

float LevelSketch::magnitudeAt(double share) const {
  const Layout& l = layout();
  const double rank = share * static_cast<double>(count());
  double below = 0;
  for (std::size_t distance = 0; distance <= l.zeroSlot; ++distance) {
    if (below >= rank) return distance == 0 ? 0 : l.valueOf(l.zeroSlot + distance - 1);
    for (const std::size_t bank : {std::size_t{0}, l.slotCount}) {
      below += static_cast<double>(counts_[bank + l.zeroSlot + distance]);
      if (distance > 0) below += static_cast<double>(counts_[bank + l.zeroSlot - distance]);
    }
  }
  return l.valueOf(2 * l.zeroSlot);
}

float LevelSketch::pruneThreshold(double share) const {
  constexpr float kToLowerEdge = 0.99F;  // from a representative, and a little more
  return share > 0 ? magnitudeAt(share) * kToLowerEdge : 0;
}

float LevelSketch::protectThreshold(double share) const {
  constexpr float kToUpperEdge = 1.0102F;
  return share > 0 ? magnitudeAt(1 - share) * kToUpperEdge : std::numeric_limits<float>::infinity();
}

std::vector<float> fitLevels(std::span<const SketchBucket> buckets, const LevelFit& fit) {
  std::vector<float> levels;
  if (buckets.size() <= fit.levelCount) {
    for (const SketchBucket& b : buckets) levels.push_back(b.value);
    return levels;
  }
  const std::vector<double> weights = weightsOf(buckets, fit.countShare);
  std::vector<double> centres = seededCentres(buckets, weights, fit);
  settleCentres(buckets, weights, fit.rounds, centres);
  for (const double centre : centres) {
    const auto level = static_cast<float>(centre);
    if (levels.empty() || level > levels.back()) levels.push_back(level);
  }
  return levels;
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
