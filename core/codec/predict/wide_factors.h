#pragma once

#include <optional>
#include <span>

#include "core/codec/predict/predictor.h"

namespace strata {

/// out[c] = round(parent[c] + 2^scaleLog2 * sum over k of rows[row][k] * columns[k][c]).
///
/// The sum is of integers, so its order does not matter; readWideFactors and WideFit keep it below
/// 2^62. It is rounded to f64, added in f64 and then rounded to f32 and to the element type. Words
/// that are no finite numbers stay as they are. `out` may be `parent`.
template <typename Word>
void addWideFactors(const WideFactors& factors, kernels::FloatKind kind, std::uint64_t row,
                    std::uint64_t firstColumn, std::span<const Word> parent, Word* out);

/// Factors of the difference of two matrices that is of low rank but for rounding: what merging
/// an adapter leaves. Every word tells its part of the product up to half its own last place, so
/// small words tell most; they are weighted accordingly (weighted least squares, rows and columns
/// in turn, from a truncated SVD).
class WideFit {
 public:
  /// Both hold shape.wordCount() values, which are of shape.word's precision, and are borrowed.
  WideFit(const PartShape& shape, std::span<const float> parent, std::span<const float> words);

  /// A glance at a small sample, a tenth of a millisecond: whether the difference seems to be of a
  /// rank up to 16.
  static bool mayPay(const PartShape& shape, std::span<const float> parent,
                     std::span<const float> words);

  /// 0 where the difference is not of low rank up to rounding, or some words are no numbers.
  std::uint32_t rank() const noexcept { return rank_; }

  /// Factors whose rounding moves a prediction by about `error` last places of a middling word.
  /// Rank 0 where their numbers would be too large. Only if rank() is not 0.
  WideFactors quantized(double error) const;

 private:
  /// Fits the factors of all rows to those of the columns, or the reverse.
  void fitRows();
  void fitColumns();

  PartShape shape_;
  std::span<const float> parent_;
  std::span<const float> words_;
  std::uint32_t rank_ = 0;
  double change_ = 0;            ///< root mean square of the differences
  double lastPlace_ = 0;         ///< of the middling word
  std::vector<double> rows_;     ///< rank numbers per row
  std::vector<double> columns_;  ///< rank numbers per column
};

void writeWideFactors(ByteWriter& out, const WideFactors& factors);
/// Nothing if the bytes are damaged, the rank is above the shape's or the sums could pass 2^62.
std::optional<WideFactors> readWideFactors(ByteReader& in, const PartShape& shape);

}  // namespace strata
