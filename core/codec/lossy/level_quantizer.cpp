#include "core/codec/lossy/level_quantizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "core/codec/lossy/level_stream.h"
#include "core/codec/lossy/quantizing_steps.h"
#include "core/codec/lossy/reconstruction.h"
#include "core/codec/words/bfloat.h"
#include "kernels/level_kernels.h"

namespace strata {
namespace {

/// Levels of a uniform grid that stand for their mean; larger ones for level * step.
constexpr std::int32_t kMeanLevels = 3;
/// Bits of error that a coded bit must save: from high-rate theory, d(error) / d(bits) of a uniform
/// quantizer is step^2 * ln 2 / 6.
constexpr double kLambda = 0.1155;
/// Symbols of the levels that the rate decision looks at.
constexpr std::int32_t kPricedLevels = 16;

/// A place in an array whose zero lies further back.
std::size_t asIndex(std::int32_t place) { return static_cast<std::size_t>(place); }

float asBf16(double value) { return roundToBfloat(static_cast<float>(value)); }

std::uint32_t symbolOf(std::int32_t level) {
  const auto magnitude = static_cast<std::uint32_t>(std::abs(level));
  const std::uint32_t length = static_cast<std::uint32_t>(std::bit_width(magnitude));
  const std::uint32_t raw = length < 2 ? 0 : length - 2;
  return 2 * ((magnitude >> raw) + 2 * raw) + (level < 0 ? 1 : 0);
}

/// Bits of the symbols of small levels in each context.
using Prices = std::array<std::array<float, 2 * kPricedLevels + 1>, kContexts>;

Prices pricesOf(const ContextCounts& counts) {
  const TableSet tables = buildSharedTableSet(counts);
  Prices prices{};
  for (std::size_t c = 0; c < kContexts; ++c) {
    const FrequencyTable& table = tables.tables[tables.map[c]];
    for (std::int32_t level = -kPricedLevels; level <= kPricedLevels; ++level) {
      const std::uint32_t symbol = symbolOf(level);
      const double frequency = std::max<double>(table[symbol], 0.05);
      const double raw = symbol < 8 ? 0 : symbol / 4 - 1;
      prices[c][asIndex(level + kPricedLevels)] =
          static_cast<float>(kernels::kProbabilityBits - std::log2(frequency) + raw);
    }
  }
  return prices;
}

/// Moves levels towards zero where the bits saved are worth the error.
void decideByRate(const LossySettings& settings, const ChosenTerms& chosen, NonZeroLevels& levels) {
  const Prices prices = pricesOf(chosen.counts);
  const auto lambda = static_cast<float>(kLambda * settings.step * settings.step);
  const auto grid = static_cast<float>(settings.step);
  const ScaleTerms& terms = chosen.terms;
  levels.change([&](std::size_t row, std::uint32_t column, std::int32_t level, float value) {
    if (std::abs(level) > kPricedLevels) return level;
    const std::int32_t columnTerm = terms.columns.empty() ? 0 : terms.columns[column];
    const auto& bits = prices[levelContextOf(terms.ofRow(row), columnTerm)];
    const float weight = settings.weights.of(row, column);
    const auto cost = [&](std::int32_t candidate) {
      const float error = value - static_cast<float>(candidate) * grid;
      return weight * error * error + lambda * bits[asIndex(candidate + kPricedLevels)];
    };
    // Without branches, which nobody could foresee.
    const std::int32_t lower = level > 0 ? level - 1 : level + 1;
    const float same = cost(level);
    const float less = cost(lower);
    const std::int32_t takesLower = -static_cast<std::int32_t>(less < same);
    const std::int32_t isNotZero = static_cast<std::int32_t>(cost(0) < std::min(less, same)) - 1;
    return (level ^ ((level ^ lower) & takesLower)) & isNotZero;
  });
}

/// Whole steps of one row, those of `deadZone` below a step included: of less where errors weigh
/// more.
void quantizeRow(std::span<const float> rest, std::uint64_t row, const LossySettings& settings,
                 std::int32_t* levels) {
  const auto inverse = static_cast<float>(1 / settings.step);
  constexpr auto kMost = static_cast<float>(kMostLevelMagnitude);
  const auto& kernels = kernels::bestLevelKernels();
  if (settings.weights.empty()) {
    const auto offset = static_cast<float>(settings.deadZone);
    return kernels.quantize(rest.data(), rest.size(), {inverse, offset, kMost}, levels);
  }
  const auto zone = static_cast<float>(0.5 - settings.deadZone);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const float offset = 0.5F - zone / settings.weights.of(row, i);
    kernels.quantize(&rest[i], 1, {inverse, offset, kMost}, levels + i);
  }
}

void quantizeUniform(const PartShape& shape, std::span<const float> rest,
                     const LossySettings& settings, QuantizedLevels& q) {
  const std::size_t columns = shape.columns;
  LentBuffer<std::int32_t> buffer;
  const std::span<std::int32_t> levels = buffer->first(columns);
  for (std::size_t at = 0; at < rest.size(); at += columns) {
    const auto row = rest.subspan(at, columns);
    quantizeRow(row, at / columns, settings, levels.data());
    q.nonZero.addRow(levels, row);
  }
  // For prices a sample will do.
  decideByRate(settings, chooseTermsBySample(shape, q.nonZero), q.nonZero);
}

/// Calls `visit(row, column, level, value)` for the levels that are not 0.
template <typename Visit>
void forEachNonZero(const NonZeroLevels& levels, Visit&& visit) {
  forEachRowRun(levels.rowEnds(), [&](std::size_t row, std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      visit(row, levels.columns()[i], levels.levels()[i], levels.values()[i]);
    }
  });
}

/// Means of what fell into the first levels, the same for both signs.
void fitMeans(const LossySettings& settings, QuantizedLevels& q) {
  const double step = settings.step;
  std::array<double, kMeanLevels + 1> sums{};
  std::array<double, kMeanLevels + 1> counts{};
  std::int32_t most = 0;
  forEachNonZero(q.nonZero,
                 [&](std::size_t row, std::uint32_t column, std::int32_t level, float value) {
                   const std::int32_t size = std::abs(level);
                   most = std::max(most, size);
                   if (size > kMeanLevels) return;
                   const float weight = settings.weights.of(row, column);
                   sums[static_cast<std::size_t>(size)] += weight * std::fabs(value);
                   counts[static_cast<std::size_t>(size)] += weight;
                 });
  const std::int32_t kept = std::min(most, kMeanLevels);
  q.table.values.assign(asIndex(2 * kept + 1), 0.0F);
  for (std::int32_t size = 1; size <= kept; ++size) {
    const auto s = static_cast<std::size_t>(size);
    const double value = counts[s] == 0 ? size * step : sums[s] / counts[s];
    q.table.values[asIndex(kept + size)] = static_cast<float>(value);
    q.table.values[asIndex(kept - size)] = static_cast<float>(-value);
  }
  q.table.step = static_cast<float>(step);
}

/// A word beyond the table, as bf16.
std::int32_t protectedLevel(float value, std::int32_t most) {
  const auto word = std::bit_cast<std::uint32_t>(asBf16(value)) >> 16 & 0x7fff;
  const auto beyond = most + 1 + static_cast<std::int32_t>(word);
  return value < 0 ? -beyond : beyond;
}

/// The level of each word of a row: `levels`, of which `below` are negative and none is 0, numbered
/// from 0, which is that of words of `pruned` and less.
void levelsApart(std::span<const float> row, std::span<const std::uint8_t> numbers,
                 std::int32_t below, float pruned, std::span<std::int32_t> to) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::int32_t number = numbers[i];
    const std::int32_t level = number < below ? number - below : number - below + 1;
    to[i] = std::fabs(row[i]) <= pruned ? 0 : level;
  }
}

/// Levels of a sketch without 0, and 0 for what is pruned: as ExCP has them.
void quantizeBesideZero(const PartShape& shape, std::span<const float> rest,
                        const LossySettings& settings, DeviceQuantizer* device,
                        QuantizedLevels& q) {
  const float pruned = settings.pruneBelow.value_or(0);
  std::vector<SketchBucket> buckets = sketchOf(rest, device).buckets();
  std::erase_if(buckets, [&](const SketchBucket& bucket) {
    return bucket.value == 0 || std::fabs(bucket.value) <= pruned;
  });
  std::vector<float> levels =
      fitLevels(buckets, {.levelCount = settings.levelCount, .countShare = 1}, device);
  std::erase_if(levels, [](float level) { return asBf16(level) == 0; });
  // Words beside pruned ones within a bucket may be all there is.
  if (levels.empty()) levels.push_back(std::max(pruned, std::numeric_limits<float>::min()));
  std::sort(levels.begin(), levels.end());
  const auto below = static_cast<std::int32_t>(
      std::lower_bound(levels.begin(), levels.end(), 0.0F) - levels.begin());
  const std::int32_t most = std::max(below, static_cast<std::int32_t>(levels.size()) - below);
  q.table.isUniform = false;
  q.table.values.assign(asIndex(2 * most + 1), 0.0F);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto number = static_cast<std::int32_t>(i);
    const std::int32_t level = number < below ? number - below : number - below + 1;
    q.table.values[asIndex(most + level)] = asBf16(levels[i]);
  }
  std::vector<std::uint8_t> numbers(rest.size());
  nearestLevels(rest, levelEdges(levels), device, numbers.data());
  LentBuffer<std::int32_t> buffer;
  const std::span<std::int32_t> to = buffer->first(shape.columns);
  for (std::size_t at = 0; at < rest.size(); at += shape.columns) {
    const auto row = rest.subspan(at, shape.columns);
    levelsApart(row, std::span(numbers).subspan(at, row.size()), below, pruned, to);
    q.nonZero.addRow(to, row);
  }
}

/// Levels of a sketch: the one nearest zero becomes level 0, protected words lie beyond the table.
void quantizeToSketch(const PartShape& shape, std::span<const float> rest,
                      const LossySettings& settings, DeviceQuantizer* device, QuantizedLevels& q) {
  const LevelSketch sketch = sketchOf(rest, device);
  const float pruned = settings.pruneBelow.value_or(sketch.magnitudeAt(settings.pruneShare));
  const float largest = settings.protectShare > 0 ? sketch.magnitudeAt(1 - settings.protectShare)
                                                  : std::numeric_limits<float>::infinity();
  const float kept = settings.protectAbove.value_or(largest);
  std::vector<SketchBucket> buckets = sketch.buckets();
  std::erase_if(buckets, [&](const SketchBucket& bucket) {
    const float size = std::fabs(bucket.value);
    return size > kept || (settings.pruneShare > 0 && size <= pruned);
  });
  std::vector<float> levels = fitLevels(buckets, {.levelCount = settings.levelCount}, device);
  if (settings.pruneShare > 0 || levels.empty()) levels.push_back(0);
  std::sort(levels.begin(), levels.end());
  const auto nearest = std::min_element(
      levels.begin(), levels.end(), [](float a, float b) { return std::fabs(a) < std::fabs(b); });
  const auto below = static_cast<std::int32_t>(nearest - levels.begin());
  const auto above = static_cast<std::int32_t>(levels.end() - nearest) - 1;
  const std::int32_t most = std::max(below, above);
  q.table.isUniform = false;
  q.table.values.assign(asIndex(2 * most + 1), 0.0F);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    q.table.values[i + asIndex(most - below)] = asBf16(levels[i]);
  }
  std::vector<std::uint8_t> numbers(rest.size());
  nearestLevels(rest, levelEdges(levels), device, numbers.data());
  LentBuffer<std::int32_t> buffer;
  const std::span<std::int32_t> to = buffer->first(shape.columns);
  for (std::size_t at = 0; at < rest.size(); at += shape.columns) {
    const auto row = rest.subspan(at, shape.columns);
    for (std::size_t i = 0; i < row.size(); ++i) {
      to[i] = numbers[at + i] - below;
      const float size = std::fabs(row[i]);
      if (size > kept) to[i] = protectedLevel(row[i], most);
      if (settings.pruneShare > 0 && size <= pruned) to[i] = 0;
    }
    q.nonZero.addRow(to, row);
  }
}

/// The scalar product of the rest, times the weights of its words, and what the levels stand for.
double projectionOf(std::span<const float> weightedRest, const LossySettings& settings,
                    const NonZeroLevels& levels, const LevelTable& table) {
  double sum = 0;
  const auto add = [&](std::span<float> values, std::span<const std::int32_t> of) {
    std::fill(values.begin(), values.end(), 0.0F);
    kernels::bestKernels().addLevels(
        values.data(), reinterpret_cast<const std::uint32_t*>(of.data()), table.view(), of.size());
  };
  if (table.values[table.most()] == 0) {
    LentBuffer<float> buffer;
    const std::span<float> values = buffer->first(levels.count());
    add(values, levels.levels());
    const float* restored = values.data();
    forEachNonZero(levels, [&](std::size_t row, std::uint32_t column, std::int32_t, float value) {
      sum += static_cast<double>(value * settings.weights.of(row, column)) * *restored++;
    });
    return sum;
  }
  constexpr std::size_t kPiece = 4096;
  float values[kPiece];
  std::int32_t of[kPiece];
  for (std::size_t at = 0; at < weightedRest.size(); at += kPiece) {
    const std::size_t n = std::min(kPiece, weightedRest.size() - at);
    levels.write(at, {of, n});
    add({values, n}, {of, n});
    for (std::size_t i = 0; i < n; ++i)
      sum += static_cast<double>(weightedRest[at + i]) * values[i];
  }
  return sum;
}

/// Each word times the weight of its error.
std::vector<float> weighted(const PartShape& shape, std::span<const float> rest,
                            const ErrorWeights& weights) {
  std::vector<float> product(rest.begin(), rest.end());
  for (std::size_t i = 0; i < product.size(); ++i) {
    product[i] *= weights.of(i / shape.columns, i % shape.columns);
  }
  return product;
}

/// Scales all levels so that the projection is unbiased; protected words keep their values.
void unbias(const PartShape& shape, std::span<const float> rest, const LossySettings& settings,
            const QuantizedLevels& q, LevelTable& table) {
  double energy = 0;
  double projection = 0;
  if (settings.weights.empty()) {
    energy = energyOf(rest);
    projection = projectionOf(rest, settings, q.nonZero, table);
  } else {
    const std::vector<float> product = weighted(shape, rest, settings.weights);
    for (std::size_t i = 0; i < rest.size(); ++i) {
      energy += static_cast<double>(product[i]) * rest[i];
    }
    projection = projectionOf(product, settings, q.nonZero, table);
  }
  const double gain = unbiasedGain(energy, projection, settings.gain);
  for (float& value : table.values) value = asBf16(value * gain);
  table.step = asBf16(table.step * gain);
}

}  // namespace

Result<QuantizedLevels> quantizeLevels(const PartShape& shape, std::span<const float> rest,
                                       const LossySettings& settings, DeviceQuantizer* device) {
  if (shape.columns > UINT32_MAX) {
    return fail(ErrorCode::LimitExceeded,
                fmt::format("row of {} words, expected fewer than 2^32", shape.columns));
  }
  QuantizedLevels q(shape);
  if (settings.levelCount == 0) {
    quantizeUniform(shape, rest, settings, q);
    fitMeans(settings, q);
  } else if (settings.zeroApart) {
    quantizeBesideZero(shape, rest, settings, device, q);
  } else {
    quantizeToSketch(shape, rest, settings, device, q);
  }
  ChosenTerms chosen = chooseTerms(shape, q.nonZero);
  q.terms = std::move(chosen.terms);
  q.counts = std::move(chosen.counts);
  unbias(shape, rest, settings, q, q.table);
  return q;
}

float stepWithoutMeans(const PartShape& shape, std::span<const float> rest,
                       const LossySettings& settings, const QuantizedLevels& q) {
  LevelTable table;
  table.step = static_cast<float>(settings.step);
  unbias(shape, rest, settings, q, table);
  return table.step;
}

}  // namespace strata
