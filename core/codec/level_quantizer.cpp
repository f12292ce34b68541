#include "core/codec/level_quantizer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "core/codec/byte_io.h"
#include "core/codec/level_sketch.h"
#include "core/codec/level_stream.h"
#include "core/codec/reconstruction.h"

namespace strata {
namespace {

/// Levels of a uniform grid that stand for their mean; larger ones for level * step.
constexpr std::int32_t kMeanLevels = 3;
/// Bits of error that a coded bit must save: from high-rate theory, d(error) / d(bits) of a uniform
/// quantizer is step^2 * ln 2 / 6.
constexpr double kLambda = 0.1155;
/// Symbols of the levels that the rate decision looks at.
constexpr std::int32_t kPricedLevels = 16;
/// Levels that tell what contexts are worth, about.
constexpr std::size_t kSampledLevels = std::size_t{1} << 16;
/// Rows and columns shorter than this have no terms of their own.
constexpr std::uint64_t kShortest = 16;

float asBf16(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  const std::uint32_t rounded = bits + 0x7fff + (bits >> 16 & 1);
  return std::bit_cast<float>(rounded & 0xffff0000U);
}

std::uint32_t symbolOf(std::int32_t level) {
  const auto magnitude = static_cast<std::uint32_t>(std::abs(level));
  const std::uint32_t length = static_cast<std::uint32_t>(std::bit_width(magnitude));
  const std::uint32_t raw = length < 2 ? 0 : length - 2;
  return 2 * ((magnitude >> raw) + 2 * raw) + (level < 0 ? 1 : 0);
}

/// Activity of rows and columns: half octaves of mean magnitudes, drawn to the mean of the part
/// where there is little to go by.
ScaleTerms termsOf(const PartShape& shape, std::span<const std::int32_t> levels) {
  const std::uint64_t columns = shape.columns;
  std::vector<double> rowSums(shape.rows);
  std::vector<double> columnSums(columns);
  double total = 0;
  for (std::uint64_t r = 0; r < shape.rows; ++r) {
    const std::int32_t* row = levels.data() + r * columns;
    double sum = 0;
    for (std::uint64_t c = 0; c < columns; ++c) {
      const auto size = static_cast<double>(std::abs(row[c]));
      if (size == 0) continue;
      sum += size;
      columnSums[c] += size;
    }
    rowSums[r] = sum;
    total += sum;
  }
  const double mean = std::max(total, 0.5) / static_cast<double>(shape.wordCount());
  const auto halfOctaves = [](double x) {
    return static_cast<std::int32_t>(std::lround(2 * std::log2(x)));
  };
  ScaleTerms terms;
  terms.all = levelContext(halfOctaves(mean));
  if (shape.rows < kShortest || columns < kShortest || total == 0) return terms;
  const double prior = 2 / mean;  // words among which two unit levels are expected
  for (const double sum : rowSums) {
    if (sum == 0 && static_cast<double>(columns) * mean > 8) {
      terms.rows.push_back(ScaleTerms::kDeadRow);
      continue;
    }
    const double own = (sum + prior * mean) / (static_cast<double>(columns) + prior);
    terms.rows.push_back(levelContext(halfOctaves(own)));
  }
  for (const double sum : columnSums) {
    const double own = (sum + prior * mean) / (static_cast<double>(shape.rows) + prior);
    terms.columns.push_back(static_cast<std::int16_t>(halfOctaves(own / mean)));
  }
  return terms;
}

double termBits(const ScaleTerms& terms) {
  ByteWriter out;
  writeTerms(out, terms);
  return 8.0 * static_cast<double>(out.size());
}

/// Of rows and columns the terms that pay, by each `stride`-th run of levels, with the contexts
/// they give.
void chooseTerms(const PartShape& shape, const LevelSymbols& symbols, QuantizedLevels& q,
                 std::size_t stride = 1) {
  const ScaleTerms full = termsOf(shape, q.levels);
  std::vector<ScaleTerms> candidates{full};
  if (!full.rows.empty()) {
    ScaleTerms rowsOnly = full;
    rowsOnly.columns.clear();
    ScaleTerms columnsOnly = full;
    columnsOnly.rows.clear();
    ScaleTerms none = columnsOnly;
    none.columns.clear();
    candidates = {full, rowsOnly, columnsOnly, none};
  }
  double best = std::numeric_limits<double>::infinity();
  std::vector<std::uint8_t> contexts(q.levels.size());
  for (ScaleTerms& terms : candidates) {
    levelContexts(shape, terms, 0, contexts);
    const double bits =
        static_cast<double>(stride) * symbols.countsIn(contexts, stride).bits() + termBits(terms);
    if (bits >= best) continue;
    best = bits;
    q.terms = std::move(terms);
    q.contexts = contexts;
  }
}

/// Bits of the symbols of small levels in each context.
using Prices = std::array<std::array<float, 2 * kPricedLevels + 1>, kContexts>;

Prices pricesOf(const LevelSymbols& symbols, std::span<const std::uint8_t> contexts) {
  const TableSet tables = buildSharedTableSet(symbols.countsIn(contexts));
  Prices prices{};
  for (std::size_t c = 0; c < kContexts; ++c) {
    const FrequencyTable& table = tables.tables[tables.map[c]];
    for (std::int32_t level = -kPricedLevels; level <= kPricedLevels; ++level) {
      const std::uint32_t symbol = symbolOf(level);
      const double frequency = std::max<double>(table[symbol], 0.05);
      const double raw = symbol < 8 ? 0 : symbol / 4 - 1;
      prices[c][static_cast<std::size_t>(level + kPricedLevels)] =
          static_cast<float>(kernels::kProbabilityBits - std::log2(frequency) + raw);
    }
  }
  return prices;
}

/// Moves levels towards zero where the bits saved are worth the error.
void decideByRate(std::span<const float> rest, double step, const Prices& prices,
                  QuantizedLevels& q) {
  const auto lambda = static_cast<float>(kLambda * step * step);
  const auto grid = static_cast<float>(step);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const std::int32_t level = q.levels[i];
    if (level == 0 || std::abs(level) > kPricedLevels) continue;
    const auto& row = prices[q.contexts[i]];
    const auto cost = [&](std::int32_t candidate) {
      const float error = rest[i] - static_cast<float>(candidate) * grid;
      return error * error + lambda * row[static_cast<std::size_t>(candidate + kPricedLevels)];
    };
    const std::int32_t lower = level > 0 ? level - 1 : level + 1;
    std::int32_t chosen = cost(lower) < cost(level) ? lower : level;
    if (chosen != 0 && cost(0) < cost(chosen)) chosen = 0;
    q.levels[i] = chosen;
  }
}

void quantizeUniform(const PartShape& shape, std::span<const float> rest,
                     const LossySettings& settings, QuantizedLevels& q) {
  const auto inverse = static_cast<float>(1 / settings.step);
  const auto offset = static_cast<float>(settings.deadZone);
  constexpr auto kMost = static_cast<float>(kMostLevelMagnitude);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const float size = std::min(std::fabs(rest[i]) * inverse + offset, kMost);
    const auto level = static_cast<std::int32_t>(size);
    q.levels[i] = rest[i] < 0 ? -level : level;
  }
  // For prices a sample will do.
  const LevelSymbols symbols(q.levels);
  chooseTerms(shape, symbols, q, std::max<std::size_t>(q.levels.size() / kSampledLevels, 1));
  decideByRate(rest, settings.step, pricesOf(symbols, q.contexts), q);
  chooseTerms(shape, LevelSymbols(q.levels), q);
}

/// Means of what fell into the first levels, the same for both signs.
void fitMeans(std::span<const float> rest, double step, QuantizedLevels& q) {
  std::array<double, kMeanLevels + 1> sums{};
  std::array<double, kMeanLevels + 1> counts{};
  std::int32_t most = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const std::int32_t size = std::abs(q.levels[i]);
    if (size == 0) continue;
    most = std::max(most, size);
    if (size > kMeanLevels) continue;
    sums[static_cast<std::size_t>(size)] += std::fabs(rest[i]);
    counts[static_cast<std::size_t>(size)] += 1;
  }
  const std::int32_t kept = std::min(most, kMeanLevels);
  q.table.values.assign(static_cast<std::size_t>(2 * kept + 1), 0.0F);
  for (std::int32_t size = 1; size <= kept; ++size) {
    const auto s = static_cast<std::size_t>(size);
    const double value = counts[s] == 0 ? size * step : sums[s] / counts[s];
    q.table.values[static_cast<std::size_t>(kept + size)] = static_cast<float>(value);
    q.table.values[static_cast<std::size_t>(kept - size)] = static_cast<float>(-value);
  }
  q.table.step = static_cast<float>(step);
}

/// Levels of a sketch: the one nearest zero becomes level 0, protected words lie beyond the table.
void quantizeToSketch(const PartShape& shape, std::span<const float> rest,
                      const LossySettings& settings, QuantizedLevels& q) {
  LevelSketch sketch;
  sketch.add(rest);
  const float pruned = sketch.magnitudeAt(settings.pruneShare);
  const float kept = settings.protectShare > 0 ? sketch.magnitudeAt(1 - settings.protectShare)
                                               : std::numeric_limits<float>::infinity();
  std::vector<SketchBucket> buckets = sketch.buckets();
  std::erase_if(buckets, [&](const SketchBucket& bucket) {
    const float size = std::fabs(bucket.value);
    return size > kept || (settings.pruneShare > 0 && size <= pruned);
  });
  std::vector<float> levels = fitLevels(buckets, {.levelCount = settings.levelCount});
  if (settings.pruneShare > 0 || levels.empty()) levels.push_back(0);
  std::sort(levels.begin(), levels.end());
  const auto nearest = std::min_element(
      levels.begin(), levels.end(), [](float a, float b) { return std::fabs(a) < std::fabs(b); });
  const auto below = static_cast<std::int32_t>(nearest - levels.begin());
  const auto above = static_cast<std::int32_t>(levels.end() - nearest) - 1;
  const std::int32_t most = std::max(below, above);
  q.table.isUniform = false;
  q.table.values.assign(static_cast<std::size_t>(2 * most + 1), 0.0F);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    q.table.values[i + static_cast<std::size_t>(most - below)] = asBf16(levels[i]);
  }
  const std::vector<float> edges = levelEdges(levels);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const float x = rest[i];
    const float size = std::fabs(x);
    if (size > kept) {
      const auto word = std::bit_cast<std::uint32_t>(asBf16(x)) >> 16 & 0x7fff;
      const auto beyond = most + 1 + static_cast<std::int32_t>(word);
      q.levels[i] = x < 0 ? -beyond : beyond;
    } else if (settings.pruneShare > 0 && size <= pruned) {
      q.levels[i] = 0;
    } else {
      const auto edge = std::lower_bound(edges.begin(), edges.end(), x);
      q.levels[i] = static_cast<std::int32_t>(edge - edges.begin()) - below;
    }
  }
  chooseTerms(shape, LevelSymbols(q.levels), q);
}

/// Scales all levels so that the projection is unbiased; protected words keep their values.
void unbias(std::span<const float> rest, double power, QuantizedLevels& q) {
  double energy = 0;
  double projection = 0;
  std::vector<float> piece(4096);
  for (std::size_t at = 0; at < rest.size(); at += piece.size()) {
    const std::size_t n = std::min(piece.size(), rest.size() - at);
    std::fill_n(piece.begin(), n, 0.0F);
    kernels::bestKernels().addLevels(piece.data(),
                                     reinterpret_cast<const std::uint32_t*>(q.levels.data() + at),
                                     q.table.view(), n);
    for (std::size_t i = 0; i < n; ++i) {
      energy += static_cast<double>(rest[at + i]) * rest[at + i];
      projection += static_cast<double>(rest[at + i]) * piece[i];
    }
  }
  const double gain = unbiasedGain(energy, projection, power);
  for (float& value : q.table.values) value = asBf16(value * gain);
  q.table.step = asBf16(q.table.step * gain);
}

}  // namespace

void levelContexts(const PartShape& shape, const ScaleTerms& terms, std::uint64_t first,
                   std::span<std::uint8_t> out) {
  const auto clamped = [](std::int32_t term) {
    return static_cast<std::uint8_t>(std::clamp(term, 1, static_cast<int>(kContexts) - 1));
  };
  if (terms.rows.empty() && terms.columns.empty()) {
    std::fill(out.begin(), out.end(), clamped(terms.all));
    return;
  }
  std::uint64_t row = first / shape.columns;
  std::uint64_t column = first % shape.columns;
  for (std::size_t at = 0; at < out.size(); ++row, column = 0) {
    const auto n =
        static_cast<std::size_t>(std::min<std::uint64_t>(out.size() - at, shape.columns - column));
    const std::int32_t term = terms.ofRow(row);
    const std::int16_t* columns = terms.ofColumns(column);
    if (term == ScaleTerms::kDeadRow) {
      std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(at), n, std::uint8_t{0});
    } else if (columns == nullptr) {
      std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(at), n, clamped(term));
    } else {
      for (std::size_t i = 0; i < n; ++i) out[at + i] = clamped(term + columns[i]);
    }
    at += n;
  }
}

QuantizedLevels quantizeLevels(const PartShape& shape, std::span<const float> rest,
                               const LossySettings& settings) {
  QuantizedLevels q;
  q.levels.resize(rest.size());
  if (settings.levelCount == 0) {
    quantizeUniform(shape, rest, settings, q);
    fitMeans(rest, settings.step, q);
  } else {
    quantizeToSketch(shape, rest, settings, q);
  }
  unbias(rest, settings.gain, q);
  return q;
}

}  // namespace strata
