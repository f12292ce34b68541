#include "core/archive/write/part_loss.h"

#include <algorithm>
#include <cmath>

#include "core/codec/lossy/lossy_words.h"
#include "core/codec/predict/predictor.h"
#include "core/codec/words/word_buffer.h"

namespace strata {
namespace {

/// Step sizes of a quantizer in the root mean square of weights that have no parent.
constexpr double kStepSizesAlone = 24;

/// The values of words [first, first + out.size()) of a part; zeros where there are none.
void loadValues(const PartShape& shape, std::span<const std::byte> words, std::size_t first,
                std::span<float> out) {
  if (words.empty()) return std::fill(out.begin(), out.end(), 0.0F);
  const std::size_t wordBytes = shape.word.bytes;
  widenWords(*predictableKind(shape.word), words.subspan(first * wordBytes, out.size() * wordBytes),
             out.data());
}

/// Sums of squares of differences, in a fixed order of partial sums.
class SquaredDistance {
 public:
  void add(std::span<const float> a, std::span<const float> b) noexcept {
    const auto square = [&](std::size_t i) {
      const double off = static_cast<double>(a[i]) - b[i];
      return off * off;
    };
    std::size_t i = 0;
    for (; i + kSums <= a.size(); i += kSums) {
      for (std::size_t j = 0; j < kSums; ++j) sums_[j] += square(i + j);
    }
    for (std::size_t j = 0; i + j < a.size(); ++j) sums_[j] += square(i + j);
  }
  double value() const noexcept { return (sums_[0] + sums_[1]) + (sums_[2] + sums_[3]); }

 private:
  static constexpr std::size_t kSums = 4;
  double sums_[kSums] = {};
};

}  // namespace

QuantizationError measureError(const EncodeInput& input, std::span<const std::byte> restored) {
  float words[kLossyChunkWords];
  float parent[kLossyChunkWords];
  float given[kLossyChunkWords];
  SquaredDistance error;
  SquaredDistance change;
  const auto count = static_cast<std::size_t>(input.shape.wordCount());
  for (std::size_t at = 0; at < count; at += kLossyChunkWords) {
    const std::size_t n = std::min(kLossyChunkWords, count - at);
    loadValues(input.shape, input.words, at, {words, n});
    loadValues(input.shape, input.parent, at, {parent, n});
    loadValues(input.shape, restored, at, {given, n});
    error.add({given, n}, {words, n});
    change.add({words, n}, {parent, n});
  }
  return {.errorSquares = error.value(), .changeSquares = change.value()};
}

LossyChoice choiceAlone(const EncodeInput& input) {
  double squares = 0;
  for (const float x : valuesOf(input.shape, input.words)) squares += static_cast<double>(x) * x;
  const double rms = std::sqrt(squares / static_cast<double>(input.shape.wordCount()));
  return {CodecId::Levels,
          {.step = std::max(rms, 1e-30) / kStepSizesAlone, .deadZone = 0.5, .gain = 0}};
}

std::vector<float> gradientsOf(const TensorGradients& gradients, const PartPlan& part,
                               std::uint64_t columns) {
  if (gradients.words.empty()) return {};
  const PartShape shape{gradients.word, part.layout.rowCount, part.layout.columnCount};
  WordBuffer<std::byte> buffer;
  std::vector<float> values =
      valuesOf(shape, rowsOf(gradients.words, part.layout, gradients.word.bytes, columns, buffer));
  for (float& value : values) value = gradients.areSquares ? std::sqrt(value) : std::fabs(value);
  return values;
}

ErrorWeights weightsOf(const ErrorWeights& weights, const PartLayout& part) {
  if (weights.empty()) return {};
  return {weights.rows.subspan(part.firstRow, part.rowCount),
          weights.columns.subspan(part.firstColumn, part.columnCount)};
}

}  // namespace strata
