#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/codec/codec.h"
#include "core/codec/lossy_codec.h"
#include "core/codec/scale_terms.h"
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
  std::vector<std::int32_t> levels;  ///< one per word
  LevelTable table;
  ScaleTerms terms;                    ///< expected magnitudes of the levels
  std::vector<std::uint8_t> contexts;  ///< that follow from the terms
};

/// Largest magnitude of a level that is coded.
inline constexpr std::int32_t kMostLevelMagnitude = 1 << 20;

/// The contexts of words [first, first + out.size()) of a part.
void levelContexts(const PartShape& shape, const ScaleTerms& terms, std::uint64_t first,
                   std::span<std::uint8_t> out);

/// See encodeLevels().
QuantizedLevels quantizeLevels(const PartShape& shape, std::span<const float> rest,
                               const LossySettings& settings);

}  // namespace strata
