#include <bit>
#include <cmath>

#include "core/codec/block_index.h"
#include "core/codec/delta_codec.h"
#include "core/codec/delta_words.h"
#include "core/codec/low_rank.h"
#include "core/codec/rans_block.h"

namespace strata {
namespace {

/// Words on which the choice of terms is made.
constexpr std::uint64_t kSampleWords = 1 << 17;
constexpr std::uint32_t kMostRank = 32;
/// A block's payload should be at least this large, so that lane states and checksum weigh little.
constexpr double kGoodBlockBytes = 16384;

constexpr std::array<std::uint8_t, kContexts> identityMap() {
  std::array<std::uint8_t, kContexts> map{};
  for (std::size_t i = 0; i < kContexts; ++i) map[i] = static_cast<std::uint8_t>(i);
  return map;
}
constexpr auto kIdentity = identityMap();

/// A part on its way in: both sides as words that the kernels take.
template <typename Word>
class Encoder {
 public:
  Encoder(const EncodeInput& input, unsigned shift)
      : shape_(input.shape),
        shift_(shift),
        parent_(shape_.wordCount()),
        words_(shape_.wordCount()) {
    const DeltaWords<Word> plain(shape_, shift, false);
    plain.load(input.parent, parent_.data());
    plain.load(input.words, words_.data());
  }

  /// Words of the variant before bits are dropped: for the search of predictors.
  std::span<const Word> words() const { return words_; }
  std::span<const Word> parent() const { return parent_; }

  void dropShift() {
    DeltaWords<Word>(shape_, shift_, false).dropShift(words_.data(), words_.size());
  }

  std::vector<Word> predicted(const Predictor& predictor) const {
    std::vector<Word> out = parent_;
    DeltaWords<Word>(shape_, shift_, false).predict(predictor, 0, out.data(), out.size());
    return out;
  }

  /// Counts the symbols of the rows that `stride` picks.
  ContextCounts count(CodecId codec, const ScaleTerms& terms, const std::vector<Word>& predicted,
                      std::uint64_t stride) const {
    const DeltaWords<Word> plain(shape_, shift_, codec == CodecId::Xor);
    ContextCounts counts(deltaAlphabet(shape_.word));
    const std::uint64_t piece = kChunkWords;
    for (std::uint64_t at = 0; at < words_.size(); at += piece * stride) {
      const auto n = static_cast<std::size_t>(std::min(piece, words_.size() - at));
      symbols(plain, terms, kIdentity, at, predicted.data() + at, n);
      counts.count(contexts_.data(), symbols_.data(), n);
    }
    return counts;
  }

  /// Encodes all blocks.
  void encode(const DeltaPlan& plan, const TableSet& tables, const std::vector<Word>& predicted,
              std::span<const std::byte> original, BlockIndexWriter& index,
              unsigned blockLog2) const {
    const DeltaWords<Word> plain(shape_, shift_, plan.codec == CodecId::Xor);
    const auto entries = encoderTable(tables.tables);
    RansScratch scratch;
    const std::size_t step = std::size_t{1} << blockLog2;
    for (std::size_t at = 0; at < words_.size(); at += step) {
      const std::size_t n = std::min(step, words_.size() - at);
      symbols(plain, plan.terms, tables.map, at, predicted.data() + at, n);
      appendDeltaStream(entries, deltaAlphabet(shape_.word), {contexts_.data(), n},
                        {symbols_.data(), raw_.data()}, lanesFor(n), scratch, index.blocks());
      index.endBlock(original.subspan(at * shape_.word.bytes, n * shape_.word.bytes));
    }
  }

 private:
  void symbols(const DeltaWords<Word>& plain, const ScaleTerms& terms,
               const std::array<std::uint8_t, kContexts>& map, std::uint64_t first,
               const Word* predicted, std::size_t count) const {
    if (contexts_.size() < count) {
      contexts_.resize(count);
      symbols_.resize(count);
      raw_.resize(count);
    }
    plain.contexts(terms, map, first, predicted, count, contexts_.data());
    plain.classify(predicted, words_.data() + first, count, {symbols_.data(), raw_.data()});
  }

  PartShape shape_;
  unsigned shift_;
  std::vector<Word> parent_;
  std::vector<Word> words_;
  mutable std::vector<std::uint8_t> contexts_;
  mutable std::vector<std::uint8_t> symbols_;
  mutable std::vector<std::uint32_t> raw_;
};

/// Low mantissa bits that are zero in every word.
template <typename Word>
unsigned sharedZeroBits(const PartShape& shape, std::span<const std::byte> bytes) {
  if (!shape.word.isFloat || shape.word.bytes == 1) return 0;
  Word all = 0;
  for (std::size_t at = 0; at < bytes.size(); at += kChunkWords * sizeof(Word)) {
    Word words[kChunkWords];
    const std::size_t n = std::min(kChunkWords * sizeof(Word), bytes.size() - at);
    std::memcpy(words, bytes.data() + at, n);
    for (std::size_t i = 0; i < n / sizeof(Word); ++i) all |= words[i];
    if ((all & 1) != 0) return 0;
  }
  const auto zeros = static_cast<unsigned>(std::countr_zero(all));
  return std::min(zeros, shape.word.mantissaBits);
}

std::size_t termBytes(const ScaleTerms& terms) {
  ByteWriter out;
  writeTerms(out, terms);
  return out.size();
}

std::size_t predictorBytes(const Predictor& predictor) {
  ByteWriter out;
  writePredictor(out, predictor);
  return out.size();
}

template <typename Word>
class Planner {
 public:
  Planner(const EncodeInput& input, const DeltaEffort& effort, std::optional<CodecId> wish)
      : input_(input),
        effort_(effort),
        wish_(wish),
        shift_(sharedZeroBits<Word>(input.shape, input.words)),
        encoder_(input, shift_) {}

  DeltaPlan run() {
    Predictor decay;
    const auto kind = predictableKind(input_.shape.word);
    if (kind && effort_.searchDecay) {
      decay = findDecay<Word>(input_.shape, *kind, encoder_.parent(), encoder_.words());
    }
    std::vector<float> residual;
    if (kind && worthLowRank()) residual = differences(*kind);
    encoder_.dropShift();
    DeltaPlan best = planWith(Predictor{});
    if (!decay.isNone()) consider(best, planWith(decay));
    if (!residual.empty()) searchRank(best, residual);
    return best;
  }

 private:
  bool worthLowRank() const {
    return effort_.searchLowRank && input_.shape.rows >= 32 && input_.shape.columns >= 32;
  }

  std::vector<float> differences(kernels::FloatKind kind) const {
    std::vector<float> residual(encoder_.words().size());
    for (std::size_t i = 0; i < residual.size(); ++i) {
      residual[i] = floatOf(encoder_.words()[i], kind) - floatOf(encoder_.parent()[i], kind);
    }
    return residual;
  }

  static void consider(DeltaPlan& best, DeltaPlan other) {
    if (other.estimatedBits < best.estimatedBits) best = std::move(other);
  }

  /// Ranks by doubling; stops when the first one that is too large shows.
  void searchRank(DeltaPlan& best, std::span<const float> residual) {
    const LowRankFactors factors = fitLowRank(input_.shape, residual, kMostRank);
    double last = best.estimatedBits;
    for (std::uint32_t rank = 2; rank <= factors.rank; rank *= 2) {
      Predictor predictor;
      predictor.lowRank = truncated(factors, input_.shape, rank);
      DeltaPlan plan = planWith(predictor);
      const double bits = plan.estimatedBits;
      consider(best, std::move(plan));
      if (rank > 2 && bits > last) break;
      last = bits;
    }
  }

  std::uint64_t stride() const {
    return std::max<std::uint64_t>(1, input_.shape.wordCount() / kSampleWords);
  }

  DeltaPlan planWith(Predictor predictor) {
    const std::vector<Word> predicted = encoder_.predicted(predictor);
    DeltaPlan plan;
    plan.shift = shift_;
    plan.codec = wish_.value_or(CodecId::Integer);
    const DeltaWords<Word> plain(input_.shape, shift_, plan.codec == CodecId::Xor);
    const ScaleTerms full =
        measureTerms<Word>(input_.shape, predicted, droppedWords(), plain.termFormat());
    plan.terms = chooseTerms(plan.codec, full, predicted);
    if (!wish_) plan.codec = chooseCodec(plan.terms, predicted);
    plan.counts = encoder_.count(plan.codec, plan.terms, predicted, 1);
    plan.sideBits = 8.0 * static_cast<double>(termBytes(plan.terms) + predictorBytes(predictor));
    const TableSet tables = buildTableSet(plan.counts);
    ByteWriter written;
    writeTableSet(written, tables);
    plan.estimatedBits = tables.codedBits(plan.counts) + rawBits(plan.counts) + plan.sideBits +
                         8.0 * static_cast<double>(written.size());
    plan.predictor = std::move(predictor);
    return plan;
  }

  std::span<const Word> droppedWords() const { return encoder_.words(); }

  static double rawBits(const ContextCounts& counts) {
    double bits = 0;
    for (std::size_t c = 0; c < kContexts; ++c) {
      const auto row = counts.of(c);
      for (std::size_t s = 8; s < row.size(); ++s)
        bits += row[s] * (static_cast<double>(s / 4) - 1);
    }
    return bits;
  }

  double sampledBits(CodecId codec, const ScaleTerms& terms,
                     const std::vector<Word>& predicted) const {
    const std::uint64_t step = stride();
    const ContextCounts counts = encoder_.count(codec, terms, predicted, step);
    return (counts.bits() + rawBits(counts)) * static_cast<double>(step);
  }

  ScaleTerms chooseTerms(CodecId codec, const ScaleTerms& full,
                         const std::vector<Word>& predicted) const {
    if (full.rows.empty()) return full;
    ScaleTerms best = full;
    double bestBits =
        sampledBits(codec, full, predicted) + 8.0 * static_cast<double>(termBytes(full));
    for (ScaleTerms terms :
         {withoutColumns(full), withoutRows(full), withoutRows(withoutColumns(full))}) {
      const double bits =
          sampledBits(codec, terms, predicted) + 8.0 * static_cast<double>(termBytes(terms));
      if (bits < bestBits) {
        bestBits = bits;
        best = std::move(terms);
      }
    }
    return best;
  }

  CodecId chooseCodec(const ScaleTerms& terms, const std::vector<Word>& predicted) const {
    const double integer = sampledBits(CodecId::Integer, terms, predicted);
    const double bits = sampledBits(CodecId::Xor, terms, predicted);
    return bits < integer ? CodecId::Xor : CodecId::Integer;
  }

  const EncodeInput& input_;
  DeltaEffort effort_;
  std::optional<CodecId> wish_;
  unsigned shift_;
  Encoder<Word> encoder_;
};

unsigned blockLog2For(const EncodeInput& input, const DeltaPlan& plan) {
  const double bytesPerWord =
      plan.estimatedBits / 8 /
      static_cast<double>(std::max<std::uint64_t>(1, input.shape.wordCount()));
  unsigned log2 = kMinBlockLog2;
  while (log2 < kMaxBlockLog2 &&
         std::ldexp(bytesPerWord, static_cast<int>(log2)) < kGoodBlockBytes) {
    ++log2;
  }
  return log2;
}

template <typename Word>
std::vector<std::byte> encodeWords(const EncodeInput& input, const DeltaPlan& plan,
                                   const TableSet* shared, std::uint32_t sharedIndex) {
  Encoder<Word> encoder(input, plan.shift);
  encoder.dropShift();
  const std::vector<Word> predicted = encoder.predicted(plan.predictor);
  TableSet own;
  if (shared == nullptr) own = buildTableSet(plan.counts);
  ByteWriter out;
  const unsigned flags = (plan.terms.rows.empty() ? 0U : 1U) |
                         (plan.terms.columns.empty() ? 0U : 2U) | (shared == nullptr ? 0U : 4U);
  out.byte(static_cast<std::uint8_t>(flags));
  out.byte(static_cast<std::uint8_t>(plan.shift));
  writePredictor(out, plan.predictor);
  writeTerms(out, plan.terms);
  if (shared != nullptr) {
    out.varint(sharedIndex);
  } else {
    writeTableSet(out, own);
  }
  const unsigned blockLog2 = blockLog2For(input, plan);
  BlockIndexWriter index(blockLog2);
  encoder.encode(plan, shared == nullptr ? own : *shared, predicted, input.words, index, blockLog2);
  index.write(out);
  return out.take();
}

}  // namespace

DeltaPlan planDelta(const EncodeInput& input, const DeltaEffort& effort,
                    std::optional<CodecId> wish) {
  if (input.shape.word.bytes == 4) return Planner<std::uint32_t>(input, effort, wish).run();
  return Planner<std::uint16_t>(input, effort, wish).run();
}

std::vector<std::byte> encodeDelta(const EncodeInput& input, const DeltaPlan& plan,
                                   const TableSet* shared, std::uint32_t sharedIndex) {
  if (input.shape.word.bytes == 4) {
    return encodeWords<std::uint32_t>(input, plan, shared, sharedIndex);
  }
  return encodeWords<std::uint16_t>(input, plan, shared, sharedIndex);
}

}  // namespace strata
