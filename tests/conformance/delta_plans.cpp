#include "tests/conformance/delta_plans.h"

#include <cmath>
#include <random>

namespace strata::test {
namespace {

std::vector<float> normals(std::size_t count, unsigned seed, float deviation) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, deviation);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

PartSample sampleOf(ElementType type, std::uint64_t rows, std::uint64_t columns,
                    const std::vector<float>& parent, const std::vector<float>& words) {
  return {{wordFormat(type), rows, columns}, wordsOf(words, type), wordsOf(parent, type)};
}

/// Rounded to the type first: what a training run starts from.
std::vector<float> startingValues(ElementType type, std::size_t count, unsigned seed) {
  return valuesOf(wordsOf(normals(count, seed, 0.05F), type), type);
}

/// The parent's values with a product of low rank added that is summed in `Sum`.
template <typename Sum>
std::vector<float> withProduct(std::vector<float> words, std::uint64_t columns, std::uint32_t rank,
                               float strength) {
  const std::uint64_t rows = words.size() / columns;
  const auto a = normals(rows * rank, 24, 1.0F);
  const auto b = normals(rank * columns, 25, strength / std::sqrt(static_cast<float>(rank)));
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      Sum sum = 0;
      for (std::size_t k = 0; k < rank; ++k) sum += Sum{a[r * rank + k]} * b[k * columns + c];
      words[r * columns + c] = static_cast<float>(words[r * columns + c] + sum);
    }
  }
  return words;
}

}  // namespace

PartSample decayedSample(ElementType type, std::uint64_t rows, std::uint64_t columns) {
  const auto parent = startingValues(type, rows * columns, 21);
  const auto noise = normals(rows * columns, 22, 0.002F);
  auto words = parent;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool isTouched = i / columns % 3 == 0;
    words[i] = isTouched ? words[i] + noise[i] : words[i] * 0.97F;
  }
  return sampleOf(type, rows, columns, parent, words);
}

PartSample lowRankSample(ElementType type, std::uint64_t rows, std::uint64_t columns,
                         std::uint32_t rank, float strength) {
  const auto parent = startingValues(type, rows * columns, 23);
  return sampleOf(type, rows, columns, parent, withProduct<float>(parent, columns, rank, strength));
}

Bytes lowRankWordsUnrounded(ElementType type, std::uint64_t rows, std::uint64_t columns,
                            std::uint32_t rank, float strength) {
  const auto parent = startingValues(type, rows * columns, 23);
  return wordsOf(withProduct<double>(parent, columns, rank, strength), type);
}

PartSample unevenSample(ElementType type, std::uint64_t rows, std::uint64_t columns) {
  const auto parent = startingValues(type, rows * columns, 26);
  const auto noise = normals(rows * columns, 27, 0.02F);
  auto words = parent;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto row = static_cast<int>(i / columns % 7);
    const auto column = static_cast<int>(i % columns % 5);
    if (row != 0) words[i] += std::ldexp(noise[i], -row - 2 * column);
  }
  return sampleOf(type, rows, columns, parent, words);
}

PartSample zeroLowBitsSample(std::uint64_t rows, std::uint64_t columns, unsigned bits) {
  PartSample sample = unevenSample(ElementType::F32, rows, columns);
  for (std::size_t i = 0; i < rows * columns; ++i) {
    const std::uint64_t word = wordAt(sample.words, 4, i);
    setWord(sample.words, 4, i, word >> bits << bits);
  }
  return sample;
}

DeltaFeature encodeFeature(std::string name, PartSample sample, const DeltaEffort& effort,
                           std::optional<CodecId> wish) {
  DeltaFeature feature;
  feature.name = std::move(name);
  feature.sample = std::move(sample);
  feature.plan = planDelta(feature.sample.input(), effort, wish);
  feature.codec = feature.plan.codec;
  feature.payload = encodeDelta(feature.sample.input(), feature.plan, nullptr, 0);
  return feature;
}

std::vector<DeltaFeature> everyDeltaFeature() {
  constexpr auto kInteger = CodecId::Integer;
  std::vector<DeltaFeature> features;
  features.push_back(encodeFeature("rows and columns", unevenSample(ElementType::BF16, 60, 40),
                                   {.searchDecay = false}, kInteger));
  features.push_back(encodeFeature("xor", unevenSample(ElementType::F16, 24, 40),
                                   {.searchDecay = false}, CodecId::Xor));
  features.push_back(
      encodeFeature("decay", decayedSample(ElementType::BF16, 24, 40), {}, kInteger));
  features.push_back(encodeFeature("low rank", lowRankSample(ElementType::BF16, 40, 44, 2, 0.02F),
                                   {.searchAdapters = false, .searchLowRank = true}, kInteger));
  features.push_back(encodeFeature("wide low rank of halves",
                                   lowRankSample(ElementType::F16, 40, 44, 2, 0.02F),
                                   {.searchDecay = true, .searchLowRank = true}, kInteger));
  features.push_back(encodeFeature("wide low rank",
                                   lowRankSample(ElementType::F32, 40, 44, 2, 0.002F),
                                   {.searchDecay = true, .searchLowRank = true}, kInteger));
  features.push_back(encodeFeature("shift", zeroLowBitsSample(12, 40, 13), {}, kInteger));
  DeltaFeature shared = encodeFeature("shared tables", unevenSample(ElementType::F32, 12, 40),
                                      {.searchDecay = false}, kInteger);
  const auto tables = std::make_shared<const TableSet>(buildSharedTableSet(shared.plan.counts));
  shared.shared = {tables, tables};
  shared.payload = encodeDelta(shared.sample.input(), shared.plan, tables.get(), 1);
  features.push_back(std::move(shared));
  return features;
}

}  // namespace strata::test
