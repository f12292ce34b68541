#include "core/codec/lossy/patterns_codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/codec/device/device_form.h"
#include "core/codec/entropy/block_index.h"
#include "core/codec/lossy/coarse_factors.h"
#include "core/codec/lossy/lossy_words.h"
#include "core/codec/lossy/quantizing_steps.h"
#include "core/codec/lossy/reconstruction.h"
#include "kernels/part_words.h"

namespace strata {
namespace {

constexpr unsigned kBlockLog2 = 20;
constexpr std::size_t kBlockWords = std::size_t{1} << kBlockLog2;
constexpr unsigned kMostBasesLog2 = 12;
/// Words decoded at a time; a multiple of 64.
constexpr std::size_t kPieceWords = 4096;

constexpr unsigned kHasFactors = 1;
constexpr unsigned kHasPatterns = 2;

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

  Result<void> decodeBlock(std::uint64_t index, const BlockSources& sources,
                           std::span<std::byte> out) const override {
    BitReader bits(index_.block(index));
    const unsigned numberBits = restorer_.header().patterns.bits();
    const BlockChecksum checksum = restorer_.restore(index * index_.blockWords(), sources.parent,
                                                     out, [&] { return bits.bits(numberBits); });
    if (bits.failed() || !bits.endedClean()) return damaged("size of a block");
    return index_.check(index, checksum);
  }

  const BlockIndex* deviceBlocks() const noexcept override { return &index_; }

  kernels::DevicePart deviceForm(DeviceInput& input) const override {
    const Header& header = restorer_.header();
    kernels::DevicePart part =
        deviceFormOf(restorer_.shape(), kernels::DeviceCoding::Patterns, hasParent_);
    describeFactors(header.factors, input, part);
    part.patterns.length = header.patterns.length;
    part.patterns.basesLog2 = header.patterns.basesLog2;
    part.patterns.amplitude = header.patterns.amplitude;
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
float amplitudeOf(std::span<const PatternMatch> matches, double weight, double energy,
                  double gain) {
  double sum = 0;
  for (const PatternMatch& match : matches) sum += match.peak;
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
                               std::span<const PatternMatch> matches, std::vector<double> sums) {
  std::uint64_t signs[kLongestPattern / 64];
  const std::size_t words = shape.wordCount();
  std::size_t at = 0;
  for (const PatternMatch& match : matches) {
    const std::size_t n =
        std::min<std::size_t>({set.length, words - at, kBlockWords - at % kBlockWords});
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

Result<LossyPart> encodePatterns(const EncodeInput& input, const LossySettings& settings,
                                 DeviceQuantizer* device) {
  STRATA_TRY(checkSettings(settings));
  const PartShape& shape = input.shape;
  LentBuffer<float> buffer;
  STRATA_TRY(const std::span<float> rest, differencesOf(input, *buffer));
  PatternSet set{settings.patternLength, settings.patternBasesLog2, 0};
  CoarseFactors factors = takeCoarseFactors(shape, rest, settings);
  std::vector<PatternMatch> matches;
  if (set.length != 0) {
    std::vector<double> wanted;
    if (settings.keepsRowSums) wanted = rowSums(shape, rest);
    const WeightedSums sums = weigh(shape, settings.weights, rest);
    matches = bestPatterns(set, rest, kBlockWords, device);
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
  for (std::size_t at = 0; at < rest.size(); at += kBlockWords) {
    const std::size_t n = std::min(kBlockWords, rest.size() - at);
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
