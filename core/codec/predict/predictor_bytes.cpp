#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <utility>

#include "core/codec/entropy/byte_stream.h"
#include "core/codec/predict/low_rank.h"
#include "core/codec/predict/predictor.h"
#include "core/codec/predict/predictor_forms.h"
#include "core/codec/predict/wide_factors.h"

namespace strata {
namespace {

void writeDecay(ByteWriter& out, const DecayedRows& decay) {
  out.byte(static_cast<std::uint8_t>(decay.factors.size()));
  for (const float factor : decay.factors) out.fixed(std::bit_cast<std::uint32_t>(factor));
  if (!decay.factors.empty()) writeByteStream(out, decay.palette);
}

std::optional<DecayedRows> readDecay(ByteReader& in, const PartShape& shape) {
  DecayedRows decay;
  const std::size_t factorCount = in.byte();
  for (std::size_t i = 0; i < factorCount; ++i) {
    const auto factor = std::bit_cast<float>(in.fixed<std::uint32_t>());
    if (!std::isfinite(factor)) return std::nullopt;
    decay.factors.push_back(factor);
  }
  if (in.failed()) return std::nullopt;
  if (factorCount == 0) return decay;
  auto palette = readByteStream(in, shape.rows);
  if (!palette) return std::nullopt;
  const bool valid = std::all_of(palette->begin(), palette->end(),
                                 [&](std::uint8_t p) { return p <= factorCount; });
  if (!valid) return std::nullopt;
  decay.palette = std::move(*palette);
  return decay;
}

std::optional<Predictor> readLowRankRows(ByteReader& in, const PartShape& shape) {
  auto decay = readDecay(in, shape);
  if (!decay) return std::nullopt;
  auto factors = readLowRank(in, shape);
  if (!factors) return std::nullopt;
  return Predictor{LowRankRows{*std::move(factors), *std::move(decay)}};
}

/// One number for each row: the planes of their bytes, lowest first.
void writeRowNumbers(ByteWriter& out, std::span<const float> values) {
  std::vector<std::uint8_t> plane(values.size());
  for (unsigned shift = 0; shift < 32; shift += 8) {
    std::transform(values.begin(), values.end(), plane.begin(), [shift](float value) {
      return static_cast<std::uint8_t>(std::bit_cast<std::uint32_t>(value) >> shift);
    });
    writeByteStream(out, plane);
  }
}

/// Nothing where a plane is damaged or a number is none.
std::optional<std::vector<float>> readRowNumbers(ByteReader& in, std::uint64_t count) {
  std::vector<float> values(count);
  for (unsigned shift = 0; shift < 32; shift += 8) {
    const auto plane = readByteStream(in, count);
    if (!plane) return std::nullopt;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t byte = (*plane)[i];
      values[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(values[i]) | byte << shift);
    }
  }
  const bool areNumbers = std::ranges::all_of(values, [](float v) { return std::isfinite(v); });
  return areNumbers ? std::optional(std::move(values)) : std::nullopt;
}

/// Several steps, and the shares of rows.
std::optional<ReplayedRowMoment> readRowMoment(ByteReader& in, const PartShape& shape) {
  const auto step = readAdamStep(in);
  if (!step || !usesEarlierMoment(*step) || shape.columns < kLeastColumnsOfRows) {
    return std::nullopt;
  }
  auto shares = readDecay(in, shape);
  if (!shares) return std::nullopt;
  return ReplayedRowMoment{*step, *std::move(shares)};
}

std::optional<Predictor> readRowWeights(ByteReader& in, const PartShape& shape) {
  auto rows = readRowMoment(in, shape);
  if (!rows) return std::nullopt;
  auto rates = readRowNumbers(in, shape.rows);
  if (!rates) return std::nullopt;
  auto earlier = readRowNumbers(in, shape.rows);
  if (!earlier) return std::nullopt;
  return Predictor{ReplayedRowWeights{rows->step, std::move(rows->shares), *std::move(rates),
                                      *std::move(earlier)}};
}

/// A form of its own, or nothing where that was not read.
template <typename Form, typename Read>
std::optional<Predictor> formOf(std::optional<Read> read) {
  if (!read) return std::nullopt;
  return Predictor{Form{*std::move(read)}};
}

}  // namespace

void writePredictor(ByteWriter& out, const Predictor& predictor) {
  out.byte(static_cast<std::uint8_t>(predictor.id()));
  std::visit(
      Overloaded{[](std::monostate) {}, [&](const DecayedRows& decay) { writeDecay(out, decay); },
                 [&](const LowRankRows& low) {
                   writeDecay(out, low.decay);
                   writeLowRank(out, low.factors);
                 },
                 [&](const WideFactors& wide) { writeWideFactors(out, wide); },
                 [&](const ReplayedRowMoment& rows) {
                   writeAdamStep(out, rows.step);
                   writeDecay(out, rows.shares);
                 },
                 [&](const ReplayedRowWeights& rows) {
                   writeAdamStep(out, rows.step);
                   writeDecay(out, rows.shares);
                   writeRowNumbers(out, rows.rates);
                   writeRowNumbers(out, rows.earlierRates);
                 },
                 [&](const auto& replayed) { writeAdamStep(out, replayed.step); }},
      predictor.form);
}

std::optional<Predictor> readPredictor(ByteReader& in, PredictorId id, const PartShape& shape) {
  if (id == PredictorId::None) return Predictor{};
  const auto kind = predictableKind(shape.word);
  if (!kind) return std::nullopt;
  const bool isF32 = kind == kernels::FloatKind::F32;
  switch (id) {
    case PredictorId::Decay: {
      auto decay = readDecay(in, shape);
      if (decay && decay->factors.empty()) return std::nullopt;
      return formOf<DecayedRows>(std::move(decay));
    }
    case PredictorId::LowRank:
      return readLowRankRows(in, shape);
    case PredictorId::WideLowRank:
      return formOf<WideFactors>(readWideFactors(in, shape));
    case PredictorId::Moment:
      return isF32 ? formOf<ReplayedMoment>(readAdamStep(in)) : std::nullopt;
    case PredictorId::Weights:
      return isF32 ? formOf<ReplayedWeights>(readAdamStep(in)) : std::nullopt;
    case PredictorId::RowMoment: {
      if (!isF32) return std::nullopt;
      auto rows = readRowMoment(in, shape);
      return rows ? std::optional(Predictor{*std::move(rows)}) : std::nullopt;
    }
    case PredictorId::RowWeights:
      return isF32 ? readRowWeights(in, shape) : std::nullopt;
    case PredictorId::None:
      break;
  }
  return std::nullopt;
}

}  // namespace strata
