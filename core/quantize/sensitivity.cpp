#include "core/quantize/sensitivity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "core/codec/lossy/lossy_codec.h"
#include "core/codec/lossy/lossy_words.h"
#include "core/codec/predict/predictor.h"
#include "core/parallel.h"

namespace strata {
namespace {

constexpr double kPower = -0.25;
constexpr double kMostFactor = 4;
/// Of weights: the power of a mean squared gradient, and how many words with the tensor's own mean
/// each row and column is taken to have besides its own.
constexpr double kWeightPower = 0.5;
constexpr double kPriorWords = 16;
constexpr double kMostWeight = 16;
/// The same of the mean squares of the parent's words.
constexpr double kNormWeightPower = 0.5;
constexpr double kNormStepPower = -0.25;

struct Moments {
  double sum = 0;
  double squares = 0;
  double count = 0;
  bool hasNegative = false;
};

Moments momentsOf(const ModelDescription& gradients, const TensorInfo& tensor) {
  constexpr std::size_t kPiece = 4096;
  const WordFormat word = wordFormat(tensor.type);
  const kernels::FloatKind kind = *predictableKind(word);
  const auto bytes = bytesOf(gradients, tensor);
  float values[kPiece];
  Moments moments;
  for (std::size_t at = 0; at < bytes.size(); at += kPiece * word.bytes) {
    const std::size_t n = std::min(kPiece, (bytes.size() - at) / word.bytes);
    widenWords(kind, bytes.subspan(at, n * word.bytes), values);
    for (std::size_t i = 0; i < n; ++i) {
      if (!std::isfinite(values[i])) continue;
      moments.sum += values[i];
      moments.squares += static_cast<double>(values[i]) * values[i];
      moments.count += 1;
      moments.hasNegative = moments.hasNegative || values[i] < 0;
    }
  }
  return moments;
}

Result<void> checkAlike(const TensorInfo& tensor, const TensorInfo& gradient) {
  if (!isQuantizable(wordFormat(gradient.type))) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("gradients of {} are {}, expected f32, f16 or bf16", tensor.name,
                            name(gradient.type)));
  }
  if (tensor.shape == gradient.shape) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("gradients of {} have shape {}, expected {}", tensor.name,
                          fmt::join(gradient.shape, "x"), fmt::join(tensor.shape, "x")));
}

/// Means of positive numbers by row and column of a matrix.
struct Means {
  explicit Means(const WordMatrix& matrix)
      : columnCount(matrix.columns), rows(matrix.rows), columns(matrix.columns) {}

  /// Adds `values` of the words from `first` on.
  void add(std::uint64_t first, std::span<const float> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i])) continue;
      rows[(first + i) / columnCount] += values[i];
      columns[(first + i) % columnCount] += values[i];
    }
  }

  std::uint64_t columnCount;
  std::vector<double> rows;     ///< sums
  std::vector<double> columns;  ///< sums
};

/// (mean of each / mean of all)^power from sums of `count` numbers each, 1 in the mean.
std::vector<float> weightsOf(std::span<const double> sums, double count, double power) {
  double total = 0;
  for (const double sum : sums) total += sum;
  const double mean = total / (count * static_cast<double>(sums.size()));
  if (!(mean > 0)) return {};
  std::vector<float> weights;
  double all = 0;
  for (const double sum : sums) {
    const double own = (sum + kPriorWords * mean) / (count + kPriorWords);
    weights.push_back(
        static_cast<float>(std::clamp(std::pow(own / mean, power), 1 / kMostWeight, kMostWeight)));
    all += weights.back();
  }
  for (float& weight : weights)
    weight *= static_cast<float>(static_cast<double>(sums.size()) / all);
  return weights;
}

void setWeights(const Means& means, double power, TensorSensitivity& tensor) {
  tensor.rows = weightsOf(means.rows, static_cast<double>(means.columns.size()), power);
  tensor.columns = weightsOf(means.columns, static_cast<double>(means.rows.size()), power);
  if (tensor.rows.empty() || tensor.columns.empty()) tensor.rows = tensor.columns = {};
}

WordMatrix matrixOf(const TensorInfo& tensor) {
  return wordMatrix(tensor.type, tensor.shape, tensor.byteCount);
}

/// Weights from squared gradients.
void weigh(const TensorInfo& tensor, TensorSensitivity& out) {
  constexpr std::size_t kPiece = 4096;
  const TensorGradients& given = out.gradients;
  const kernels::FloatKind kind = *predictableKind(given.word);
  Means means(matrixOf(tensor));
  float values[kPiece];
  const std::size_t words = given.words.size() / given.word.bytes;
  for (std::size_t at = 0; at < words; at += kPiece) {
    const std::size_t n = std::min(kPiece, words - at);
    widenWords(kind, given.words.subspan(at * given.word.bytes, n * given.word.bytes), values);
    if (!given.areSquares) {
      for (std::size_t i = 0; i < n; ++i) values[i] *= values[i];
    }
    means.add(at, std::span(values).first(n));
  }
  setWeights(means, kWeightPower, out);
}

/// Step factors from means of squares: (mean / geometric mean of all)^power.
void setStepFactors(std::span<const Moments> moments, std::span<const double> means, double power,
                    std::vector<TensorSensitivity>& out) {
  double logs = 0;
  double known = 0;
  for (std::size_t t = 0; t < means.size(); ++t) {
    if (means[t] <= 0) continue;
    logs += moments[t].count * std::log(means[t]);
    known += moments[t].count;
  }
  for (std::size_t t = 0; t < means.size(); ++t) {
    if (means[t] <= 0) continue;
    const double factor = std::exp(power * (std::log(means[t]) - logs / known));
    out[t].stepFactor = std::clamp(factor, 1 / kMostFactor, kMostFactor);
  }
}

}  // namespace

Result<std::vector<TensorSensitivity>> sensitivityOfGradients(const ModelDescription& model,
                                                              const ModelDescription& gradients) {
  std::map<std::string_view, const TensorInfo*> byName;
  for (const TensorInfo& tensor : gradients.tensors) byName.emplace(tensor.name, &tensor);
  std::vector<Moments> moments(model.tensors.size());
  std::vector<TensorSensitivity> sensitivities(model.tensors.size());
  bool areSquares = true;
  bool anyFound = false;
  for (std::size_t t = 0; t < moments.size(); ++t) {
    const auto found = byName.find(model.tensors[t].name);
    if (found == byName.end()) continue;
    const TensorInfo& given = *found->second;
    STRATA_TRY(checkAlike(model.tensors[t], given));
    moments[t] = momentsOf(gradients, given);
    sensitivities[t].gradients = {wordFormat(given.type), bytesOf(gradients, given)};
    areSquares = areSquares && !moments[t].hasNegative;
    anyFound = true;
  }
  if (!anyFound) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("none of {} gradient tensors has the name of a tensor of the model",
                            gradients.tensors.size()));
  }
  std::vector<double> means;
  for (const Moments& m : moments) {
    means.push_back(m.count == 0 ? 0 : (areSquares ? m.sum : m.squares) / m.count);
  }
  setStepFactors(moments, means, kPower, sensitivities);
  STRATA_TRY(parallelFor(sensitivities.size(), [&](std::size_t t) -> Result<void> {
    if (sensitivities[t].gradients.words.empty()) return {};
    sensitivities[t].gradients.areSquares = areSquares;
    weigh(model.tensors[t], sensitivities[t]);
    return {};
  }));
  return sensitivities;
}

Result<std::vector<TensorSensitivity>> sensitivityOfNorms(const ModelDescription& model,
                                                          const ModelPlan& plan,
                                                          const PartEncoder& encoder) {
  std::vector<TensorSensitivity> sensitivities(model.tensors.size());
  std::vector<Moments> moments(model.tensors.size());
  std::map<std::uint32_t, Means> means;
  for (const PartPlan& part : plan.parts) {
    const TensorInfo& tensor = model.tensors[part.tensor];
    if (!part.view || part.view->own || !isQuantizable(wordFormat(tensor.type))) continue;
    if (part.layout.columnCount != matrixOf(tensor).columns) continue;
    STRATA_TRY(PartEncoder::Sides sides, encoder.sides(part, {}));
    std::vector<float>& values = sides.parent;
    for (float& value : values) {
      value *= value;
      if (!std::isfinite(value)) value = 0;  // of a mask; no weight
      moments[part.tensor].sum += value;
    }
    moments[part.tensor].count += static_cast<double>(values.size());
    Means& own = means.try_emplace(part.tensor, matrixOf(tensor)).first->second;
    own.add(part.layout.firstRow * part.layout.columnCount, values);
  }
  std::vector<double> squares;
  for (const Moments& m : moments) squares.push_back(m.count == 0 ? 0 : m.sum / m.count);
  setStepFactors(moments, squares, kNormStepPower, sensitivities);
  for (const auto& [tensor, own] : means) {
    setWeights(own, kNormWeightPower, sensitivities[tensor]);
  }
  return sensitivities;
}

}  // namespace strata
