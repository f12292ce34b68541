#include "core/codec/published/bounded_quantizer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/codec/published/dct.h"

namespace strata {
namespace {

/// Numbers beyond this are not tried: the word is stored as it is.
constexpr double kMostNumber = 1 << 30;

void quantize(std::span<const float> values, double perUnit, std::int32_t* out) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double units = double{values[i]} * perUnit;
    const double rounded = units + std::copysign(0.5, units);
    out[i] = std::abs(rounded) < kMostNumber ? static_cast<std::int32_t>(rounded) : 0;
  }
}

void quantizeCoefficients(std::span<const float> values, float scale, std::int32_t* out) {
  const double perUnit = 1 / (double{scale} * (1 << kDctShift));
  for (std::size_t at = 0; at < values.size(); at += kDctWords) {
    const std::size_t n = std::min<std::size_t>(kDctWords, values.size() - at);
    float coefficients[kDctWords];
    if (n == kDctWords) {
      forwardDct(values.data() + at, coefficients);
    } else {
      std::copy_n(values.data() + at, n, coefficients);
    }
    quantize({coefficients, n}, perUnit, out + at);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += static_cast<std::uint64_t>(std::abs(out[at + i]));
    if (sum > kMostDctSum) std::fill_n(out + at, n, 0);
  }
}

}  // namespace

void BoundedQuantizer::quantizeChunk(const BoundedScheme& scheme, std::size_t first,
                                     BoundedChunk& chunk, std::span<std::byte> restored) const {
  const std::size_t n = restored.size() / wordBytes();
  const auto differences = differences_.subspan(first, n);
  const bool isUniform = scheme.method == BoundedMethod::Uniform;
  if (isUniform) {
    quantize(differences, 1 / double{scheme.scale}, chunk.numbers);
  } else {
    quantizeCoefficients(differences, scheme.scale, chunk.numbers);
  }
  std::int32_t sums[kLossyChunkWords];
  scheme.sums({chunk.numbers, n}, sums);
  const auto parent = input_.parent.subspan(first * wordBytes(), restored.size());
  addToParent(values_.kind, parent, {sums, n}, scheme.scale, restored);
  chunk.exact.clear();
  float found[kLossyChunkWords];
  widenWords(values_.kind, restored, found);
  for (std::size_t i = 0; i < n; ++i) {
    if (holds(found[i], first + i)) continue;
    const auto word = restored.subspan(i * wordBytes(), wordBytes());
    if (isUniform) {
      if (moveNumber(scheme, first + i, chunk.numbers[i], word)) continue;
      chunk.numbers[i] = 0;
    }
    chunk.exact.push_back(static_cast<std::uint32_t>(i));
    std::memcpy(word.data(), input_.words.data() + (first + i) * wordBytes(), wordBytes());
  }
}

bool BoundedQuantizer::holds(float found, std::size_t at) const noexcept {
  return std::abs(double{found} - double{values_.words.data()[at]}) <= bound_;
}

/// Tries the numbers beside one whose word broke the bound by rounding.
bool BoundedQuantizer::moveNumber(const BoundedScheme& scheme, std::size_t at, std::int32_t& number,
                                  std::span<std::byte> out) const {
  const auto parent = input_.parent.subspan(at * wordBytes(), wordBytes());
  for (const std::int32_t other : {number - 1, number + 1}) {
    addToParent(values_.kind, parent, std::span(&other, 1), scheme.scale, out);
    float found = 0;
    widenWords(values_.kind, out, &found);
    if (!holds(found, at)) continue;
    number = other;
    return true;
  }
  return false;
}

}  // namespace strata
