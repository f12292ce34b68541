#include "core/codec/patterns_codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

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

/// The flips of all bases as factors ±1.
std::vector<std::int16_t> flipFactors(const PatternSet& set) {
  const std::size_t n = std::size_t{1} << set.lengthLog2();
  std::vector<std::int16_t> flips(n << set.basesLog2);
  for (std::size_t i = 0; i < flips.size(); ++i) {
    const std::size_t j = i % n;
    flips[i] = (kernels::flipWord(i / n, j / 64) >> j % 64 & 1) != 0 ? -1 : 1;
  }
  return flips;
}

struct Match {
  float peak = 0;  ///< scalar product of the run with the signs
  std::uint32_t number = 0;
};

/// The best pattern of each run of `values`, block by block.
///
/// Transforms of runs rounded to 16 bits tell which bases are near the best one; of these the
/// transforms in f32 decide.
class PatternSearch {
 public:
  explicit PatternSearch(const PatternSet& set)
      : set_(set),
        entries_(std::size_t{1} << set.lengthLog2()),
        flips_(flipFactors(set)),
        runs_(entries_ * kernels::kWalshBatch),
        interleaved_(runs_.size()),
        scratch_(runs_.size()),
        sizes_(kernels::kWalshBatch << set.basesLog2),
        x_(entries_ * kernels::kPatternBatch) {}

  void append(std::span<const float> block, std::vector<Match>& out) {
    const std::uint64_t count = set_.patternsIn(block.size());
    for (std::uint64_t first = 0; first < count; first += kernels::kWalshBatch) {
      const std::size_t n = std::min<std::size_t>(kernels::kWalshBatch, count - first);
      const auto runs = block.subspan(first * set_.length);
      for (std::size_t r = 0; r < n; ++r) round(run(runs, r), r);
      interleave(n);
      kernels::bestKernels().walshSizes(interleaved_.data(), set_.lengthLog2(), flips_.data(),
                                        1U << set_.basesLog2, scratch_.data(), sizes_.data());
      findCandidates(n);
      out.resize(out.size() + n);
      decide(runs, std::span(out).last(n));
    }
  }

 private:
  /// A basis that may have the best pattern of a run.
  struct Candidate {
    std::uint32_t run;
    std::uint32_t basis;
  };

  std::span<const float> run(std::span<const float> runs, std::size_t number) const {
    const std::size_t start = number * set_.length;
    return runs.subspan(start, std::min<std::size_t>(set_.length, runs.size() - start));
  }

  /// Run `r` of the batch in whole numbers, as large as its transform in 16 bits takes.
  void round(std::span<const float> values, std::size_t r) {
    float sums[8] = {};
    for (std::size_t j = 0; j < values.size(); ++j) sums[j % 8] += std::fabs(values[j]);
    const float sum = std::accumulate(sums, sums + 8, 0.0F);
    // Rounding adds half a unit for each entry at most.
    const float most = 32766.0F - static_cast<float>(entries_) / 2;
    const float scale = sum > 0 && std::isfinite(most / sum) ? most / sum : 0;
    std::int16_t* const to = runs_.data() + r * entries_;
    for (std::size_t j = 0; j < values.size(); ++j) {
      const auto rounded =
          static_cast<std::int32_t>(values[j] * scale + std::copysign(0.5F, values[j]));
      to[j] = static_cast<std::int16_t>(rounded);
    }
    std::fill(to + values.size(), to + entries_, std::int16_t{0});
  }

  void interleave(std::size_t runs) {
    for (std::size_t j = 0; j < entries_; ++j) {
      std::int16_t* const to = interleaved_.data() + j * kernels::kWalshBatch;
      for (std::size_t r = 0; r < runs; ++r) to[r] = runs_[r * entries_ + j];
    }
  }

  /// The bases whose sizes are so near the largest that rounding may have decided: the error of a
  /// sum of n rounded numbers has a spread of 0.29 sqrt(n), and seven spreads of the difference
  /// of two are 3 sqrt(n). None for a run of zeros.
  void findCandidates(std::size_t runs) {
    const std::uint32_t bases = 1U << set_.basesLog2;
    const int margin = 3 << (set_.lengthLog2() + 1) / 2;
    std::int16_t largest[kernels::kWalshBatch] = {};
    for (std::uint32_t m = 0; m < bases; ++m) {
      const std::int16_t* sizes = sizes_.data() + m * kernels::kWalshBatch;
      for (std::size_t r = 0; r < kernels::kWalshBatch; ++r) {
        largest[r] = std::max(largest[r], sizes[r]);
      }
    }
    candidates_.clear();
    for (std::uint32_t r = 0; r < runs; ++r) {
      if (largest[r] == 0) continue;
      for (std::uint32_t m = 0; m < bases; ++m) {
        if (sizes_[m * kernels::kWalshBatch + r] + margin >= largest[r]) {
          candidates_.push_back({r, m});
        }
      }
    }
  }

  void decide(std::span<const float> runs, std::span<Match> matches) {
    for (std::size_t at = 0; at < candidates_.size(); at += kernels::kPatternBatch) {
      const auto batch =
          std::span(candidates_)
              .subspan(at, std::min(kernels::kPatternBatch, candidates_.size() - at));
      for (std::size_t c = 0; c < batch.size(); ++c)
        load(run(runs, batch[c].run), batch[c].basis, c);
      float peaks[kernels::kPatternBatch];
      std::uint32_t functions[kernels::kPatternBatch];
      kernels::bestKernels().walshPeaks(x_.data(), set_.lengthLog2(), peaks, functions);
      for (std::size_t c = 0; c < batch.size(); ++c) {
        Match& match = matches[batch[c].run];
        if (std::fabs(peaks[c]) <= match.peak) continue;
        const std::uint32_t negative = peaks[c] < 0 ? 1U << (set_.bits() - 1) : 0;
        match = {std::fabs(peaks[c]),
                 negative | batch[c].basis << set_.lengthLog2() | functions[c]};
      }
    }
  }

  /// The flipped words of a run as vector `c` of x_.
  void load(std::span<const float> values, std::uint32_t basis, std::size_t c) {
    const std::int16_t* flips = flips_.data() + basis * entries_;
    float* const to = x_.data() + c;
    for (std::size_t j = 0; j < values.size(); ++j) {
      to[j * kernels::kPatternBatch] = values[j] * flips[j];
    }
    for (std::size_t j = values.size(); j < entries_; ++j) to[j * kernels::kPatternBatch] = 0;
  }

  PatternSet set_;
  std::size_t entries_;  ///< of a run, filled up to a power of two
  std::vector<std::int16_t> flips_;
  std::vector<std::int16_t> runs_;  ///< rounded, one after the other
  std::vector<std::int16_t> interleaved_;
  std::vector<std::int16_t> scratch_;
  std::vector<std::int16_t> sizes_;
  std::vector<Candidate> candidates_;
  std::vector<float> x_;
};

tl::unexpected<Error> damaged(std::string_view what) {
  return fail(ErrorCode::CorruptData, fmt::format("{} of a pattern payload is damaged", what));
}

struct Header {
  LowRankFactors factors;
  PatternSet patterns;  ///< length 0: none
};

/// What the patterns of a part restore to.
class PatternRestorer {
 public:
  PatternRestorer(const PartShape& shape, Header header)
      : shape_(shape), kind_(*predictableKind(shape.word)), header_(std::move(header)) {}

  const PartShape& shape() const noexcept { return shape_; }
  const Header& header() const noexcept { return header_; }

  /// Writes a block, whose first word is word `first` of the part, and gives its checksum.
  /// `parent` has the same words or none; `next()` gives the numbers of its patterns in order.
  template <typename Next>
  BlockChecksum restore(std::uint64_t first, std::span<const std::byte> parent,
                        std::span<std::byte> out, Next&& next) const {
    const std::size_t count = out.size() / shape_.word.bytes;
    // Whole patterns at a time, so that each is made once.
    const std::size_t length = header_.patterns.length;
    const std::size_t step =
        length == 0 ? kPieceWords : std::max<std::size_t>(1, kPieceWords / length) * length;
    BlockChecksum checksum;
    float values[kPieceWords];
    for (std::size_t at = 0; at < count; at += step) {
      const std::span<float> piece(values, std::min(step, count - at));
      const auto wordsOf = [&](auto bytes) {
        return bytes.subspan(at * shape_.word.bytes, piece.size() * shape_.word.bytes);
      };
      if (parent.empty()) {
        std::fill(piece.begin(), piece.end(), 0.0F);
      } else {
        widenWords(kind_, wordsOf(parent), values);
      }
      addFactors(header_.factors, shape_, first + at, piece);
      if (length != 0) addPatterns(piece, next);
      narrowWords(kind_, piece, wordsOf(out));
      checksum.add(wordsOf(out));
    }
    return checksum;
  }

 private:
  template <typename Next>
  void addPatterns(std::span<float> values, Next&& next) const {
    const PatternSet& set = header_.patterns;
    std::uint64_t signs[kLongestPattern / 64];
    for (std::size_t at = 0; at < values.size(); at += set.length) {
      set.signs(next(), signs);
      kernels::bestKernels().addSigns(values.data() + at, signs, set.amplitude,
                                      std::min<std::size_t>(set.length, values.size() - at));
    }
  }

  PartShape shape_;
  kernels::FloatKind kind_;
  Header header_;
};

class PatternsDecoder final : public PartDecoder {
 public:
  PatternsDecoder(const PartShape& shape, bool hasParent, Header header, BlockIndex index)
      : restorer_(shape, std::move(header)), hasParent_(hasParent), index_(std::move(index)) {}

  std::uint64_t blockWords() const noexcept override { return index_.blockWords(); }

  Result<void> decodeBlock(std::uint64_t index, std::span<const std::byte> parent,
                           std::span<std::byte> out) const override {
    BitReader bits(index_.block(index));
    const unsigned numberBits = restorer_.header().patterns.bits();
    const BlockChecksum checksum = restorer_.restore(index * index_.blockWords(), parent, out,
                                                     [&] { return bits.bits(numberBits); });
    if (bits.failed() || !bits.endedClean()) return damaged("size of a block");
    return index_.check(index, checksum);
  }

  const BlockIndex* deviceBlocks() const noexcept override { return &index_; }

  kernels::DevicePart deviceForm(DeviceInput& input) const override {
    const Header& header = restorer_.header();
    kernels::DevicePart part =
        deviceFormOf(restorer_.shape(), kernels::DeviceCoding::Patterns, hasParent_);
    describeFactors(header.factors, input, part);
    part.patternLength = header.patterns.length;
    part.basesLog2 = header.patterns.basesLog2;
    part.amplitude = header.patterns.amplitude;
    return part;
  }

 private:
  PatternRestorer restorer_;
  bool hasParent_;
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
    sums.energy = energyOf(rest);
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
  LentBuffer<float> buffer;
  STRATA_TRY(const std::span<float> rest, differencesOf(input, *buffer));
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
      search.append(rest.subspan(at, std::min(step, rest.size() - at)), matches);
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
  const PatternRestorer restorer(shape, {widened(factors, shape), set});
  BlockIndexWriter index(kBlockLog2);
  auto match = matches.begin();
  for (std::size_t at = 0; at < rest.size(); at += step) {
    const std::size_t n = std::min(step, rest.size() - at);
    const auto wordsOf = [&](auto bytes) {
      return bytes.empty() ? bytes : bytes.subspan(at * shape.word.bytes, n * shape.word.bytes);
    };
    BitWriter bits;
    const BlockChecksum checksum =
        restorer.restore(at, wordsOf(input.parent), wordsOf(std::span(part.restored)), [&] {
          bits.bits(match->number, set.bits());
          return match++->number;
        });
    const std::vector<std::byte> packed = bits.take();
    index.blocks().insert(index.blocks().end(), packed.begin(), packed.end());
    index.endBlock(checksum.value());
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
