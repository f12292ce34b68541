#include "core/match/detail/cost.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace strata::match {
namespace {

/// Under this many samples an entropy says nothing; usual values stand in for it.
constexpr std::size_t kFewSamples = 16;
constexpr double kUsualExponentBits = 2.5;
constexpr double kUsualClassBits = 2.0;
/// Weights are kept if one in so many words is, and one in so many of each stretch.
constexpr std::uint32_t kLeastKept = 4;
constexpr std::uint32_t kLeastKeptOfStretch = 8;

// Entropy of counted symbols in bits, with Miller's and Madow's correction for few samples.
double entropyOf(std::span<const std::uint32_t> counts) {
  double total = 0;
  double sum = 0;
  double symbols = 0;
  for (const std::uint32_t count : counts) {
    if (count == 0) continue;
    total += count;
    sum += count * std::log2(static_cast<double>(count));
    ++symbols;
  }
  if (total == 0) return 0;
  return std::log2(total) - sum / total + (symbols - 1) / (2 * total * std::log(2.0));
}

double entropyOfField(std::span<const Word> samples, std::uint32_t shift, std::uint32_t bits) {
  std::vector<std::uint32_t> counts(std::size_t{1} << bits);
  for (const Word word : samples) ++counts[word >> shift & (counts.size() - 1)];
  return std::min<double>(entropyOf(counts), bits);
}

std::vector<std::uint32_t> countValues(std::span<const Word> samples) {
  std::vector<Word> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::uint32_t> counts;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i == 0 || sorted[i] != sorted[i - 1]) counts.push_back(0);
    ++counts.back();
  }
  return counts;
}

AloneCost estimateFloats(std::span<const Word> samples, WordFormat format) {
  const std::uint32_t exponentBits = format.bytes * 8 - 1 - format.mantissaBits;
  Word used = Word{1} << format.mantissaBits;
  std::size_t zeros = 0;
  for (const Word word : samples) {
    used |= word;
    if ((word & ((Word{1} << (format.bytes * 8 - 1)) - 1)) == 0) ++zeros;
  }
  const auto zeroLowBits = static_cast<std::uint32_t>(std::countr_zero(used));
  const double nonZero = 1 - static_cast<double>(zeros) / static_cast<double>(samples.size());
  const double exponents = samples.size() < kFewSamples
                               ? kUsualExponentBits
                               : entropyOfField(samples, format.mantissaBits, exponentBits);
  return {nonZero * (1 + format.mantissaBits - zeroLowBits) + exponents, zeroLowBits};
}

double estimateBytes(std::span<const Word> samples, WordFormat format) {
  if (samples.size() < kFewSamples) return 8.0 * format.bytes;
  double bits = 0;
  for (std::uint32_t i = 0; i < format.bytes; ++i) bits += entropyOfField(samples, 8 * i, 8);
  return bits;
}

}  // namespace

AloneCost estimateAlone(std::span<const Word> samples, WordFormat format) {
  if (samples.empty()) return {};
  AloneCost cost = format.isFloat ? estimateFloats(samples, format)
                                  : AloneCost{estimateBytes(samples, format), 0};
  if (samples.size() < kFewSamples) return cost;
  const std::vector<std::uint32_t> counts = countValues(samples);
  if (counts.size() <= samples.size() / 4) {
    cost.bitsPerWord = std::min(cost.bitsPerWord, entropyOf(counts));
  }
  return cost;
}

bool DeltaMeter::hopeless(WordFormat format) const noexcept {
  return format.isFloat && 2 * bits_ > std::uint64_t{count_} * (2 * format.mantissaBits + 5);
}

DeltaCost DeltaMeter::finish(double bitsPerWordAlone) const {
  DeltaCost cost{0, count_, false};
  if (count_ == 0) return cost;
  // A class and its sign, and all bits under the leading one: the length itself, and the class.
  const double classBits = count_ < kFewSamples ? kUsualClassBits : entropyOf(histogram_);
  const bool allEqual = histogram_[0] == count_;
  cost.bitsPerWord =
      allEqual ? 0 : static_cast<double>(bits_) / static_cast<double>(count_) + classBits;
  bool good = false;
  bool bad = false;
  std::uint32_t kept = 0;
  cost.keeps = true;
  for (const Stretch& stretch : stretches_) {
    if (stretch.count < kFewSamples) continue;
    kept += stretch.kept;
    cost.keeps = cost.keeps && stretch.kept * kLeastKeptOfStretch >= stretch.count;
    const double bits =
        static_cast<double>(stretch.bits) / stretch.count + std::min(classBits, kUsualClassBits);
    good = good || bits < 0.9 * bitsPerWordAlone;
    bad = bad || bits > 1.02 * bitsPerWordAlone;
  }
  cost.keeps = cost.keeps && kept * kLeastKept >= count_;
  // Where each stretch keeps words, what differs between stretches is chance.
  cost.mixed = good && bad && !cost.keeps;
  return cost;
}

}  // namespace strata::match
