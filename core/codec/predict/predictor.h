#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/codec/codec.h"
#include "core/codec/entropy/byte_io.h"
#include "kernels/cpu_kernels.h"

namespace strata {

/// What stands in front of a difference codec. Stored in payloads: never renumbered.
enum class PredictorId : std::uint8_t {
  None = 0,
  Decay = 1,        ///< rows that weight decay alone has moved: round(parent * factor)
  LowRank = 2,      ///< round(parent + A * B) with integer factors; may have decayed rows, too
  WideLowRank = 3,  ///< the same with factors of 32 bits and sums in 64; no decayed rows
};

/// The float kind whose arithmetic predictors use; nothing for words they do not work on.
std::optional<kernels::FloatKind> predictableKind(const WordFormat& word) noexcept;

/// Factors of A * B, `rank` per row and per column, and the power of two they are scaled by.
struct LowRankFactors {
  std::uint32_t rank = 0;
  std::int32_t scaleLog2 = 0;
  std::vector<std::int16_t> rows;     ///< rank per row, row after row
  std::vector<std::int16_t> columns;  ///< one run of all columns per component
};

constexpr std::int32_t kWideScaleRange = 200;

/// The same for merged adapters, whose products f32 words tell to 20 bits and more.
struct WideFactors {
  std::uint32_t rank = 0;
  std::int32_t scaleLog2 = 0;         ///< within kWideScaleRange of 0
  std::vector<std::int32_t> rows;     ///< rank per row, row after row
  std::vector<std::int32_t> columns;  ///< one run of all columns per component

  /// Whether the sums of all absolute products stay below 2^62.
  bool sumsFit(const PartShape& shape) const;
};

/// A prediction of a part from its parent: the same bits on every machine.
struct Predictor {
  std::vector<float> factors;         ///< decay factors by palette index - 1
  std::vector<std::uint8_t> palette;  ///< per row: 0 for none; empty: no decay
  LowRankFactors lowRank;
  WideFactors wide;  ///< alone

  bool isNone() const noexcept { return id() == PredictorId::None; }
  PredictorId id() const noexcept;

  /// out = the prediction of `count` words of one row from `firstColumn` on. `out` may be `parent`.
  template <typename Word>
  void predict(kernels::FloatKind kind, std::uint64_t row, std::uint64_t firstColumn,
               std::span<const Word> parent, Word* out) const;
};

/// Finds rows of which `words` is `parent` times a common factor, up to drift.
template <typename Word>
Predictor findDecay(const PartShape& shape, kernels::FloatKind kind, std::span<const Word> parent,
                    std::span<const Word> words);

/// docs/FORMAT.md, "Predictors".
void writePredictor(ByteWriter& out, const Predictor& predictor);
/// Nothing if the bytes are damaged.
std::optional<Predictor> readPredictor(ByteReader& in, PredictorId id, const PartShape& shape);

}  // namespace strata
