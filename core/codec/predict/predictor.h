#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "core/codec/codec.h"
#include "core/codec/entropy/byte_io.h"
#include "core/codec/predict/adam_replay.h"
#include "kernels/cpu_kernels.h"

namespace strata {

/// What stands in front of a difference codec. Stored in payloads: never renumbered.
enum class PredictorId : std::uint8_t {
  None = 0,
  Decay = 1,        ///< rows that weight decay alone has moved: round(parent * factor)
  LowRank = 2,      ///< round(parent + A * B) with integer factors; may have decayed rows, too
  WideLowRank = 3,  ///< the same with factors of 32 bits and sums in 64; no decayed rows
  Moment = 4,   ///< the second moment after an optimizer's step (core/codec/predict/adam_replay.h)
  Weights = 5,  ///< the weights after it
  RowMoment = 6,   ///< the second moment after several steps, by what each row says of them
  RowWeights = 7,  ///< the weights after them
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

/// Rows that weight decay alone has moved.
struct DecayedRows {
  std::vector<float> factors;         ///< decay factors by palette index - 1
  std::vector<std::uint8_t> palette;  ///< per row: 0 for none; empty: no decay
};

/// Low rank beside decayed rows, which have no part in it.
struct LowRankRows {
  LowRankFactors factors;
  DecayedRows decay = {};
};

/// The second moment after an optimizer's step: from the one before it, then the first moments
/// before and after it.
struct ReplayedMoment {
  AdamStep step;
};

/// The weights after an optimizer's step: from those before it, then the first and the second
/// moment after it, then the first moment before it where the step asks for that. There is no
/// second moment with momentum alone.
struct ReplayedWeights {
  AdamStep step;
};

/// The same after several steps. Rows with a factor had a gradient in one of them alone, and the
/// factor is what its square adds to the second moment.
struct ReplayedRowMoment {
  AdamStep step;
  DecayedRows shares;
};

/// The same by rates of each row, from four sources.
struct ReplayedRowWeights {
  AdamStep step;
  DecayedRows shares;
  std::vector<float> rates;         ///< of the first moment after the steps, one a row
  std::vector<float> earlierRates;  ///< of that before them
};

/// Least columns of a part that each row of says something: its lists take no more than its words.
inline constexpr std::uint64_t kLeastColumnsOfRows = 4;

/// Most sources that a predictor takes beside the parent.
inline constexpr std::size_t kMostFurther = 3;

/// The words of further sources (EncodeInput) from some word on.
template <typename Word>
using FurtherWords = std::span<const Word* const>;

/// A prediction of a part from its sources: the same bits on every machine.
struct Predictor {
  std::variant<std::monostate, DecayedRows, LowRankRows, WideFactors, ReplayedMoment,
               ReplayedWeights, ReplayedRowMoment, ReplayedRowWeights>
      form;

  bool isNone() const noexcept { return id() == PredictorId::None; }
  PredictorId id() const noexcept;
  /// How many sources it takes.
  std::size_t sourceCount() const noexcept;
  /// Whether each row is predicted in its own way.
  bool knowsRows() const noexcept {
    return !isNone() && id() != PredictorId::Moment && id() != PredictorId::Weights;
  }
  /// The step that it replays; null where it replays none.
  const AdamStep* step() const noexcept;
  /// Whether it tells second moments; else weights, or words of any kind.
  bool tellsMoments() const noexcept {
    return id() == PredictorId::Moment || id() == PredictorId::RowMoment;
  }
  /// Bytes that its lists take.
  std::size_t listBytes() const noexcept;

  /// out = the prediction of `count` words of one row from `firstColumn` on, or of any words in a
  /// row unless it knowsRows(). `further` holds as many of each further source. `out` may be
  /// `parent`.
  template <typename Word>
  void predict(kernels::FloatKind kind, std::uint64_t row, std::uint64_t firstColumn,
               std::span<const Word> parent, FurtherWords<Word> further, Word* out) const;
};

/// Finds rows of which `words` is `parent` times a common factor, up to drift.
template <typename Word>
Predictor findDecay(const PartShape& shape, kernels::FloatKind kind, std::span<const Word> parent,
                    std::span<const Word> words);

/// A prediction by factors; none where their rank is 0.
Predictor predictorOf(LowRankFactors factors);
Predictor predictorOf(WideFactors factors);

/// docs/FORMAT.md, "Predictors".
void writePredictor(ByteWriter& out, const Predictor& predictor);
/// Nothing if the bytes are damaged.
std::optional<Predictor> readPredictor(ByteReader& in, PredictorId id, const PartShape& shape);

}  // namespace strata
