#include <bit>
#include <cmath>
#include <limits>

#include "core/codec/block_index.h"
#include "core/codec/cast.h"
#include "core/codec/delta_codec.h"
#include "core/codec/delta_words.h"
#include "core/codec/low_rank.h"
#include "core/codec/rans_block.h"
#include "core/codec/wide_factors.h"
#include "core/codec/word_buffer.h"

namespace strata {
namespace {

/// Words on which the choice of terms is made: this many, or this share of the part.
constexpr std::uint64_t kSampleWords = 1 << 15;
constexpr std::uint64_t kSampleShare = 24;
/// Words counted at a time.
constexpr std::uint64_t kCountedWords = 4096;
/// Below this share of unchanged words the bits of a difference look random: `xor` is not tried.
constexpr double kSparse = 0.3;
constexpr std::uint32_t kMostRank = 32;
/// What rounded factors of an adapter may move a prediction by, in last places of a middling word.
constexpr double kCoarsestError = 1.0 / 8;
constexpr double kFinestError = 1.0 / 4096;

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
        parent_(loaded(input.parent, ownParent_)),
        words_(loaded(input.words, ownWords_)) {}
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  std::span<const Word> words() const { return words_; }
  std::span<const Word> parent() const { return parent_; }

  /// Takes the zero bits off the variant's words; before that they are as the search of predictors
  /// wants them.
  void dropShift() {
    if (shift_ == 0) return;
    ownWords_.reserve(words_.size());
    std::copy(words_.begin(), words_.end(), ownWords_.data());
    words_ = std::span<const Word>(ownWords_).first(words_.size());
    DeltaWords<Word>(shape_, shift_, false).dropShift(ownWords_.data(), words_.size());
  }

  /// The parent's words as the difference is taken to them. Valid until the thread's next call.
  std::span<const Word> predicted(const Predictor& predictor) const {
    if (predictor.isNone() && shift_ == 0) return parent_;
    thread_local WordBuffer<Word> scratch;
    const std::span<Word> words = scratch.first(parent_.size());
    std::copy(parent_.begin(), parent_.end(), words.begin());
    DeltaWords<Word>(shape_, shift_, false).predict(predictor, 0, words.data(), words.size());
    return words;
  }

  /// Counts the symbols of every `stride`-th chunk.
  ContextCounts count(CodecId codec, const ScaleTerms& terms, std::span<const Word> predicted,
                      std::uint64_t stride) const {
    const DeltaWords<Word> plain(shape_, shift_, codec == CodecId::Xor);
    ContextCounts counts(deltaAlphabet(shape_.word));
    ContextCounts other = counts;
    for (std::uint64_t at = 0; at < words_.size(); at += kCountedWords * stride) {
      const std::uint64_t n = std::min<std::uint64_t>(kCountedWords, words_.size() - at);
      symbols(plain, terms, kIdentity, at, predicted.subspan(at, n));
      counts.count(contexts_.data(), symbols_.data(), n, other);
    }
    counts.add(other);
    return counts;
  }

  /// Encodes all blocks.
  void encode(const DeltaPlan& plan, const TableSet& tables, std::span<const Word> predicted,
              std::span<const std::byte> original, BlockIndexWriter& index,
              unsigned blockLog2) const {
    const DeltaWords<Word> plain(shape_, shift_, plan.codec == CodecId::Xor);
    const auto entries = encoderTable(tables.tables);
    thread_local RansScratch scratch;
    index.blocks().reserve(static_cast<std::size_t>(plan.estimatedBits / 8 * 1.01) + 4096);
    const std::size_t step = std::size_t{1} << blockLog2;
    for (std::size_t at = 0; at < words_.size(); at += step) {
      const std::size_t n = std::min(step, words_.size() - at);
      symbols(plain, plan.terms, tables.map, at, predicted.subspan(at, n));
      appendDeltaStream(entries, deltaAlphabet(shape_.word), {contexts_.data(), n},
                        {symbols_.data(), raw_.data()}, lanesFor(n), scratch, index.blocks());
      index.endBlock(original.subspan(at * shape_.word.bytes, n * shape_.word.bytes));
    }
  }

 private:
  void symbols(const DeltaWords<Word>& plain, const ScaleTerms& terms,
               const std::array<std::uint8_t, kContexts>& map, std::uint64_t first,
               std::span<const Word> predicted) const {
    const std::size_t count = predicted.size();
    contexts_.reserve(count);
    symbols_.reserve(count);
    raw_.reserve(count);
    plain.contexts(terms, map, first, predicted.data(), count, contexts_.data());
    plain.classify(predicted.data(), words_.data() + first, count, {symbols_.data(), raw_.data()});
  }

  /// Bytes as words: where they lie, if they are such words already, else in `own`.
  std::span<const Word> loaded(std::span<const std::byte> bytes, WordBuffer<Word>& own) const {
    const DeltaWords<Word> plain(shape_, 0, false);
    const auto count = static_cast<std::size_t>(shape_.wordCount());
    if (const Word* words = plain.viewed(bytes)) return {words, count};
    plain.load(bytes, own.first(count).data());
    return own.first(count);
  }

  PartShape shape_;
  unsigned shift_;
  WordBuffer<Word> ownParent_;
  WordBuffer<Word> ownWords_;
  std::span<const Word> parent_;
  std::span<const Word> words_;
  mutable WordBuffer<std::uint8_t> contexts_;
  mutable WordBuffer<std::uint8_t> symbols_;
  mutable WordBuffer<std::uint32_t> raw_;
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
    if (kind && worthLowRank()) residual = differences();
    encoder_.dropShift();
    DeltaPlan best = planWith(Predictor{});
    if (!decay.isNone()) consider(best, planWith(decay));
    const bool isAdapter = searchAdapter(best);
    if (!residual.empty() && !isAdapter) searchRank(best, residual);
    return best;
  }

  /// After run(): ready to encode the plan.
  const Encoder<Word>& encoder() const { return encoder_; }

 private:
  bool worthLowRank() const {
    return effort_.searchLowRank && input_.shape.rows >= 32 && input_.shape.columns >= 32;
  }

  std::vector<float> differences() const {
    const auto type = typeOf(input_.shape.word);
    const std::size_t count = encoder_.words().size();
    std::vector<float> residual(count);
    std::vector<float> parent(count);
    castWords(type, input_.words, ElementType::F32, std::as_writable_bytes(std::span(residual)));
    castWords(type, input_.parent, ElementType::F32, std::as_writable_bytes(std::span(parent)));
    for (std::size_t i = 0; i < count; ++i) residual[i] -= parent[i];
    return residual;
  }

  static ElementType typeOf(const WordFormat& word) {
    if (word.bytes == 4) return ElementType::F32;
    return word.mantissaBits == 7 ? ElementType::BF16 : ElementType::F16;
  }

  static std::span<const float> floatsOf(std::span<const Word> words) {
    return {reinterpret_cast<const float*>(words.data()), words.size()};
  }

  static void consider(DeltaPlan& best, DeltaPlan other) {
    if (other.estimatedBits < best.estimatedBits) best = std::move(other);
  }

  /// Factors as fine as pays, where the difference is of low rank but for the rounding of f32.
  bool searchAdapter(DeltaPlan& best) {
    const bool isF32 = predictableKind(input_.shape.word) == kernels::FloatKind::F32;
    if (!isF32 || shift_ != 0 || !worthLowRank()) return false;
    const WideFit fit(input_.shape, floatsOf(encoder_.parent()), floatsOf(encoder_.words()));
    if (fit.rank() == 0) return false;
    double last = std::numeric_limits<double>::infinity();
    for (double error = kCoarsestError; error > kFinestError; error /= 4) {
      Predictor predictor;
      predictor.wide = fit.quantized(error);
      if (predictor.isNone()) break;
      DeltaPlan plan = planWith(std::move(predictor));
      const double bits = plan.estimatedBits;
      consider(best, std::move(plan));
      if (bits > last) break;
      last = bits;
    }
    return best.predictor.id() == PredictorId::WideLowRank;
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
    const std::uint64_t words = input_.shape.wordCount();
    return std::clamp<std::uint64_t>(words / kSampleWords, 1, kSampleShare);
  }

  DeltaPlan planWith(Predictor predictor) {
    const auto predicted = encoder_.predicted(predictor);
    DeltaPlan plan;
    plan.shift = shift_;
    plan.codec = wish_.value_or(CodecId::Integer);
    const DeltaWords<Word> plain(input_.shape, shift_, plan.codec == CodecId::Xor);
    const ScaleTerms full =
        measureTerms<Word>(input_.shape, predicted, encoder_.words(), plain.termFormat());
    plan.terms = effort_.searchTerms ? chooseTerms(plan.codec, full, predicted) : full;
    plan.counts = encoder_.count(plan.codec, plan.terms, predicted, 1);
    const bool isSparse = effort_.searchTerms && plan.counts.shareOf(0) > kSparse;
    if (!wish_ && isSparse) tryXor(plan, predicted);
    plan.sideBits = 8.0 * static_cast<double>(termBytes(plan.terms) + predictorBytes(predictor));
    plan.tables = buildTableSet(plan.counts);
    ByteWriter written;
    writeTableSet(written, plan.tables);
    plan.tableBits = plan.tables.codedBits(plan.counts) + 8.0 * static_cast<double>(written.size());
    plan.estimatedBits = plan.tableBits + rawBits(plan.counts) + plan.sideBits;
    plan.predictor = std::move(predictor);
    return plan;
  }

  /// On a sample first: most parts are better off without.
  void tryXor(DeltaPlan& plan, std::span<const Word> predicted) const {
    const auto bits = [](const ContextCounts& counts) { return counts.bits() + rawBits(counts); };
    const auto count = [&](CodecId codec, std::uint64_t step) {
      return encoder_.count(codec, plan.terms, predicted, step);
    };
    const std::uint64_t step = stride();
    if (step > 1 && bits(count(CodecId::Xor, step)) >= bits(count(CodecId::Integer, step))) return;
    ContextCounts counts = count(CodecId::Xor, 1);
    if (bits(counts) >= bits(plan.counts)) return;
    plan.codec = CodecId::Xor;
    plan.counts = std::move(counts);
  }

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
                     std::span<const Word> predicted) const {
    const std::uint64_t step = stride();
    const ContextCounts counts = encoder_.count(codec, terms, predicted, step);
    return counts.bits() * static_cast<double>(step) + 8.0 * static_cast<double>(termBytes(terms));
  }

  /// Of both, rows, columns and none the terms that pay.
  ScaleTerms chooseTerms(CodecId codec, const ScaleTerms& full,
                         std::span<const Word> predicted) const {
    if (full.rows.empty()) return full;
    ScaleTerms best = full;
    double bestBits = sampledBits(codec, full, predicted);
    for (ScaleTerms terms :
         {withoutColumns(full), withoutRows(full), withoutRows(withoutColumns(full))}) {
      const double bits = sampledBits(codec, terms, predicted);
      if (bits < bestBits) {
        bestBits = bits;
        best = std::move(terms);
      }
    }
    return best;
  }

  const EncodeInput& input_;
  DeltaEffort effort_;
  std::optional<CodecId> wish_;
  unsigned shift_;
  Encoder<Word> encoder_;
};

unsigned blockLog2For(const EncodeInput& input, const DeltaPlan& plan) {
  const auto words = static_cast<double>(std::max<std::uint64_t>(1, input.shape.wordCount()));
  return goodBlockLog2(plan.estimatedBits / words);
}

/// The payload of a plan; the encoder's words have lost their zero bits.
template <typename Word>
std::vector<std::byte> payloadOf(const EncodeInput& input, const DeltaPlan& plan,
                                 const Encoder<Word>& encoder, const TableSet* shared,
                                 std::uint32_t sharedIndex) {
  const auto predicted = encoder.predicted(plan.predictor);
  const TableSet& tables = shared == nullptr ? plan.tables : *shared;
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
    writeTableSet(out, tables);
  }
  const unsigned blockLog2 = blockLog2For(input, plan);
  BlockIndexWriter index(blockLog2);
  encoder.encode(plan, tables, predicted, input.words, index, blockLog2);
  index.write(out);
  return out.take();
}

template <typename Word>
std::vector<std::byte> encodeWords(const EncodeInput& input, const DeltaPlan& plan,
                                   const TableSet* shared, std::uint32_t sharedIndex) {
  Encoder<Word> encoder(input, plan.shift);
  encoder.dropShift();
  return payloadOf(input, plan, encoder, shared, sharedIndex);
}

template <typename Word>
PlannedDelta planAndEncodeWords(const EncodeInput& input, const DeltaEffort& effort,
                                std::optional<CodecId> wish) {
  Planner<Word> planner(input, effort, wish);
  PlannedDelta out;
  out.plan = planner.run();
  out.payload = payloadOf(input, out.plan, planner.encoder(), nullptr, 0);
  return out;
}

}  // namespace

DeltaPlan planDelta(const EncodeInput& input, const DeltaEffort& effort,
                    std::optional<CodecId> wish) {
  if (input.shape.word.bytes == 4) return Planner<std::uint32_t>(input, effort, wish).run();
  return Planner<std::uint16_t>(input, effort, wish).run();
}

PlannedDelta planAndEncodeDelta(const EncodeInput& input, const DeltaEffort& effort,
                                std::optional<CodecId> wish) {
  if (input.shape.word.bytes == 4) return planAndEncodeWords<std::uint32_t>(input, effort, wish);
  return planAndEncodeWords<std::uint16_t>(input, effort, wish);
}

std::vector<std::byte> encodeDelta(const EncodeInput& input, const DeltaPlan& plan,
                                   const TableSet* shared, std::uint32_t sharedIndex) {
  if (input.shape.word.bytes == 4) {
    return encodeWords<std::uint32_t>(input, plan, shared, sharedIndex);
  }
  return encodeWords<std::uint16_t>(input, plan, shared, sharedIndex);
}

}  // namespace strata
