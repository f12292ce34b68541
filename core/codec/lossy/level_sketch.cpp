#include "core/codec/lossy/level_sketch.h"

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

using kernels::kSketchBinShift;
using kernels::SketchBin;
constexpr std::size_t kBins = std::size_t{1} << (32 - kSketchBinShift);

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
  std::vector<SketchBin> bins;
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
      const std::uint32_t first = b << kSketchBinShift;
      SketchBin positive{kMagnitude, zero};
      SketchBin negative = positive;
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

}  // namespace

LevelSketch::LevelSketch() : counts_(2 * layout().slotCount) {}

void LevelSketch::add(std::span<const float> values) noexcept {
  const SketchBin* bins = layout().bins.data();
  std::uint64_t* even = counts_.data();
  std::uint64_t* odd = even + layout().slotCount;
  std::size_t i = 0;
  for (; i + 1 < values.size(); i += 2) {
    ++even[kernels::sketchSlot(bins, values[i])];
    ++odd[kernels::sketchSlot(bins, values[i + 1])];
  }
  if (i < values.size()) ++even[kernels::sketchSlot(bins, values[i])];
}

void LevelSketch::add(std::span<const std::uint32_t> counts) noexcept {
  for (std::size_t i = 0; i < counts.size(); ++i) counts_[i] += counts[i];
}

void LevelSketch::add(const LevelSketch& other) noexcept {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
}

std::span<const SketchBin> LevelSketch::bins() noexcept { return layout().bins; }
std::size_t LevelSketch::slotCount() noexcept { return layout().slotCount; }

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

}  // namespace strata
