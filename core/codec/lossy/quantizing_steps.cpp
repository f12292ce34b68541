#include "core/codec/lossy/quantizing_steps.h"

#include <algorithm>

#include "kernels/cpu_kernels.h"

namespace strata {

LevelSketch sketchOf(std::span<const float> values, DeviceQuantizer* device) {
  if (device != nullptr) {
    if (auto sketch = device->sketch(values)) return *std::move(sketch);
  }
  LevelSketch sketch;
  sketch.add(values);
  return sketch;
}

std::vector<float> fitLevels(std::span<const SketchBucket> buckets, const LevelFit& fit,
                             DeviceQuantizer* device) {
  std::vector<float> levels;
  if (buckets.size() <= fit.levelCount) {
    for (const SketchBucket& b : buckets) levels.push_back(b.value);
    return levels;
  }
  const CentreSearch search = centreSearch(buckets, fit);
  const auto found = device != nullptr ? device->centres(search) : std::nullopt;
  for (const double centre : found ? *found : centresOf(search)) {
    const auto level = static_cast<float>(centre);
    if (levels.empty() || level > levels.back()) levels.push_back(level);
  }
  return levels;
}

void nearestLevels(std::span<const float> values, std::span<const float> edges,
                   DeviceQuantizer* device, std::uint8_t* out) {
  if (device != nullptr && device->nearest(values, edges, out)) return;
  kernels::bestKernels().nearestLevels(values.data(), values.size(), edges.data(), edges.size(),
                                       out);
}

std::vector<PatternMatch> bestPatterns(const PatternSet& set, std::span<const float> values,
                                       std::size_t blockWords, DeviceQuantizer* device) {
  if (device != nullptr) {
    if (auto found = device->patterns(set, values, blockWords)) return *std::move(found);
  }
  std::vector<PatternMatch> matches;
  PatternSearch search(set);
  for (std::size_t at = 0; at < values.size(); at += blockWords) {
    search.append(values.subspan(at, std::min(blockWords, values.size() - at)), matches);
  }
  return matches;
}

}  // namespace strata
