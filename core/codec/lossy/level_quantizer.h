#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/codec/codec.h"
#include "core/codec/exact/scale_terms.h"
#include "core/codec/exact/table_set.h"
#include "core/codec/lossy/level_stream.h"
#include "core/codec/lossy/level_terms.h"
#include "core/codec/lossy/lossy_codec.h"
#include "core/codec/words/word_buffer.h"
#include "core/result.h"
#include "kernels/cpu_kernels.h"

namespace strata {

/// What signed levels stand for. docs/FORMAT.md, "Level tables".
struct LevelTable {
  bool isUniform = true;
  float step = 0;                      ///< uniform: of levels beyond the table
  std::vector<float> values = {0.0F};  ///< of levels -most … most, all bf16 numbers

  std::uint32_t most() const noexcept { return static_cast<std::uint32_t>(values.size() / 2); }
  kernels::LevelValues view() const noexcept { return {values.data(), most(), isUniform, step}; }
};

/// The rest of a part as levels.
struct QuantizedLevels {
  explicit QuantizedLevels(const PartShape& shape) : nonZero(shape) {}

  NonZeroLevels nonZero;  ///< with the values of the rest
  LevelTable table;
  ScaleTerms terms;                      ///< expected magnitudes of the levels
  ContextCounts counts{kLevelAlphabet};  ///< of their symbols in the contexts that follow
};

/// Largest magnitude of a level that is coded.
inline constexpr std::int32_t kMostLevelMagnitude = 1 << 20;

/// See encodeLevels(). Fails with LimitExceeded if a row has 2^32 words or more.
Result<QuantizedLevels> quantizeLevels(const PartShape& shape, std::span<const float> rest,
                                       const LossySettings& settings, DeviceQuantizer* device);

/// The unbiased step of the same levels where each stands for its number times one step.
float stepWithoutMeans(const PartShape& shape, std::span<const float> rest,
                       const LossySettings& settings, const QuantizedLevels& q);

}  // namespace strata
