#include "core/quantize/sensitivity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "core/archive/part_plan.h"
#include "core/codec/lossy_codec.h"
#include "core/codec/lossy_words.h"
#include "core/codec/predictor.h"

namespace strata {
namespace {

constexpr double kPower = -0.25;
constexpr double kMostFactor = 4;

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

}  // namespace

Result<std::vector<double>> stepFactors(const ModelDescription& model,
                                        const ModelDescription& gradients) {
  std::map<std::string_view, const TensorInfo*> byName;
  for (const TensorInfo& tensor : gradients.tensors) byName.emplace(tensor.name, &tensor);
  std::vector<Moments> moments(model.tensors.size());
  bool areSquares = true;
  bool anyFound = false;
  for (std::size_t t = 0; t < moments.size(); ++t) {
    const auto found = byName.find(model.tensors[t].name);
    if (found == byName.end()) continue;
    STRATA_TRY(checkAlike(model.tensors[t], *found->second));
    moments[t] = momentsOf(gradients, *found->second);
    areSquares = areSquares && !moments[t].hasNegative;
    anyFound = true;
  }
  if (!anyFound) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("none of {} gradient tensors has the name of a tensor of the model",
                            gradients.tensors.size()));
  }
  const auto meanSquare = [&](const Moments& m) {
    return m.count == 0 ? 0 : (areSquares ? m.sum : m.squares) / m.count;
  };
  double logs = 0;
  double known = 0;
  for (const Moments& m : moments) {
    if (meanSquare(m) <= 0) continue;
    logs += m.count * std::log(meanSquare(m));
    known += m.count;
  }
  std::vector<double> factors(moments.size(), 1.0);
  for (std::size_t t = 0; t < factors.size(); ++t) {
    const double mean = meanSquare(moments[t]);
    if (mean <= 0) continue;
    const double factor = std::exp(kPower * (std::log(mean) - logs / known));
    factors[t] = std::clamp(factor, 1 / kMostFactor, kMostFactor);
  }
  return factors;
}

}  // namespace strata
