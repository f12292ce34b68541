#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "core/codec/entropy/block_index.h"
#include "core/codec/entropy/rans_block.h"
#include "core/codec/exact/delta_codec.h"
#include "core/codec/exact/delta_source.h"
#include "core/codec/exact/delta_words.h"
#include "core/codec/exact/sized_codec.h"
#include "core/codec/exact/sized_words.h"
#include "core/codec/words/word_buffer.h"

namespace strata {
namespace {

/// Rows that the sizes of columns are measured on.
constexpr std::uint64_t kSizedColumnRows = 256;
/// Sizes of rows lie within so many half octaves below the largest, those of columns around 0:
/// bytes hold them.
constexpr std::int32_t kRowRange = 250;
constexpr std::int32_t kColumnRange = 120;
/// One in so many pieces is counted for an estimate, of parts that have more.
constexpr std::size_t kEstimatePieces = 16;
/// A row decays where its words are nearer to the decayed ones than so many bits, of all that a
/// word has.
constexpr double kNearShare = 0.6;
/// Words of a row that tell.
constexpr std::size_t kTellingWords = 64;
/// Ranks that are tried, of matrices that are so large.
constexpr std::uint32_t kRanks[] = {1, 2, 4, 8};
constexpr std::uint64_t kLeastSide = 32;

/// A part's words, and its parent's where there is one, as words of the codec.
template <typename Word>
class SizedSource {
 public:
  explicit SizedSource(const EncodeInput& input)
      : shape_(input.shape),
        words_(loaded(input.words, *ownWords_)),
        parent_(loaded(input.parent, *ownParent_)) {}

  const PartShape& shape() const noexcept { return shape_; }
  std::span<const Word> words() const noexcept { return words_; }
  std::span<const Word> parent() const noexcept { return parent_; }
  std::span<const Word> row(std::uint64_t r) const noexcept {
    return words_.subspan(r * shape_.columns, shape_.columns);
  }
  const Word* parentAt(std::uint64_t first) const noexcept {
    return parent_.empty() ? nullptr : parent_.data() + first;
  }

 private:
  std::span<const Word> loaded(std::span<const std::byte> bytes, WordBuffer<Word>& own) const {
    const DeltaWords<Word> plain(shape_, 0, false);
    const std::size_t count = bytes.size() / sizeof(Word);
    if (const Word* words = plain.viewed(bytes)) return {words, count};
    plain.load(bytes, own.first(count).data());
    return own.first(count);
  }

  PartShape shape_;
  LentBuffer<Word> ownWords_;
  LentBuffer<Word> ownParent_;
  std::span<const Word> words_;
  std::span<const Word> parent_;
};

/// A mean of sizes, of words that are not 0.
class MeanSize {
 public:
  void add(std::int64_t size) noexcept {
    sum_ += size;
    ++count_;
  }
  bool isKnown() const noexcept { return count_ != 0; }
  std::int32_t rounded() const noexcept {
    return static_cast<std::int32_t>(
        std::lround(static_cast<double>(sum_) / static_cast<double>(count_)));
  }

 private:
  std::int64_t sum_ = 0;
  std::int64_t count_ = 0;
};

bool isDecayed(const DecayedRows& decay, std::uint64_t row) {
  return !decay.palette.empty() && decay.palette[row] != 0;
}

/// Sizes of all rows that do not decay, dead where all is 0, and of columns beside them. Of `rest`,
/// where that is not the words themselves.
template <typename Word>
ScaleTerms measureSizes(const SizedSource<Word>& source, std::span<const Word> rest,
                        const SizedWords<Word>& plain, const DecayedRows& decay) {
  const PartShape& shape = source.shape();
  const auto rowOf = [&](std::uint64_t r) {
    return rest.subspan(r * shape.columns, shape.columns);
  };
  const auto isZero = [](Word word) { return (word & SizedWords<Word>::kMagnitude) == 0; };
  ScaleTerms terms;
  terms.rows.assign(shape.rows, ScaleTerms::kDeadRow);
  MeanSize all;
  for (std::uint64_t r = 0; r < shape.rows; ++r) {
    if (isDecayed(decay, r) || std::ranges::all_of(source.row(r), isZero)) continue;
    MeanSize mean;
    for (const Word word : rowOf(r)) {
      if (!isZero(word)) mean.add(plain.halfOctaves(word));
    }
    if (!mean.isKnown()) continue;
    terms.rows[r] = mean.rounded();
    all.add(terms.rows[r]);
  }
  terms.all = all.isKnown() ? all.rounded() : 0;
  const std::int32_t highest = *std::ranges::max_element(terms.rows);
  for (std::int32_t& row : terms.rows) {
    if (row != ScaleTerms::kDeadRow) row = std::max(row, highest - kRowRange);
  }
  std::vector<MeanSize> columns(shape.columns);
  const std::uint64_t step = std::max<std::uint64_t>(1, shape.rows / kSizedColumnRows);
  for (std::uint64_t r = 0; r < shape.rows; r += step) {
    if (terms.rows[r] == ScaleTerms::kDeadRow) continue;
    const std::span<const Word> row = rowOf(r);
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (!isZero(row[c])) columns[c].add(plain.halfOctaves(row[c]) - terms.rows[r]);
    }
  }
  for (const MeanSize& mean : columns) {
    const std::int32_t size = mean.isKnown() ? mean.rounded() : 0;
    terms.columns.push_back(
        static_cast<std::int16_t>(std::clamp(size, -kColumnRange, kColumnRange)));
  }
  return terms;
}

/// Everything that is done with a plan and its words.
template <typename Word>
class SizedCoder {
 public:
  SizedCoder(const SizedSource<Word>& source, const SizedPlan& plan)
      : source_(source),
        plan_(plan),
        words_(source.shape(), plan.isSigned, plan.decay, plan.factors, plan.terms) {}

  /// Of one piece in `stride`.
  ContextCounts count(std::size_t stride) const {
    ContextCounts counts(deltaAlphabet(source_.shape().word));
    ContextCounts other = counts;
    Piece piece;
    for (std::size_t at = 0; at < source_.words().size(); at += kChunkWords * stride) {
      const std::size_t n = load(piece, at, kEveryContext, false);
      counts.count(piece.known.contexts, piece.symbols, n, other);
    }
    counts.add(other);
    return counts;
  }

  std::vector<std::byte> encode(const TableSet& tables, double bitsPerWord,
                                std::span<const std::byte> original, ByteWriter& out) const {
    const auto entries = encoderTable(tables.tables);
    const std::size_t alphabet = deltaAlphabet(source_.shape().word);
    const unsigned blockLog2 = goodBlockLog2(bitsPerWord);
    const std::size_t step = std::size_t{1} << blockLog2;
    BlockIndexWriter index(blockLog2);
    RansScratch scratch;
    Piece piece;
    for (std::size_t start = 0; start < source_.words().size(); start += step) {
      const std::size_t count = std::min(step, source_.words().size() - start);
      DeltaStreamEncoder stream(count, lanesFor(count), scratch);
      for (std::size_t end = count; end > 0;) {
        end -= (end - 1) % kChunkWords + 1;
        const std::size_t n = load(piece, start + end, tables.map, true, start + count);
        // All of the words were counted, so each symbol has a place.
        static_cast<void>(stream.prepend(entries, alphabet, {piece.known.contexts, n},
                                         {piece.symbols, piece.raw}));
      }
      stream.appendTo(index.blocks());
      index.endBlock(original.subspan(start * sizeof(Word), count * sizeof(Word)));
    }
    index.write(out);
    return out.take();
  }

 private:
  struct Piece {
    SizedPiece<Word> known;
    alignas(64) Word words[kChunkWords];
    alignas(64) std::uint8_t symbols[kChunkWords];
    alignas(64) std::uint32_t raw[kChunkWords];
  };

  /// The words from `first` on that belong together; how many they are.
  std::size_t load(Piece& piece, std::size_t first, const std::array<std::uint8_t, kContexts>& map,
                   bool wantsRaw, std::size_t end = SIZE_MAX) const {
    const std::size_t n = std::min(kChunkWords, std::min(end, source_.words().size()) - first);
    const Word* const words = source_.words().data() + first;
    std::copy_n(words, n, piece.words);
    words_.turn(piece.words, n);
    words_.predict(map, first, source_.parentAt(first), n, piece.known);
    words_.classify(piece.known.expected, piece.words, n, false,
                    {piece.symbols, wantsRaw ? piece.raw : nullptr});
    if (words_.hasFactors()) classifyCentred(words, n, wantsRaw, piece);
    return n;
  }

  void classifyCentred(const Word* words, std::size_t n, bool wantsRaw, Piece& piece) const {
    alignas(64) std::uint8_t symbols[kChunkWords];
    alignas(64) std::uint32_t raw[kChunkWords];
    words_.classify(piece.known.centre, words, n, true, {symbols, wantsRaw ? raw : nullptr});
    for (std::size_t i = 0; i < n; ++i) {
      if (piece.known.isCentred[i] == 0) continue;
      piece.symbols[i] = symbols[i];
      if (wantsRaw) piece.raw[i] = raw[i];
    }
  }

  const SizedSource<Word>& source_;
  const SizedPlan& plan_;
  SizedWords<Word> words_;
};

/// Bits of the symbols and of what rides along with them.
double bitsOfCounts(const ContextCounts& counts) {
  double bits = counts.bits();
  for (std::size_t c = 0; c < kContexts; ++c) {
    if (!counts.mayUse(c)) continue;
    const auto row = counts.of(c);
    for (std::size_t s = 8; s < row.size(); ++s) {
      bits += static_cast<double>(row[s]) * static_cast<double>(s / 4 - 1);
    }
  }
  return bits;
}

void writeSizedHeader(ByteWriter& out, const SizedPlan& plan) {
  const bool decays = !plan.decay.palette.empty();
  out.byte(static_cast<std::uint8_t>(
      (plan.terms.rows.empty() ? 0U : 1U) | (plan.terms.columns.empty() ? 0U : 2U) |
      (plan.isSigned ? 4U : 0U) | (decays ? 8U : 0U) | (plan.factors.rank != 0 ? 16U : 0U)));
  if (decays) {
    ByteWriter predictor;
    writePredictor(predictor, Predictor{plan.decay});
    out.bytes(predictor.view().subspan(1));  // the flag stands for its number
  }
  if (plan.factors.rank != 0) writeLowRank(out, plan.factors);
  writeTerms(out, plan.terms);
}

template <typename Word>
double estimated(const SizedSource<Word>& source, const SizedPlan& plan) {
  const std::size_t pieces = source.words().size() / kChunkWords;
  const std::size_t stride = std::max<std::size_t>(1, pieces / kEstimatePieces);
  const ContextCounts counts = SizedCoder<Word>(source, plan).count(stride);
  std::uint64_t counted = 0;
  for (std::size_t at = 0; at < source.words().size(); at += kChunkWords * stride) {
    counted += std::min(kChunkWords, source.words().size() - at);
  }
  ByteWriter header;
  writeSizedHeader(header, plan);
  return bitsOfCounts(counts) * static_cast<double>(source.words().size()) /
             static_cast<double>(std::max<std::uint64_t>(counted, 1)) +
         8.0 * static_cast<double>(header.size());
}

/// What is left of words without what their matrix has in common.
std::vector<std::uint32_t> withoutFactors(const SizedSource<std::uint32_t>& source,
                                          const LowRankFactors& factors) {
  const std::uint64_t columns = source.shape().columns;
  const std::vector<std::uint32_t> zeros(columns);
  std::vector<std::uint32_t> rest(source.words().begin(), source.words().end());
  std::vector<std::uint32_t> centre(columns);
  for (std::uint64_t r = 0; r < source.shape().rows; ++r) {
    addLowRank<std::uint32_t>(factors, kernels::FloatKind::F32, r, 0, zeros, centre.data());
    for (std::size_t c = 0; c < columns; ++c) {
      std::uint32_t& word = rest[r * columns + c];
      word = std::bit_cast<std::uint32_t>(std::bit_cast<float>(word) -
                                          std::bit_cast<float>(centre[c]));
    }
  }
  return rest;
}

/// First moments of a matrix have much in common: the gradients of a batch have a low rank.
void tryRanks(const SizedSource<std::uint32_t>& source, SizedPlan& plan) {
  const PartShape& shape = source.shape();
  const bool isMatrix = std::min(shape.rows, shape.columns) >= kLeastSide;
  if (!isMatrix || !plan.decay.palette.empty()) return;
  const auto* const values = reinterpret_cast<const float*>(source.words().data());
  const LowRankFactors all =
      fitLowRank(shape, {values, source.words().size()}, kRanks[std::size(kRanks) - 1]);
  double last = plan.estimatedBits;
  for (const std::uint32_t rank : kRanks) {
    if (rank > all.rank) break;
    SizedPlan other;
    other.isSigned = plan.isSigned;
    other.factors = truncated(all, shape, rank);
    const SizedWords<std::uint32_t> plain(shape, other.isSigned, other.decay, other.factors,
                                          other.terms);
    const auto rest = withoutFactors(source, other.factors);
    other.terms = measureSizes<std::uint32_t>(source, rest, plain, other.decay);
    other.estimatedBits = estimated<std::uint32_t>(source, other);
    const double bits = other.estimatedBits;
    if (bits < plan.estimatedBits) plan = std::move(other);
    if (bits > last) break;
    last = bits;
  }
}

template <typename Word>
SizedPlan planWords(const EncodeInput& input, DecayedRows decay) {
  const SizedSource<Word> source(input);
  SizedPlan plan;
  plan.decay = std::move(decay);
  plan.isSigned = std::ranges::any_of(
      source.words(), [](Word word) { return (word & ~SizedWords<Word>::kMagnitude) != 0; });
  const SizedWords<Word> plain(input.shape, plan.isSigned, plan.decay, plan.factors, plan.terms);
  plan.terms = measureSizes<Word>(source, source.words(), plain, plan.decay);
  plan.estimatedBits = estimated<Word>(source, plan);
  for (const bool keepsRows : {true, false}) {
    SizedPlan other = plan;
    other.terms = withoutColumns(plan.terms);
    if (!keepsRows) other.terms = withoutRows(std::move(other.terms));
    other.estimatedBits = estimated<Word>(source, other);
    if (other.estimatedBits < plan.estimatedBits) plan = std::move(other);
  }
  if constexpr (sizeof(Word) == 4) tryRanks(source, plan);
  return plan;
}

template <typename Word>
std::vector<std::byte> encodeSizedWords(const EncodeInput& input, const SizedPlan& plan) {
  const SizedSource<Word> source(input);
  const SizedCoder<Word> coder(source, plan);
  const TableSet tables = buildTableSet(coder.count(1));
  ByteWriter out;
  writeSizedHeader(out, plan);
  writeTableSet(out, tables);
  const auto words = static_cast<double>(std::max<std::uint64_t>(1, input.shape.wordCount()));
  return coder.encode(tables, plan.estimatedBits / words, input.words, out);
}

/// Mean bits of the differences between some words of a row and the decayed ones of the parent.
template <typename Word>
double bitsToDecayed(const SizedSource<Word>& source, const SizedWords<Word>& plain,
                     std::uint64_t row) {
  const std::size_t n = std::min<std::size_t>(kTellingWords, source.shape().columns);
  const std::uint64_t first = row * source.shape().columns;
  SizedPiece<Word> piece;
  plain.predict({}, first, source.parentAt(first), n, piece);
  double bits = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Word word = source.words()[first + i];
    const Word apart = word < piece.expected[i] ? static_cast<Word>(piece.expected[i] - word)
                                                : static_cast<Word>(word - piece.expected[i]);
    bits += static_cast<double>(std::bit_width(apart));
  }
  return bits / static_cast<double>(n);
}

template <typename Word>
DecayedRows findDecaying(const EncodeInput& input) {
  const SizedSource<Word> source(input);
  const auto found = findDecay<Word>(input.shape, *predictableKind(input.shape.word),
                                     source.parent(), source.words());
  if (found.isNone()) return {};
  DecayedRows decay = std::get<DecayedRows>(found.form);
  const ScaleTerms none;
  const LowRankFactors noFactors;
  const SizedWords<Word> plain(input.shape, false, decay, noFactors, none);
  const double most = kNearShare * static_cast<double>(input.shape.word.mantissaBits);
  bool isAny = false;
  for (std::uint64_t r = 0; r < input.shape.rows; ++r) {
    if (decay.palette[r] == 0) continue;
    if (bitsToDecayed<Word>(source, plain, r) > most) decay.palette[r] = 0;
    isAny = isAny || decay.palette[r] != 0;
  }
  return isAny ? decay : DecayedRows{};
}

}  // namespace

SizedPlan planSized(const EncodeInput& input, DecayedRows decay) {
  return input.shape.word.bytes == 4 ? planWords<std::uint32_t>(input, std::move(decay))
                                     : planWords<std::uint16_t>(input, std::move(decay));
}

DecayedRows findDecayingRows(const EncodeInput& input) {
  return input.shape.word.bytes == 4 ? findDecaying<std::uint32_t>(input)
                                     : findDecaying<std::uint16_t>(input);
}

std::vector<std::byte> encodeSized(const EncodeInput& input, const SizedPlan& plan) {
  return input.shape.word.bytes == 4 ? encodeSizedWords<std::uint32_t>(input, plan)
                                     : encodeSizedWords<std::uint16_t>(input, plan);
}

}  // namespace strata
