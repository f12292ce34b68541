#include "core/codec/lossy/coarse_factors.h"

#include <algorithm>
#include <cmath>

#include "core/codec/entropy/byte_stream.h"
#include "core/codec/lossy/level_stream.h"
#include "core/codec/lossy/reconstruction.h"
#include "core/codec/predict/singular_cache.h"
#include "core/codec/predict/truncated_svd.h"

namespace strata {
namespace {

constexpr std::int32_t kScaleRange = 90;
constexpr std::int32_t kMostLevel = 127;
/// Sums below this are exact as floats.
constexpr std::int64_t kExactSum = std::int64_t{1} << 24;
/// Share of the rest's energy that a bit per word takes off it at low rates: 2 ln 2 at the bound of
/// rate and distortion, about this in practice.
constexpr double kEnergyPerBit = 1.1;

/// Both sides as rounded numbers, one column per component.
struct Rounded {
  Eigen::MatrixXf rows;
  Eigen::MatrixXf columns;
  Eigen::VectorXd against;  ///< scalar products of the matrix with each component
  Eigen::VectorXd scales;   ///< of each component
  Eigen::VectorXd gains;    ///< energy that each takes off
};

/// `m` in whole steps; zeros where that is no number, as of a step of 0.
Eigen::MatrixXf rounded(const Eigen::MatrixXf& m, double step) {
  return (m / static_cast<float>(step))
      .array()
      .round()
      .unaryExpr([](float level) { return std::isnan(level) ? 0.0F : level; })
      .max(-static_cast<float>(kMostLevel))
      .min(static_cast<float>(kMostLevel))
      .matrix();
}

/// Square roots of the weights of rows and columns: in a matrix scaled by both, weighted squares
/// are plain ones.
struct Roots {
  Eigen::VectorXf rows;
  Eigen::VectorXf columns;

  Roots(const PartShape& shape, const ErrorWeights& weights)
      : rows(rootsOf(weights.rows, shape.rows)), columns(rootsOf(weights.columns, shape.columns)) {}

  static Eigen::VectorXf rootsOf(std::span<const float> weights, std::uint64_t count) {
    if (weights.empty()) return Eigen::VectorXf::Ones(static_cast<Eigen::Index>(count));
    return Eigen::Map<const Eigen::VectorXf>(weights.data(),
                                             static_cast<Eigen::Index>(weights.size()))
        .cwiseSqrt();
  }
};

/// `residual` scaled by the roots.
std::vector<float> scaled(const PartShape& shape, std::span<const float> residual,
                          const Roots& roots) {
  std::vector<float> values(residual.size());
  const MatrixView m = matrixView(shape, residual);
  Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      values.data(), m.rows(), m.cols()) = roots.rows.asDiagonal() * m * roots.columns.asDiagonal();
  return values;
}

/// The scalar products of `m`, which is scaled by the roots, with all components.
void measure(const MatrixView& m, const Roots& roots, Rounded& factors) {
  const Eigen::MatrixXd rows = (roots.rows.asDiagonal() * factors.rows).cast<double>();
  const Eigen::MatrixXf projected = thinProduct(m, roots.columns.asDiagonal() * factors.columns);
  factors.against = (rows.array() * projected.cast<double>().array()).colwise().sum().transpose();
}

/// The scales of all components, which were measured, that leave the least squares.
void fitScales(const Roots& roots, Rounded& factors) {
  const Eigen::MatrixXd rows = (roots.rows.asDiagonal() * factors.rows).cast<double>();
  const Eigen::MatrixXd columns = (roots.columns.asDiagonal() * factors.columns).cast<double>();
  const Eigen::MatrixXd gram =
      (rows.transpose() * rows).cwiseProduct(columns.transpose() * columns);
  factors.scales = gram.ldlt().solve(factors.against);
  factors.gains = factors.scales.cwiseProduct(factors.against);
}

/// The columns of least squares against rounded rows.
Eigen::MatrixXf columnsFor(const MatrixView& m, const Eigen::MatrixXf& rows) {
  const Eigen::MatrixXd gram = (rows.transpose() * rows).cast<double>();
  const Eigen::MatrixXd against = transposedThinProduct(m, rows).cast<double>();
  return gram.ldlt().solve(against.transpose()).transpose().cast<float>();
}

Rounded keep(const Rounded& factors, const std::vector<Eigen::Index>& kept) {
  Rounded out;
  const auto count = static_cast<Eigen::Index>(kept.size());
  out.rows.resize(factors.rows.rows(), count);
  out.columns.resize(factors.columns.rows(), count);
  out.against.resize(factors.against.size() == 0 ? 0 : count);
  for (Eigen::Index k = 0; k < count; ++k) {
    const Eigen::Index from = kept[static_cast<std::size_t>(k)];
    out.rows.col(k) = factors.rows.col(from);
    out.columns.col(k) = factors.columns.col(from);
    if (out.against.size() != 0) out.against[k] = factors.against[from];
  }
  return out;
}

double bitsOf(const Eigen::VectorXf& levels) {
  std::vector<std::uint32_t> counts(2 * kMostLevel + 1);
  for (Eigen::Index i = 0; i < levels.size(); ++i) {
    const std::int32_t at = static_cast<std::int32_t>(levels[i]) + kMostLevel;
    ++counts[static_cast<std::size_t>(at)];
  }
  return entropyBits(counts);
}

/// Components that take off more than their bits would in the rest.
std::vector<Eigen::Index> worthKeeping(const Rounded& factors, double energy, double wordCount) {
  const double rest = std::max(0.0, energy - factors.gains.sum());
  std::vector<Eigen::Index> kept;
  for (Eigen::Index k = 0; k < factors.rows.cols(); ++k) {
    const double bits = bitsOf(factors.rows.col(k)) + bitsOf(factors.columns.col(k)) + 48;
    const bool pays = factors.gains[k] > kEnergyPerBit * bits / wordCount * rest;
    if (pays && factors.scales[k] > 0) kept.push_back(k);
  }
  return kept;
}

bool sumsAreExact(const CoarseFactors& factors, const PartShape& shape) {
  std::int64_t sum = 0;
  for (std::uint32_t k = 0; k < factors.rank(); ++k) {
    const auto largest = [](const std::int8_t* from, std::uint64_t count) {
      std::int64_t most = 0;
      for (std::uint64_t i = 0; i < count; ++i)
        most = std::max<std::int64_t>(most, std::abs(from[i]));
      return most;
    };
    sum += factors.multipliers[k] * largest(factors.rows.data() + k * shape.rows, shape.rows) *
           largest(factors.columns.data() + k * shape.columns, shape.columns);
  }
  return sum < kExactSum;
}

CoarseFactors packed(const Rounded& factors) {
  CoarseFactors out;
  const double largest = factors.scales.maxCoeff();
  out.scaleLog2 = static_cast<std::int32_t>(std::ceil(std::log2(largest / 255)));
  const auto append = [](std::vector<std::int8_t>& to, const Eigen::MatrixXf& from) {
    for (Eigen::Index i = 0; i < from.size(); ++i) {
      to.push_back(static_cast<std::int8_t>(from.data()[i]));
    }
  };
  for (Eigen::Index k = 0; k < factors.scales.size(); ++k) {
    const double multiplier = std::ldexp(factors.scales[k], -out.scaleLog2);
    out.multipliers.push_back(
        static_cast<std::uint8_t>(std::clamp(std::nearbyint(multiplier), 1.0, 255.0)));
  }
  append(out.rows, factors.rows);
  append(out.columns, factors.columns);
  return out;
}

/// All levels, component by component, rows before columns, with their contexts.
struct Symbols {
  std::vector<std::int32_t> levels;
  std::vector<std::uint8_t> contexts;
  std::vector<std::uint8_t> runContexts;  ///< of each run of rows or columns
};

Symbols symbolsOf(const CoarseFactors& factors) {
  Symbols out;
  const std::uint32_t rank = factors.rank();
  const auto add = [&](const std::vector<std::int8_t>& side, std::uint32_t k) {
    const std::size_t count = side.size() / rank;
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      out.levels.push_back(side[k * count + i]);
      sum += std::abs(side[k * count + i]);
    }
    const double mean = std::max(sum / static_cast<double>(count), 0x1p-20);
    out.runContexts.push_back(
        levelContext(static_cast<std::int32_t>(std::lround(2 * std::log2(mean)))));
    out.contexts.insert(out.contexts.end(), count, out.runContexts.back());
  };
  for (std::uint32_t k = 0; k < rank; ++k) {
    add(factors.rows, k);
    add(factors.columns, k);
  }
  return out;
}

/// The levels behind the run contexts of a payload; nothing if they are damaged.
std::optional<std::vector<std::uint32_t>> readLevels(ByteReader& in, std::uint32_t rank,
                                                     const PartShape& shape) {
  const auto runs = readByteStream(in, std::uint64_t{2} * rank);
  if (!runs) return std::nullopt;
  const auto tables = readTableSet(in, kLevelAlphabet);
  if (!tables) return std::nullopt;
  const std::size_t count = rank * (shape.rows + shape.columns);
  std::vector<std::uint8_t> contexts;
  contexts.reserve(count);
  for (std::uint32_t k = 0; k < rank; ++k) {
    for (const std::uint64_t side : {0, 1}) {
      const std::uint8_t context = (*runs)[std::size_t{2} * k + side];
      if (context >= kContexts) return std::nullopt;
      contexts.insert(contexts.end(), side == 0 ? shape.rows : shape.columns, tables->map[context]);
    }
  }
  auto stream = openRansStream(in.bytes(in.varint()), lanesFor(count));
  if (in.failed() || !stream) return std::nullopt;
  std::vector<std::uint32_t> levels(count);
  kernels::bestKernels().decodeDeltas(*stream, tables->slots.data(), contexts.data(), count,
                                      levels.data());
  if (!endedClean(*stream)) return std::nullopt;
  return levels;
}

/// The decomposition of `m`, which is scaled by the roots of the weights, or what is known of it.
std::shared_ptr<const TruncatedSvd> decomposed(const MatrixView& m, int rank,
                                               const LossySettings& settings) {
  const KnownSingular& known = settings.singular;
  if (known.cache == nullptr) return std::make_shared<TruncatedSvd>(truncatedSvd(m, rank));
  // Weights are the same ones as long as they lie in the same place.
  const SingularCache::Key key = {known.part[0],
                                  known.part[1],
                                  known.part[2],
                                  static_cast<std::uint64_t>(m.rows()),
                                  reinterpret_cast<std::uintptr_t>(settings.weights.rows.data()),
                                  static_cast<std::uint64_t>(rank)};
  auto svd = known.cache->find(key);
  if (!svd) {
    svd = std::make_shared<TruncatedSvd>(truncatedSvd(m, rank));
    known.cache->keep(key, svd);
  }
  return svd;
}

}  // namespace

CoarseFactors takeCoarseFactors(const PartShape& shape, std::span<float> residual,
                                const LossySettings& settings) {
  if (settings.rank == 0) return {};
  const ErrorWeights& weights = settings.weights;
  const Roots roots(shape, weights);
  const std::vector<float> copy =
      weights.empty() ? std::vector<float>() : scaled(shape, residual, roots);
  const MatrixView m = matrixView(shape, weights.empty() ? residual : std::span<const float>(copy));
  const double energy = energyOf({m.data(), static_cast<std::size_t>(m.size())});
  if (energy == 0) return {};
  const auto most = std::min<std::uint64_t>({settings.rank, shape.rows, shape.columns, 255});
  const auto known = decomposed(m, static_cast<int>(most), settings);
  const TruncatedSvd& svd = *known;
  const auto unscaled = [](const Eigen::VectorXf& sideRoots, const Eigen::MatrixXf& side) {
    return Eigen::MatrixXf(sideRoots.cwiseInverse().asDiagonal() * side);
  };
  const auto stepOf = [&](const Eigen::MatrixXf& side) {
    return settings.factorStep * side.col(0).norm() / std::sqrt(static_cast<double>(side.rows()));
  };
  const Eigen::MatrixXf left = unscaled(roots.rows, svd.left);
  const Eigen::MatrixXf right = unscaled(roots.columns, svd.right);
  Rounded factors;
  factors.rows = rounded(left, stepOf(left));
  std::vector<Eigen::Index> kept;
  for (Eigen::Index k = 0; k < factors.rows.cols(); ++k) {
    if (!factors.rows.col(k).isZero()) kept.push_back(k);
  }
  if (kept.empty()) return {};
  factors.columns = right;
  factors = keep(factors, kept);
  const Eigen::MatrixXf rows =
      roots.rows.asDiagonal() * factors.rows * static_cast<float>(stepOf(left));
  factors.columns = rounded(unscaled(roots.columns, columnsFor(m, rows)), stepOf(right));
  measure(m, roots, factors);
  fitScales(roots, factors);
  kept = worthKeeping(factors, energy, static_cast<double>(shape.wordCount()));
  if (kept.empty()) return {};
  factors = keep(factors, kept);
  fitScales(roots, factors);
  if (!(factors.scales.minCoeff() > 0) || !factors.scales.allFinite()) return {};
  CoarseFactors out = packed(factors);
  if (std::abs(out.scaleLog2) > kScaleRange || !sumsAreExact(out, shape)) return {};
  LowRankFactors negative = widened(out, shape);
  for (std::int16_t& level : negative.rows) level = static_cast<std::int16_t>(-level);
  addFactors(negative, shape, 0, residual);
  return out;
}

void addRowOffsets(const PartShape& shape, std::span<const double> offsets,
                   CoarseFactors& factors) {
  constexpr double kStep = 0.5;  // of the offsets, relative to their root mean square
  double squares = 0;
  for (const double offset : offsets) squares += offset * offset;
  const double step = kStep * std::sqrt(squares / static_cast<double>(offsets.size()));
  if (!(step > 0) || !std::isfinite(step) || factors.rank() == 255) return;
  CoarseFactors wider = factors;
  if (factors.rank() == 0) wider.scaleLog2 = std::ilogb(step) - 7;
  const double multiplier =
      std::clamp(std::nearbyint(std::ldexp(step, -wider.scaleLog2)), 1.0, 255.0);
  wider.multipliers.push_back(static_cast<std::uint8_t>(multiplier));
  const double used = std::ldexp(multiplier, wider.scaleLog2);
  bool isZero = true;
  for (const double offset : offsets) {
    const double rounded =
        std::clamp<double>(std::nearbyint(offset / used), -kMostLevel, kMostLevel);
    isZero = isZero && rounded == 0;
    wider.rows.push_back(static_cast<std::int8_t>(rounded));
  }
  wider.columns.insert(wider.columns.end(), shape.columns, 1);
  const bool fits = std::abs(wider.scaleLog2) <= kScaleRange &&
                    wider.rank() <= std::min(shape.rows, shape.columns) &&
                    sumsAreExact(wider, shape);
  if (!isZero && fits) factors = std::move(wider);
}

LowRankFactors widened(const CoarseFactors& factors, const PartShape& shape) {
  LowRankFactors out;
  out.rank = factors.rank();
  out.scaleLog2 = factors.scaleLog2;
  out.rows.resize(factors.rows.size());
  for (std::uint32_t k = 0; k < out.rank; ++k) {
    for (std::uint64_t r = 0; r < shape.rows; ++r) {
      out.rows[r * out.rank + k] =
          static_cast<std::int16_t>(factors.multipliers[k] * factors.rows[k * shape.rows + r]);
    }
  }
  out.columns.assign(factors.columns.begin(), factors.columns.end());
  return out;
}

void writeCoarseFactors(ByteWriter& out, const CoarseFactors& factors) {
  out.byte(static_cast<std::uint8_t>(factors.rank()));
  out.varint(zigzag(factors.scaleLog2));
  for (const std::uint8_t multiplier : factors.multipliers) out.byte(multiplier);
  const Symbols symbols = symbolsOf(factors);
  writeByteStream(out, symbols.runContexts);
  LevelStreamEncoder encoder(LevelSymbols(symbols.levels), symbols.contexts);
  const TableSet tables = buildTableSet(encoder.counts());
  writeTableSet(out, tables);
  std::vector<std::byte> stream;
  encoder.append(tables, encoderTable(tables.tables), 0, symbols.levels.size(), stream);
  out.varint(stream.size());
  out.bytes(stream);
}

std::optional<CoarseFactors> readCoarseFactors(ByteReader& in, const PartShape& shape) {
  CoarseFactors factors;
  const std::uint32_t rank = in.byte();
  const std::int64_t scale = unzigzag(in.varint());
  if (in.failed() || rank == 0 || rank > std::min(shape.rows, shape.columns) ||
      scale < -kScaleRange || scale > kScaleRange) {
    return std::nullopt;
  }
  factors.scaleLog2 = static_cast<std::int32_t>(scale);
  for (std::uint32_t k = 0; k < rank; ++k) factors.multipliers.push_back(in.byte());
  const auto levels = readLevels(in, rank, shape);
  if (!levels) return std::nullopt;
  auto next = levels->begin();
  const auto take = [&](std::vector<std::int8_t>& side, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i, ++next) {
      const auto level = static_cast<std::int32_t>(*next);
      if (level < -kMostLevel || level > kMostLevel) return false;
      side.push_back(static_cast<std::int8_t>(level));
    }
    return true;
  };
  for (std::uint32_t k = 0; k < rank; ++k) {
    if (!take(factors.rows, shape.rows) || !take(factors.columns, shape.columns)) {
      return std::nullopt;
    }
  }
  if (!sumsAreExact(factors, shape)) return std::nullopt;
  return factors;
}

}  // namespace strata
