#include "core/codec/published/rows_codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/codec/entropy/byte_stream.h"
#include "core/codec/entropy/symbol_blocks.h"
#include "core/codec/lossy/lossy_words.h"
#include "core/codec/predict/predictor.h"

namespace strata {
namespace {

constexpr unsigned kLeastBits = 2;
constexpr unsigned kMostBits = 8;
/// Bounds are searched up to so many bits, in steps of this share of the range, down to that one.
constexpr unsigned kSearchedBits = 4;
constexpr int kSearchSteps = 25;
constexpr int kSearchedSteps = 12;

tl::unexpected<Error> damaged(std::string_view what) {
  return fail(ErrorCode::CorruptData, fmt::format("{} of a rows payload is damaged", what));
}

/// The even steps of one row.
struct RowRange {
  float low = 0;
  float step = 0;

  float value(std::uint8_t symbol) const noexcept {
    return low + static_cast<float>(symbol) * step;
  }
};

/// Which rows have words of their own, and their ranges.
class RowRanges {
 public:
  /// `own`: 1 for each row that has.
  RowRanges(std::span<const std::uint8_t> own, std::uint64_t columns) : columns_(columns) {
    ownBefore_.reserve(own.size() + 1);
    ownBefore_.push_back(0);
    for (const std::uint8_t one : own) ownBefore_.push_back(ownBefore_.back() + one);
  }

  std::uint32_t ownCount() const noexcept { return ownBefore_.back(); }

  std::uint64_t ownWords(std::uint64_t first, std::uint64_t count) const noexcept {
    return ownBefore(first + count) - ownBefore(first);
  }

  /// The words from `first` on, of which `out` takes as many as it has room for: the parent's, or
  /// those of the symbols.
  void restore(std::uint64_t first, std::span<const std::uint8_t> symbols, kernels::FloatKind kind,
               std::span<const std::byte> parent, std::span<std::byte> out) const {
    const std::size_t wordBytes = kind == kernels::FloatKind::F32 ? 4 : 2;
    const std::size_t count = out.size() / wordBytes;
    float values[kLossyChunkWords];
    for (std::size_t at = 0; at < count;) {
      const std::uint64_t row = (first + at) / columns_;
      const std::uint64_t left = columns_ - (first + at) % columns_;
      const auto n =
          static_cast<std::size_t>(std::min<std::uint64_t>({left, count - at, kLossyChunkWords}));
      const auto to = out.subspan(at * wordBytes, n * wordBytes);
      if (ownBefore_[row] == ownBefore_[row + 1]) {
        std::memcpy(to.data(), parent.data() + at * wordBytes, to.size());
      } else {
        const RowRange& range = ranges[ownBefore_[row]];
        for (std::size_t i = 0; i < n; ++i) values[i] = range.value(symbols[i]);
        narrowWords(kind, {values, n}, to);
        symbols = symbols.subspan(n);
      }
      at += n;
    }
  }

  std::vector<RowRange> ranges;  ///< of the rows that have words of their own

 private:
  /// Words of such rows before word `word`.
  std::uint64_t ownBefore(std::uint64_t word) const noexcept {
    const std::uint64_t row = word / columns_;
    const std::uint64_t whole = ownBefore_[row] * columns_;
    if (word % columns_ == 0) return whole;
    return whole + (ownBefore_[row + 1] - ownBefore_[row]) * (word % columns_);
  }

  std::uint64_t columns_;
  std::vector<std::uint32_t> ownBefore_;  ///< rows with words of their own before each
};

/// Numbers of 32 bits as four byte streams, from the low bytes on.
void writeFloats(ByteWriter& out, std::span<const RowRange> ranges, float RowRange::*member) {
  std::vector<std::uint8_t> bytes(ranges.size());
  for (unsigned shift = 0; shift < 32; shift += 8) {
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      bytes[i] =
          static_cast<std::uint8_t>(std::bit_cast<std::uint32_t>(ranges[i].*member) >> shift);
    }
    writeByteStream(out, bytes);
  }
}

bool readFloats(ByteReader& in, std::span<RowRange> ranges, float RowRange::*member) {
  std::vector<std::uint32_t> bits(ranges.size());
  for (unsigned shift = 0; shift < 32; shift += 8) {
    const auto bytes = readByteStream(in, ranges.size());
    if (!bytes) return false;
    for (std::size_t i = 0; i < bits.size(); ++i) {
      bits[i] |= std::uint32_t{(*bytes)[i]} << shift;
    }
  }
  for (std::size_t i = 0; i < bits.size(); ++i) {
    ranges[i].*member = std::bit_cast<float>(bits[i]);
    if (!std::isfinite(ranges[i].*member)) return false;
  }
  return true;
}

class RowsDecoder final : public PartDecoder {
 public:
  RowsDecoder(kernels::FloatKind kind, RowRanges rows, SymbolBlocks blocks)
      : kind_(kind), rows_(std::move(rows)), blocks_(std::move(blocks)) {}

  std::uint64_t blockWords() const noexcept override { return blocks_.index().blockWords(); }

  Result<void> decodeBlock(std::uint64_t index, const BlockSources& sources,
                           std::span<std::byte> out) const override {
    const std::uint64_t first = index * blockWords();
    const auto own =
        static_cast<std::size_t>(rows_.ownWords(first, blocks_.index().wordsIn(index)));
    std::vector<std::uint8_t> symbols;
    symbols.reserve(own);
    if (own != 0) {
      STRATA_TRY(blocks_.decode(index, own, [&](std::size_t, std::span<const std::uint8_t> run) {
        symbols.insert(symbols.end(), run.begin(), run.end());
      }));
    } else if (!blocks_.index().block(index).empty()) {
      return damaged("size of a block");
    }
    rows_.restore(first, symbols, kind_, sources.parent, out);
    return blocks_.index().check(index, out);
  }

 private:
  kernels::FloatKind kind_;
  RowRanges rows_;
  SymbolBlocks blocks_;
};

/// Finds the range of a row and its symbols.
class RowQuantizer {
 public:
  RowQuantizer(std::span<const float> row, unsigned bits)
      : row_(row), most_((1U << bits) - 1), isSearched_(bits <= kSearchedBits) {}

  RowRange range() const {
    const auto [least, most] = std::minmax_element(row_.begin(), row_.end());
    double low = *least;
    double high = *most;
    RowRange best = rangeOf(low, high);
    const double move = (high - low) / kSearchSteps;
    if (!isSearched_ || !(move > 0)) return best;
    double leastError = errorOf(best);
    for (int i = 0; i < kSearchedSteps; ++i) {
      const RowRange raised = rangeOf(low + move, high);
      const RowRange lowered = rangeOf(low, high - move);
      const double ofRaised = errorOf(raised);
      const double ofLowered = errorOf(lowered);
      const bool raises = ofRaised < ofLowered;
      (raises ? low : high) += raises ? move : -move;
      if (std::min(ofRaised, ofLowered) >= leastError) continue;
      leastError = std::min(ofRaised, ofLowered);
      best = raises ? raised : lowered;
    }
    return best;
  }

  void quantize(const RowRange& range, std::span<std::uint8_t> symbols) const {
    const double inverse = inverseOf(range);
    for (std::size_t i = 0; i < row_.size(); ++i) {
      symbols[i] = static_cast<std::uint8_t>(levelOf(row_[i], range, inverse));
    }
  }

 private:
  RowRange rangeOf(double low, double high) const {
    return {static_cast<float>(low), static_cast<float>((high - low) / most_)};
  }
  static double inverseOf(const RowRange& range) {
    return range.step > 0 ? 1 / static_cast<double>(range.step) : 0;
  }
  double levelOf(float value, const RowRange& range, double inverse) const {
    const double level = std::floor((static_cast<double>(value) - range.low) * inverse + 0.5);
    return std::clamp<double>(level, 0, most_);
  }
  double errorOf(const RowRange& range) const {
    const double inverse = inverseOf(range);
    double sum = 0;
    for (const float value : row_) {
      const double off = range.low + levelOf(value, range, inverse) * range.step - value;
      sum += off * off;
    }
    return sum;
  }

  std::span<const float> row_;
  unsigned most_;
  bool isSearched_;
};

/// What became of a part's rows.
struct QuantizedRows {
  std::vector<std::uint8_t> own;      ///< of each row: whether it has words of its own
  std::vector<RowRange> ranges;       ///< of those that have
  std::vector<std::uint8_t> symbols;  ///< of their words
};

QuantizedRows quantizeRows(const EncodeInput& input, const PartValues& values, unsigned bits) {
  const std::size_t columns = input.shape.columns;
  const std::size_t rowBytes = columns * input.shape.word.bytes;
  QuantizedRows rows;
  std::vector<std::uint8_t> symbols(columns);
  std::vector<float> restored(columns);
  std::vector<std::byte> words(rowBytes);
  for (std::size_t r = 0; r < input.shape.rows; ++r) {
    const std::byte* const parent = input.parent.data() + r * rowBytes;
    rows.own.push_back(0);
    if (std::memcmp(input.words.data() + r * rowBytes, parent, rowBytes) == 0) continue;
    const RowQuantizer quantizer(std::span<const float>(values.words).subspan(r * columns, columns),
                                 bits);
    const RowRange range = quantizer.range();
    quantizer.quantize(range, symbols);
    for (std::size_t i = 0; i < columns; ++i) restored[i] = range.value(symbols[i]);
    narrowWords(values.kind, restored, words);
    if (std::memcmp(words.data(), parent, rowBytes) == 0) continue;
    rows.own.back() = 1;
    rows.ranges.push_back(range);
    rows.symbols.insert(rows.symbols.end(), symbols.begin(), symbols.end());
  }
  return rows;
}

}  // namespace

Result<LossyPart> encodeRows(const EncodeInput& input, const LossySettings& settings) {
  if (settings.bits < kLeastBits || settings.bits > kMostBits) {
    return fail(ErrorCode::InvalidArgument, fmt::format("bits of rows are {}, expected {} to {}",
                                                        settings.bits, kLeastBits, kMostBits));
  }
  STRATA_TRY(const PartValues values, loadValues(input));
  QuantizedRows found = quantizeRows(input, values, settings.bits);
  RowRanges rows(found.own, input.shape.columns);
  rows.ranges = std::move(found.ranges);
  LossyPart part;
  part.restored.resize(input.words.size());
  rows.restore(0, found.symbols, values.kind, input.parent, part.restored);
  STRATA_TRY(requireFinite(input.shape, part.restored));
  ByteWriter out;
  out.byte(static_cast<std::uint8_t>(settings.bits));
  writeByteStream(out, found.own);
  writeFloats(out, rows.ranges, &RowRange::low);
  writeFloats(out, rows.ranges, &RowRange::step);
  const auto ownWords = [&](std::uint64_t first, std::uint64_t n) {
    return rows.ownWords(first, n);
  };
  writeSymbolBlocks(out, input.shape, std::size_t{1} << settings.bits, found.symbols, part.restored,
                    ownWords);
  part.payload = out.take();
  return part;
}

Result<std::unique_ptr<PartDecoder>> openRows(const PartShape& shape,
                                              std::span<const std::byte> payload) {
  const auto kind = predictableKind(shape.word);
  if (!kind) return damaged("kind of words");
  ByteReader in(payload);
  const unsigned bits = in.byte();
  if (in.failed() || bits < kLeastBits || bits > kMostBits) return damaged("number of bits");
  const auto own = readByteStream(in, shape.rows);
  if (!own || std::ranges::any_of(*own, [](std::uint8_t one) { return one > 1; })) {
    return damaged("list of rows");
  }
  RowRanges rows(*own, shape.columns);
  rows.ranges.resize(rows.ownCount());
  if (!readFloats(in, rows.ranges, &RowRange::low)) return damaged("list of bounds");
  if (!readFloats(in, rows.ranges, &RowRange::step)) return damaged("list of steps");
  STRATA_TRY(SymbolBlocks blocks, SymbolBlocks::read(in, shape, std::size_t{1} << bits));
  return std::make_unique<RowsDecoder>(*kind, std::move(rows), std::move(blocks));
}

}  // namespace strata
