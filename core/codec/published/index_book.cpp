#include "core/codec/published/index_book.h"

#include <fmt/format.h>

#include <cmath>

#include "core/codec/lossy/quantizing_steps.h"

namespace strata {

void IndexBook::indices(std::span<const float> values, std::uint8_t* out,
                        DeviceQuantizer* device) const {
  nearestLevels(values, edges, device, out);
  if (kind == BookKind::Levels) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool isOnLevel = values[i] == levels[out[i]];
      const std::uint8_t index =
          isOnLevel ? static_cast<std::uint8_t>(out[i] + kFirstLevel) : kProtectedIndex;
      out[i] = values[i] == 0 ? kPrunedIndex : index;
    }
    return;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float size = std::abs(values[i]);
    const auto level = static_cast<std::uint8_t>(out[i] + kFirstLevel);
    const std::uint8_t index = size <= pruneBelow ? kPrunedIndex : level;
    out[i] = size > protectAbove ? kProtectedIndex : index;
  }
}

void writeLevels(ByteWriter& out, std::span<const float> levels) {
  out.byte(static_cast<std::uint8_t>(levels.size()));
  for (const float level : levels) out.fixed(level);
}

Result<std::vector<float>> readLevels(ByteReader& in) {
  const unsigned count = in.byte();
  if (count == 0 || count > kMostLevels) {
    return fail(ErrorCode::CorruptData,
                fmt::format("codebook has {} levels, expected 1 to {}", count, kMostLevels));
  }
  std::vector<float> levels;
  for (unsigned i = 0; i < count; ++i) {
    const auto level = in.fixed<float>();
    const bool isAscending = levels.empty() || level > levels.back();
    if (in.failed() || !std::isfinite(level) || !isAscending) {
      return fail(ErrorCode::CorruptData, fmt::format("level {} of a codebook is damaged", i));
    }
    levels.push_back(level);
  }
  return levels;
}

}  // namespace strata
