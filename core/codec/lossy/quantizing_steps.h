#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/codec/device/device_quantizer.h"

namespace strata {

// The steps of quantizing that a device can take. Without one (null), or once it cannot go on, the
// CPU takes them: the results are the same, bit for bit.

LevelSketch sketchOf(std::span<const float> values, DeviceQuantizer* device = nullptr);

/// Non-uniform levels for the values of a sketch (centresOf). Ascending and distinct; as many as
/// buckets where those are fewer. The same for the same buckets and seed.
std::vector<float> fitLevels(std::span<const SketchBucket> buckets, const LevelFit& fit,
                             DeviceQuantizer* device = nullptr);

/// The number of the nearest level of each value, which is no NaN; at most 255 edges.
void nearestLevels(std::span<const float> values, std::span<const float> edges,
                   DeviceQuantizer* device, std::uint8_t* out);

/// The best patterns of the runs of all blocks of `blockWords` values, block by block.
std::vector<PatternMatch> bestPatterns(const PatternSet& set, std::span<const float> values,
                                       std::size_t blockWords, DeviceQuantizer* device);

}  // namespace strata
