#include "core/codec/lossy/moments_codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/codec/entropy/symbol_blocks.h"
#include "core/codec/lossy/lossy_words.h"
#include "core/codec/lossy/moment_grid.h"
#include "core/codec/predict/predictor.h"

namespace strata {
namespace {

constexpr unsigned kMostBits = 8;
/// The largest level of first moments, in roots of second ones. Fine settings have some more beyond
/// it, each a quarter larger than the one before; otherwise what is beyond shares the largest.
constexpr double kMostRatio = 4;
constexpr int kFurtherLevels = 8;
constexpr double kFurtherFactor = 1.25;
constexpr unsigned kFineBits = 5;
/// A ratio this far from the middle of two levels still goes to the lower one.
constexpr double kRounding = 0.4;
/// Squares whose sums are no floats.
constexpr double kMostSquares = 1e38;
constexpr std::int64_t kOctave = std::int64_t{1} << 23;
constexpr std::int64_t kOneBits = 0x3f800000;
constexpr std::int64_t kLargestBits = 0x7f7fffff;
/// Vectors say nothing by rows and columns, and are few words.
constexpr unsigned kVectorBits = 3;
constexpr std::uint64_t kLeastRows = 16;

tl::unexpected<Error> damaged(std::string_view what) {
  return fail(ErrorCode::CorruptData, fmt::format("{} of a moments payload is damaged", what));
}

/// Symbols of a part's live words, in their order.
using Symbols = std::vector<std::uint8_t>;

std::int16_t toOffset(double bits) noexcept {
  const double units = bits / static_cast<double>(std::int64_t{1} << MomentGrid::kOffsetUnit);
  return static_cast<std::int16_t>(std::lround(std::clamp(units, -32767.0, 32767.0)));
}

std::int64_t roundedQuotient(std::int64_t value, std::int64_t step) noexcept {
  const std::int64_t half = value + step / 2;
  return half >= 0 ? half / step : -((step - 1 - half) / step);
}

/// Levels of second moments: those that occur, from the least on.
class SquareLevels {
 public:
  SquareLevels(MomentGrid& grid, std::span<const float> words, unsigned bits)
      : grid_(grid), words_(words), isFlat_(bits == 0), step_(kOctave << 4 >> bits) {
    while (!fits()) step_ *= 2;
  }

  Symbols quantize() {
    std::vector<double> sums(static_cast<std::size_t>(most_ - least_ + 1));
    std::vector<std::size_t> counts(sums.size());
    Symbols symbols;
    grid_.forEachLive([&](std::size_t i, std::int64_t size) {
      if (words_[i] == 0) return symbols.push_back(0);
      const std::int64_t rest = magnitudeBits(words_[i]) - size;
      const auto level = static_cast<std::size_t>(levelOf(rest) - least_);
      sums[level] += isFlat_ ? 0 : static_cast<double>(rest);
      ++counts[level];
      symbols.push_back(static_cast<std::uint8_t>(1 + level));
    });
    for (std::size_t k = 0; k < sums.size(); ++k) {
      const double mean = counts[k] == 0 ? 0 : sums[k] / static_cast<double>(counts[k]);
      grid_.offsets.push_back(toOffset(mean));
    }
    return symbols;
  }

 private:
  std::int64_t levelOf(std::int64_t rest) const noexcept {
    return isFlat_ ? 0 : roundedQuotient(rest, step_);
  }

  /// Whether there are symbols for all levels at this step; finds the least and the largest.
  bool fits() {
    bool isFirst = true;
    least_ = most_ = 0;
    grid_.forEachLive([&](std::size_t i, std::int64_t size) {
      if (words_[i] == 0) return;
      const std::int64_t level = levelOf(magnitudeBits(words_[i]) - size);
      least_ = isFirst ? level : std::min(least_, level);
      most_ = isFirst ? level : std::max(most_, level);
      isFirst = false;
    });
    return most_ - least_ < static_cast<std::int64_t>(MomentGrid::kMostSymbols);
  }

  MomentGrid& grid_;
  std::span<const float> words_;
  bool isFlat_;  ///< rows and columns say all
  std::int64_t step_;
  std::int64_t least_ = 0;
  std::int64_t most_ = 0;
};

/// Magnitudes of first moments as levels.
class RatioLevels {
 public:
  explicit RatioLevels(unsigned bits)
      : isSign_(bits == 1), most_(bits < 2 ? 1 : (1 << (bits - 1)) - 1) {
    even_ = bits < kFineBits ? most_ : most_ - kFurtherLevels;
    step_ = even_ == 1 ? kMostRatio / 2 : kMostRatio / even_;
  }

  std::size_t most() const noexcept { return static_cast<std::size_t>(most_); }
  std::size_t levelOf(double ratio) const noexcept {
    if (isSign_) return 1;
    const double rounded = std::floor(ratio / step_ + kRounding);
    if (rounded <= even_) return static_cast<std::size_t>(rounded);
    int level = even_;
    for (double bound = kMostRatio; level < most_ && ratio > bound; bound *= kFurtherFactor)
      ++level;
    return static_cast<std::size_t>(level);
  }

 private:
  bool isSign_;
  int most_;
  int even_ = 0;  ///< levels a step apart
  double step_ = 0;
};

/// Levels of first moments: 1, -1, 2, -2 … as symbols 1, 2, 3, 4 …
Symbols quantizeRatios(MomentGrid& grid, std::span<const float> words,
                       std::span<const double> squares, unsigned bits) {
  const RatioLevels levels(bits);
  std::vector<double> sums(2 * levels.most());
  std::vector<std::size_t> counts(sums.size());
  Symbols symbols;
  grid.forEachLive([&](std::size_t i, std::int64_t size) {
    if (words[i] == 0 || squares[i] == 0 || bits == 0) return symbols.push_back(0);
    // As the decoder multiplies: by adding bits.
    const std::int64_t rest = kOneBits + magnitudeBits(words[i]) - size;
    const double ratio = std::bit_cast<float>(
        static_cast<std::uint32_t>(std::clamp<std::int64_t>(rest, 0, kLargestBits)));
    const std::size_t level = levels.levelOf(ratio);
    if (level == 0) return symbols.push_back(0);
    const std::size_t slot = 2 * (level - 1) + (words[i] < 0 ? 1 : 0);
    sums[slot] += ratio;
    ++counts[slot];
    symbols.push_back(static_cast<std::uint8_t>(1 + slot));
  });
  while (!counts.empty() && counts.back() == 0) counts.pop_back();
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const double mean = counts[k] == 0 ? 1 : sums[k] / static_cast<double>(counts[k]);
    grid.offsets.push_back(
        toOffset(static_cast<double>(magnitudeBits(static_cast<float>(mean)) - kOneBits)));
  }
  return symbols;
}

PartShape f32Shape(PartShape shape) {
  shape.word = wordFormat(ElementType::F32);
  return shape;
}

/// What sizes are measured by. Fails with InvalidArgument.
Result<std::vector<double>> squaresOf(const EncodeInput& input, std::span<const float> words,
                                      const LossySettings& settings) {
  std::vector<double> squares(words.size());
  std::vector<float> second;
  const bool isAlone = !settings.areSquares && settings.secondMoments.empty();
  if (!isAlone && !settings.areSquares)
    second = valuesOf(f32Shape(input.shape), settings.secondMoments);
  const std::span<const float> known = settings.areSquares ? words : std::span<const float>(second);
  double all = 0;
  for (std::size_t i = 0; i < squares.size(); ++i) {
    const double square = isAlone ? double{words[i]} * words[i] : double{known[i]};
    if (!(square >= 0 && std::isfinite(square))) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("second moment {} is {}, no number of 0 or more", i, square));
    }
    squares[i] = square;
    all += square;
  }
  if (all < kMostSquares) return squares;
  return fail(ErrorCode::InvalidArgument, "holds values whose squares are beyond f32");
}

std::vector<std::byte> writePayload(const PartShape& shape, const MomentGrid& grid,
                                    std::span<const std::uint8_t> symbols,
                                    std::span<const std::byte> restored) {
  ByteWriter out;
  grid.write(out);
  const auto liveWords = [&](std::uint64_t first, std::uint64_t n) {
    return grid.liveWords(first, n);
  };
  writeSymbolBlocks(out, shape, grid.offsets.size() + 1, symbols, restored, liveWords);
  return out.take();
}

/// Puts the smallest word there is in place of words that values other than 0 were rounded to 0.
void keepSmall(std::span<const float> values, std::span<std::byte> words) {
  constexpr std::uint16_t kSign = 0x8000;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint16_t word = 0;
    std::memcpy(&word, words.data() + i * sizeof word, sizeof word);
    if (values[i] == 0 || (word & ~kSign) != 0) continue;
    word |= 1;
    std::memcpy(words.data() + i * sizeof word, &word, sizeof word);
  }
}

/// Words [first, first + count) of a part, of symbols that are those of its live words.
void restoreWords(const MomentGrid& grid, const PartShape& shape, std::uint64_t first,
                  std::span<const std::uint8_t> symbols, std::span<std::byte> out) {
  float values[kLossyChunkWords];
  const std::size_t wordBytes = shape.word.bytes;
  const std::size_t count = out.size() / wordBytes;
  for (std::size_t at = 0; at < count; at += kLossyChunkWords) {
    const std::size_t n = std::min(kLossyChunkWords, count - at);
    const auto live = static_cast<std::size_t>(grid.liveWords(first + at, n));
    grid.values(first + at, symbols.first(live), {values, n});
    symbols = symbols.subspan(live);
    const auto to = out.subspan(at * wordBytes, n * wordBytes);
    narrowWords(*predictableKind(shape.word), {values, n}, to);
    if (grid.keepsSmall && wordBytes == sizeof(std::uint16_t)) keepSmall({values, n}, to);
  }
}

class MomentsDecoder final : public PartDecoder {
 public:
  MomentsDecoder(const PartShape& shape, MomentGrid grid, SymbolBlocks blocks)
      : shape_(shape), grid_(std::move(grid)), blocks_(std::move(blocks)) {}

  std::uint64_t blockWords() const noexcept override { return blocks_.index().blockWords(); }

  Result<void> decodeBlock(std::uint64_t index, const BlockSources&,
                           std::span<std::byte> out) const override {
    const std::uint64_t first = index * blockWords();
    const auto live =
        static_cast<std::size_t>(grid_.liveWords(first, blocks_.index().wordsIn(index)));
    Symbols symbols;
    symbols.reserve(live);
    if (live != 0) {
      STRATA_TRY(blocks_.decode(index, live, [&](std::size_t, std::span<const std::uint8_t> run) {
        symbols.insert(symbols.end(), run.begin(), run.end());
      }));
    } else if (!blocks_.index().block(index).empty()) {
      return damaged("size of a block");
    }
    restoreWords(grid_, shape_, first, symbols, out);
    return blocks_.index().check(index, out);
  }

 private:
  PartShape shape_;
  MomentGrid grid_;
  SymbolBlocks blocks_;
};

}  // namespace

Result<LossyPart> encodeMoments(const EncodeInput& input, const LossySettings& settings) {
  if (settings.bits > kMostBits) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("bits of moments are {}, expected 0 to {}", settings.bits, kMostBits));
  }
  const EncodeInput alone{input.shape, input.words, {}};
  LentBuffer<float> buffer;
  STRATA_TRY(const std::span<const float> words, differencesOf(alone, *buffer));
  STRATA_TRY(auto squares, squaresOf(input, words, settings));
  // What is dropped needs no sizes.
  const bool isDropped = !settings.areSquares && settings.bits == 0;
  if (isDropped) std::ranges::fill(squares, 0.0);
  MomentGrid grid = MomentGrid::fitted(input.shape, squares, settings.areSquares);
  const bool isVector = input.shape.rows < kLeastRows;
  unsigned bits = settings.bits;
  if (settings.areSquares && isVector) bits = std::max(bits, kVectorBits);
  const Symbols symbols = settings.areSquares ? SquareLevels(grid, words, bits).quantize()
                                              : quantizeRatios(grid, words, squares, bits);
  LossyPart part;
  part.restored.resize(input.shape.byteCount());
  restoreWords(grid, input.shape, 0, symbols, part.restored);
  STRATA_TRY(requireFinite(input.shape, part.restored));
  part.payload = writePayload(input.shape, grid, symbols, part.restored);
  return part;
}

Result<std::unique_ptr<PartDecoder>> openMoments(const PartShape& shape,
                                                 std::span<const std::byte> payload) {
  if (!isQuantizable(shape.word)) return damaged("word type");
  ByteReader in(payload);
  auto grid = MomentGrid::read(in, shape);
  if (!grid) return damaged("list of sizes");
  STRATA_TRY(SymbolBlocks blocks, SymbolBlocks::read(in, shape, grid->offsets.size() + 1));
  return std::make_unique<MomentsDecoder>(shape, *std::move(grid), std::move(blocks));
}

}  // namespace strata
