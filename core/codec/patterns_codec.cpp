#include "core/codec/patterns_codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "core/codec/block_index.h"
#include "core/codec/coarse_factors.h"
#include "core/codec/device_form.h"
#include "core/codec/lossy_words.h"
#include "core/codec/reconstruction.h"
#include "kernels/part_words.h"

namespace strata {
namespace {

constexpr unsigned kBlockLog2 = 20;
constexpr unsigned kMostBasesLog2 = 12;
/// Words decoded at a time; a multiple of 64.
constexpr std::size_t kPieceWords = 4096;

constexpr unsigned kHasFactors = 1;
constexpr unsigned kHasPatterns = 2;

/// Bit b is the parity of b & low, for b and low below 64: the short Walsh functions.
constexpr auto walshWords() {
  std::array<std::uint64_t, 64> words{};
  for (unsigned low = 0; low < 64; ++low) {
    for (unsigned b = 0; b < 64; ++b) {
      words[low] |= static_cast<std::uint64_t>(std::popcount(low & b) & 1) << b;
    }
  }
  return words;
}
constexpr auto kWalshWords = walshWords();

/// How runs of words are cut into patterns and what their numbers mean.
struct PatternSet {
  unsigned length = 0;
  unsigned basesLog2 = 0;
  float amplitude = 0;

  unsigned lengthLog2() const noexcept { return static_cast<unsigned>(std::bit_width(length - 1)); }
  unsigned bits() const noexcept { return 1 + lengthLog2() + basesLog2; }
  std::uint64_t patternsIn(std::uint64_t words) const noexcept {
    return (words + length - 1) / length;
  }

  /// The signs of pattern `number` as bits; `signs` holds length / 64 words, rounded up.
  void signs(std::uint32_t number, std::uint64_t* signs) const noexcept {
    const std::uint32_t function = number & ((1U << lengthLog2()) - 1);
    const std::uint32_t basis = number >> lengthLog2() & ((1U << basesLog2) - 1);
    const bool negative = (number >> (bits() - 1) & 1) != 0;
    for (std::uint32_t w = 0; w * 64 < length; ++w) {
      const bool odd = (std::popcount(function >> 6 & w) & 1) != 0;
      signs[w] = kWalshWords[function & 63] ^ kernels::flipWord(basis, w) ^
                 (odd != negative ? ~std::uint64_t{0} : 0);
    }
  }
};

/// The flips of all bases as factors, for walshPeaks.
std::vector<float> flipFactors(const PatternSet& set) {
  const std::size_t n = std::size_t{1} << set.lengthLog2();
  std::vector<float> flips(n << set.basesLog2);
  for (std::size_t i = 0; i < flips.size(); ++i) {
    const std::size_t j = i % n;
    flips[i] = (kernels::flipWord(i / n, j / 64) >> j % 64 & 1) != 0 ? -1.0F : 1.0F;
  }
  return flips;
}

struct Match {
  float peak = 0;  ///< scalar product of the run with the signs
  std::uint32_t number = 0;
};

/// The best pattern of each run of `values`, block by block.
class PatternSearch {
 public:
  explicit PatternSearch(const PatternSet& set)
      : set_(set),
        flips_(flipFactors(set)),
        x_((std::size_t{1} << set.lengthLog2()) * kernels::kPatternBatch),
        scratch_(x_.size()) {}

  void append(std::span<const float> block, std::vector<Match>& out) {
    const std::uint64_t count = set_.patternsIn(block.size());
    for (std::uint64_t first = 0; first < count; first += kernels::kPatternBatch) {
      const std::size_t n = std::min<std::size_t>(kernels::kPatternBatch, count - first);
      load(block, first, n);
      float peaks[kernels::kPatternBatch];
      std::uint32_t indices[kernels::kPatternBatch];
      kernels::bestKernels().walshPeaks(x_.data(), set_.lengthLog2(), flips_.data(),
                                        1U << set_.basesLog2, scratch_.data(), peaks, indices);
      for (std::size_t p = 0; p < n; ++p) {
        const std::uint32_t negative = peaks[p] < 0 ? 1U << (set_.bits() - 1) : 0;
        out.push_back({std::fabs(peaks[p]), indices[p] | negative});
      }
    }
  }

 private:
  void load(std::span<const float> block, std::uint64_t first, std::size_t count) {
    std::fill(x_.begin(), x_.end(), 0.0F);
    for (std::size_t p = 0; p < count; ++p) {
      const std::uint64_t start = (first + p) * set_.length;
      const std::size_t n = std::min<std::uint64_t>(set_.length, block.size() - start);
      for (std::size_t j = 0; j < n; ++j) {
        x_[j * kernels::kPatternBatch + p] = block[start + j];
      }
    }
  }

  PatternSet set_;
  std::vector<float> flips_;
  std::vector<float> x_;
  std::vector<float> scratch_;
};

tl::unexpected<Error> damaged(std::string_view what) {
  return fail(ErrorCode::CorruptData, fmt::format("{} of a pattern payload is damaged", what));
}

struct Header {
  LowRankFactors factors;
  PatternSet patterns;  ///< length 0: none
};

class PatternsDecoder final : public PartDecoder {
 public:
  PatternsDecoder(const PartShape& shape, bool hasParent, Header header, BlockIndex index)
      : shape_(shape),
        hasParent_(hasParent),
        kind_(*predictableKind(shape.word)),
        header_(std::move(header)),
        index_(std::move(index)) {}

  std::uint64_t blockWords() const noexcept override { return index_.blockWords(); }

  Result<void> decodeBlock(std::uint64_t index, std::span<const std::byte> parent,
                           std::span<std::byte> out) const override {
    const std::uint64_t count = index_.wordsIn(index);
    const PatternSet& set = header_.patterns;
    BitReader bits(index_.block(index));
    const std::size_t wordBytes = shape_.word.bytes;
    // Whole patterns at a time, so that each is made once.
    const std::size_t step = set.length == 0
                                 ? kPieceWords
                                 : std::max<std::size_t>(1, kPieceWords / set.length) * set.length;
    BlockChecksum checksum;
    std::vector<float> values(std::min<std::uint64_t>(step, count));
    for (std::uint64_t at = 0; at < count; at += step) {
      const std::size_t n = std::min<std::uint64_t>(step, count - at);
      const auto piece = std::span(values).first(n);
      if (parent.empty()) {
        std::fill(piece.begin(), piece.end(), 0.0F);
      } else {
        widenWords(kind_, parent.subspan(at * wordBytes, n * wordBytes), values.data());
      }
      addFactors(header_.factors, shape_, index * index_.blockWords() + at, piece);
      addPatterns(bits, piece);
      const auto words = out.subspan(at * wordBytes, n * wordBytes);
      narrowWords(kind_, piece, words);
      checksum.add(words);
    }
    if (bits.failed() || !bits.endedClean()) return damaged("size of a block");
    return index_.check(index, checksum);
  }

  const BlockIndex* deviceBlocks() const noexcept override { return &index_; }

  kernels::DevicePart deviceForm(DeviceInput& input) const override {
    kernels::DevicePart part = deviceFormOf(shape_, kernels::DeviceCoding::Patterns, hasParent_);
    describeFactors(header_.factors, input, part);
    part.patternLength = header_.patterns.length;
    part.basesLog2 = header_.patterns.basesLog2;
    part.amplitude = header_.patterns.amplitude;
    return part;
  }

 private:
  void addPatterns(BitReader& bits, std::span<float> values) const {
    const PatternSet& set = header_.patterns;
    if (set.length == 0) return;
    std::uint64_t signs[kLongestPattern / 64];
    for (std::size_t at = 0; at < values.size(); at += set.length) {
      set.signs(bits.bits(set.bits()), signs);
      kernels::bestKernels().addSigns(values.data() + at, signs, set.amplitude,
                                      std::min<std::size_t>(set.length, values.size() - at));
    }
  }

  PartShape shape_;
  bool hasParent_;
  kernels::FloatKind kind_;
  Header header_;
  BlockIndex index_;
};

void writeHeader(ByteWriter& out, const CoarseFactors& factors, const PatternSet& set) {
  out.byte(static_cast<std::uint8_t>((factors.rank() != 0 ? kHasFactors : 0) |
                                     (set.length != 0 ? kHasPatterns : 0)));
  if (factors.rank() != 0) writeCoarseFactors(out, factors);
  if (set.length == 0) return;
  out.varint(set.length);
  out.byte(static_cast<std::uint8_t>(set.basesLog2));
  out.fixed(std::bit_cast<std::uint32_t>(set.amplitude));
}

Result<Header> readHeader(ByteReader& in, const PartShape& shape) {
  Header header;
  const std::uint8_t flags = in.byte();
  if (in.failed() || flags > (kHasFactors | kHasPatterns)) return damaged("flag byte");
  if ((flags & kHasFactors) != 0) {
    const auto factors = readCoarseFactors(in, shape);
    if (!factors) return damaged("list of factors");
    header.factors = widened(*factors, shape);
  }
  if ((flags & kHasPatterns) == 0) return header;
  PatternSet& set = header.patterns;
  const std::uint64_t length = in.varint();
  set.basesLog2 = in.byte();
  set.amplitude = std::bit_cast<float>(in.fixed<std::uint32_t>());
  if (in.failed() || length < kShortestPattern || length > kLongestPattern ||
      set.basesLog2 > kMostBasesLog2 || !std::isfinite(set.amplitude) || set.amplitude < 0) {
    return damaged("pattern set");
  }
  set.length = static_cast<unsigned>(length);
  return header;
}

Result<void> checkSettings(const LossySettings& settings) {
  const unsigned length = settings.patternLength;
  if (length != 0 && (length < kShortestPattern || length > kLongestPattern)) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("pattern length is {}, expected 0 or {} to {}", length,
                            kShortestPattern, kLongestPattern));
  }
  if (settings.patternBasesLog2 > kMostBasesLog2) {
    return fail(ErrorCode::InvalidArgument, fmt::format("2^{} pattern bases, expected 2^{} at most",
                                                        settings.patternBasesLog2, kMostBasesLog2));
  }
  return {};
}

struct WeightedSums {
  double weight = 0;
  double energy = 0;
};

/// Multiplies the words by their weights: the pattern of largest scalar product then leaves the
/// least weighted squares.
WeightedSums weigh(const PartShape& shape, const ErrorWeights& weights, std::span<float> rest) {
  WeightedSums sums;
  if (weights.empty()) {
    sums.weight = static_cast<double>(rest.size());
    for (const float x : rest) sums.energy += static_cast<double>(x) * x;
    return sums;
  }
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const float weight = weights.of(i / shape.columns, i % shape.columns);
    sums.weight += weight;
    sums.energy += static_cast<double>(rest[i]) * rest[i] * weight;
    rest[i] *= weight;
  }
  return sums;
}

/// The amplitude of all patterns: least squares, then scaled to be unbiased.
/// `rest` was multiplied by the weights, whose sum is `weight`, and `energy` is its weighted one.
float amplitudeOf(std::span<const Match> matches, double weight, double energy, double gain) {
  double sum = 0;
  for (const Match& match : matches) sum += match.peak;
  const double leastSquares = sum / weight;
  if (leastSquares <= 0) return 0;
  // <r, d> is leastSquares * sum for the reconstruction of least squares.
  return static_cast<float>(leastSquares * unbiasedGain(energy, leastSquares * sum, gain));
}

/// Sums of the words of each row.
std::vector<double> rowSums(const PartShape& shape, std::span<const float> values) {
  std::vector<double> sums(shape.rows);
  for (std::size_t i = 0; i < values.size(); ++i) sums[i / shape.columns] += values[i];
  return sums;
}

/// What words of each row lack in the mean where patterns stand for words of these sums.
std::vector<double> rowOffsets(const PartShape& shape, const PatternSet& set,
                               std::span<const Match> matches, std::vector<double> sums) {
  std::uint64_t signs[kLongestPattern / 64];
  const std::size_t block = std::size_t{1} << kBlockLog2;
  const std::size_t words = shape.wordCount();
  std::size_t at = 0;
  for (const Match& match : matches) {
    const std::size_t n = std::min<std::size_t>({set.length, words - at, block - at % block});
    set.signs(match.number, signs);
    for (std::size_t i = 0; i < n; ++i) {
      const bool isNegative = (signs[i / 64] >> i % 64 & 1) != 0;
      sums[(at + i) / shape.columns] += isNegative ? set.amplitude : -set.amplitude;
    }
    at += n;
  }
  for (double& sum : sums) sum /= static_cast<double>(shape.columns);
  return sums;
}

}  // namespace

Result<LossyPart> encodePatterns(const EncodeInput& input, const LossySettings& settings) {
  STRATA_TRY(checkSettings(settings));
  const PartShape& shape = input.shape;
  STRATA_TRY(std::vector<float> rest, differencesOf(input));
  const kernels::FloatKind kind = *predictableKind(shape.word);
  PatternSet set{settings.patternLength, settings.patternBasesLog2, 0};
  CoarseFactors factors = takeCoarseFactors(shape, rest, settings);
  const std::size_t step = std::size_t{1} << kBlockLog2;
  std::vector<Match> matches;
  if (set.length != 0) {
    std::vector<double> wanted;
    if (settings.keepsRowSums) wanted = rowSums(shape, rest);
    const WeightedSums sums = weigh(shape, settings.weights, rest);
    PatternSearch search(set);
    for (std::size_t at = 0; at < rest.size(); at += step) {
      search.append(std::span(rest).subspan(at, std::min(step, rest.size() - at)), matches);
    }
    set.amplitude = amplitudeOf(matches, sums.weight, sums.energy, settings.gain);
    if (set.amplitude == 0) set = {};
    if (settings.keepsRowSums && set.length != 0) {
      addRowOffsets(shape, rowOffsets(shape, set, matches, std::move(wanted)), factors);
    }
  }
  ByteWriter out;
  writeHeader(out, factors, set);
  LossyPart part;
  part.restored.resize(input.shape.byteCount());
  const LowRankFactors wide = widened(factors, shape);
  BlockIndexWriter index(kBlockLog2);
  auto match = matches.begin();
  for (std::size_t at = 0; at < rest.size(); at += step) {
    const std::size_t n = std::min(step, rest.size() - at);
    const auto words = [&](auto bytes) {
      return bytes.subspan(at * shape.word.bytes, n * shape.word.bytes);
    };
    std::vector<float> values(n, 0.0F);
    if (!input.parent.empty()) widenWords(kind, words(input.parent), values.data());
    addFactors(wide, shape, at, values);
    BitWriter bits;
    std::uint64_t signs[kLongestPattern / 64];
    for (std::size_t start = 0; set.length != 0 && start < n; start += set.length, ++match) {
      bits.bits(match->number, set.bits());
      set.signs(match->number, signs);
      kernels::bestKernels().addSigns(values.data() + start, signs, set.amplitude,
                                      std::min<std::size_t>(set.length, n - start));
    }
    const std::vector<std::byte> packed = bits.take();
    index.blocks().insert(index.blocks().end(), packed.begin(), packed.end());
    const auto restored = words(std::span(part.restored));
    narrowWords(kind, values, restored);
    index.endBlock(restored);
  }
  STRATA_TRY(requireFinite(shape, part.restored));
  index.write(out);
  part.payload = out.take();
  return part;
}

unsigned scaledPatternLength(unsigned length, double factor) noexcept {
  if (length == 0) return 0;
  const double scaled = std::round(length * factor * factor);
  return static_cast<unsigned>(std::clamp<double>(scaled, kShortestPattern, kLongestPattern));
}

Result<std::unique_ptr<PartDecoder>> openPatterns(const PartShape& shape,
                                                  std::span<const std::byte> payload,
                                                  bool hasParent) {
  if (!isQuantizable(shape.word)) return damaged("word type");
  ByteReader in(payload);
  STRATA_TRY(Header header, readHeader(in, shape));
  STRATA_TRY(BlockIndex index, BlockIndex::read(in, shape));
  return std::make_unique<PatternsDecoder>(shape, hasParent, std::move(header), std::move(index));
}

}  // namespace strata
