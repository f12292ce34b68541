#include "core/codec/exact/delta_planner.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/codec/lossy/lossy_words.h"
#include "core/codec/predict/low_rank.h"
#include "core/codec/predict/rank_glance.h"
#include "core/codec/predict/wide_factors.h"

namespace strata {
namespace {

/// Words on which the choice of terms is made: this many, or this share of the part.
constexpr std::uint64_t kChoiceWords = 1 << 15;
constexpr std::uint64_t kMostChoiceStride = 24;
/// Fewer words never save what terms of rows or columns take.
constexpr std::uint64_t kFewWords = 64;
/// Words that tables are made from where a sample is enough, and how they are spread.
constexpr std::uint64_t kTableWords = 1 << 17;
constexpr std::uint64_t kMostTableStride = 8;
constexpr std::uint64_t kTablePiece = 128;
/// Below this share of unchanged words the bits of a difference look random: `xor` is not tried.
constexpr double kSparse = 0.3;
constexpr std::uint32_t kMostRank = 32;
/// Smaller parts, and smaller savings, are not worth the search of a quick encoder. By the size of
/// words: so that half of what all ranks gain is had in less than 1.5 times the time without.
constexpr std::uint64_t kLeastWordsForRank = 1 << 15;
template <typename Word>
constexpr double kLeastSavedShare = sizeof(Word) == 2 ? 0.04 : 0.025;
/// Of words of 16 bits: what a glance must promise so that nothing else is planned beside it.
constexpr double kSurelySavedBits = 0.2;
/// What rounded factors of an adapter may move a prediction by, in last places of a middling word:
/// 2^-3 to 2^-11.
constexpr int kCoarsestErrorLog2 = -3;
constexpr int kFinestErrorLog2 = -11;

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

double rawBits(const ContextCounts& counts) {
  double bits = 0;
  for (std::size_t c = 0; c < kContexts; ++c) {
    if (!counts.mayUse(c)) continue;
    const auto row = counts.of(c);
    for (std::size_t s = 8; s < row.size(); ++s) {
      const auto rawOfEach = static_cast<std::int64_t>(s / 4) - 1;
      bits += row[s] * static_cast<double>(rawOfEach);
    }
  }
  return bits;
}

/// The words as floats, which lie in `buffer` where the words are none.
template <typename Word>
std::span<const float> floatsOf(std::span<const Word> words, kernels::FloatKind kind,
                                std::vector<float>& buffer) {
  if constexpr (sizeof(Word) == 2) {
    buffer.resize(words.size());
    kernels::bestKernels().widen16(words.data(), kind, words.size(), buffer.data());
    return buffer;
  } else {
    return {reinterpret_cast<const float*>(words.data()), words.size()};
  }
}

void consider(DeltaPlan& best, DeltaPlan other) {
  if (other.estimatedBits < best.estimatedBits) best = std::move(other);
}

}  // namespace

template <typename Word>
DeltaPlanner<Word>::DeltaPlanner(const EncodeInput& input, const DeltaEffort& effort,
                                 std::optional<CodecId> wish, DeviceEncoder* device)
    : input_(input),
      effort_(effort),
      wish_(wish),
      shift_(sharedZeroBits<Word>(input.shape, input.words)),
      source_(input, shift_, device) {}

template <typename Word>
DeltaPlan DeltaPlanner<Word>::run() {
  Predictor decay;
  const auto kind = predictableKind(input_.shape.word);
  if (kind && effort_.searchDecay) {
    decay = findDecay<Word>(input_.shape, *kind, source_.parent(), source_.words());
  }
  source_.dropShift();
  if (!effort_.searchPredictors) return quickPlan(std::move(decay));
  DeltaPlan best = planWith(Predictor{});
  if (!decay.isNone()) consider(best, planWith(decay));
  const bool isAdapter = effort_.searchAdapters && searchAdapter(best);
  // Rounding to 16 bits may hide components that a truncated SVD still finds.
  if (kind && effort_.searchLowRank && isMatrix() && (!isAdapter || sizeof(Word) == 2)) {
    searchRank(best, differences());
  }
  return best;
}

template <typename Word>
DeltaPlan DeltaPlanner<Word>::runWith(Predictor predictor) {
  source_.dropShift();
  return planWith(std::move(predictor));
}

template <typename Word>
bool DeltaPlanner<Word>::isMatrix() const noexcept {
  return input_.shape.rows >= 32 && input_.shape.columns >= 32;
}

template <typename Word>
std::vector<float> DeltaPlanner<Word>::differences() const {
  const auto kind = *predictableKind(input_.shape.word);
  const std::size_t count = source_.words().size();
  std::vector<float> residual(count);
  float parent[kChunkWords];
  for (std::size_t at = 0; at < count; at += kChunkWords) {
    const std::size_t n = std::min(kChunkWords, count - at);
    const auto bytesOf = [&](std::span<const std::byte> side) {
      return side.subspan(at * sizeof(Word), n * sizeof(Word));
    };
    widenWords(kind, bytesOf(input_.words), residual.data() + at);
    widenWords(kind, bytesOf(input_.parent), parent);
    for (std::size_t i = 0; i < n; ++i) residual[at + i] -= parent[i];
  }
  return residual;
}

/// Factors as fine as pays, where the difference is of low rank but for rounding. A glance at words
/// of 16 bits tells too little: they are looked at with searchLowRank only.
template <typename Word>
bool DeltaPlanner<Word>::searchAdapter(DeltaPlan& best) {
  const auto kind = predictableKind(input_.shape.word);
  if (!kind || shift_ != 0 || !isMatrix()) return false;
  if (!effort_.searchLowRank && sizeof(Word) == 2) return false;
  std::vector<float> buffers[2];
  const auto parent = floatsOf(source_.parent(), *kind, buffers[0]);
  const auto words = floatsOf(source_.words(), *kind, buffers[1]);
  if (!effort_.searchLowRank && !WideFit::mayPay(input_.shape, parent, words)) return false;
  const WideFit fit(input_.shape, parent, words);
  if (fit.rank() == 0) return false;
  double last = std::numeric_limits<double>::infinity();
  for (int errorLog2 = kCoarsestErrorLog2; errorLog2 >= kFinestErrorLog2; errorLog2 -= 2) {
    Predictor predictor = predictorOf(fit.quantized(std::ldexp(1.0, errorLog2)));
    if (predictor.isNone()) break;
    DeltaPlan plan = planWith(std::move(predictor));
    const double bits = plan.estimatedBits;
    consider(best, std::move(plan));
    if (bits > last) break;
    last = bits;
  }
  return best.predictor.id() == PredictorId::WideLowRank;
}

/// The plan of a quick encoder: one, but for the ranks that a sample speaks for, where those are
/// clearly worth the time. Where they are beyond doubt the plan without them is not made.
template <typename Word>
DeltaPlan DeltaPlanner<Word>::quickPlan(Predictor decay) {
  const bool mayHaveRank = effort_.searchAdapters && predictableKind(input_.shape.word) &&
                           isMatrix() && input_.shape.wordCount() >= kLeastWordsForRank &&
                           shift_ == 0;
  RankGlance glance;
  if (mayHaveRank && sizeof(Word) == 2) {
    glance = glanceAtRank(input_);
    const bool isSure = decay.isNone() && glance.savedBitsPerWord >= kSurelySavedBits &&
                        glance.savedBitsPerWord < mostBitsPerWord();
    if (isSure) {
      Predictor few = fewRanks(glance);
      if (!few.isNone()) return planWith(std::move(few));
    }
  }
  DeltaPlan plan = planWith(std::move(decay));
  if (effort_.searchAdapters && searchAdapter(plan)) return plan;
  if (!mayHaveRank) return plan;
  if (sizeof(Word) != 2) glance = glanceAtRank(input_);
  const double bitsPerWord = plan.estimatedBits / static_cast<double>(input_.shape.wordCount());
  if (glance.savedBitsPerWord < kLeastSavedShare<Word> * bitsPerWord) return plan;
  Predictor few = fewRanks(glance);
  if (!few.isNone()) consider(plan, planWith(std::move(few)));
  return plan;
}

/// What a difference takes at most, by a sample of which words changed: the glance at ranks takes
/// all words for changed, and promises more than that where few are.
template <typename Word>
double DeltaPlanner<Word>::mostBitsPerWord() const {
  constexpr std::size_t kSampled = 4096;
  const auto parent = source_.parent();
  const auto words = source_.words();
  const std::size_t step = std::max<std::size_t>(words.size() / kSampled, 1);
  std::size_t seen = 0;
  std::size_t changed = 0;
  for (std::size_t i = 0; i < words.size(); i += step, ++seen) {
    if (words[i] != parent[i]) ++changed;
  }
  const double share =
      static_cast<double>(changed) / static_cast<double>(std::max<std::size_t>(seen, 1));
  if (share == 0) return 0;
  const double same = 1 - share;
  const double flags = -share * std::log2(share) - (same > 0 ? same * std::log2(same) : 0);
  return flags + share * 8 * sizeof(Word);
}

template <typename Word>
Predictor DeltaPlanner<Word>::fewRanks(const RankGlance& glance) const {
  return predictorOf(fitLowRank(input_.shape, differences(), glance.rank));
}

/// Ranks by doubling; stops when the first one that is too large shows.
template <typename Word>
void DeltaPlanner<Word>::searchRank(DeltaPlan& best, std::span<const float> residual) {
  const LowRankFactors factors = fitLowRank(input_.shape, residual, kMostRank);
  double last = best.estimatedBits;
  for (std::uint32_t rank = 2; rank <= factors.rank; rank *= 2) {
    DeltaPlan plan = planWith(predictorOf(truncated(factors, input_.shape, rank)));
    const double bits = plan.estimatedBits;
    consider(best, std::move(plan));
    if (rank > 2 && bits > last) break;
    last = bits;
  }
}

template <typename Word>
DeltaSample DeltaPlanner<Word>::choiceSample() const noexcept {
  const std::uint64_t words = input_.shape.wordCount();
  return {.stride = std::clamp<std::uint64_t>(words / kChoiceWords, 1, kMostChoiceStride)};
}

template <typename Word>
DeltaSample DeltaPlanner<Word>::tableSample() const noexcept {
  if (effort_.countAll) return {};
  const std::uint64_t words = input_.shape.wordCount();
  return {.pieceWords = kTablePiece,
          .stride = std::clamp<std::uint64_t>(words / kTableWords, 1, kMostTableStride)};
}

template <typename Word>
ContextCounts DeltaPlanner<Word>::countForTables(CodecId codec, const ScaleTerms& terms,
                                                 const PredictedWords<Word>& predicted) const {
  const DeltaSample sample = tableSample();
  ContextCounts counts = source_.count(codec, terms, predicted, sample);
  counts.scale(static_cast<std::uint32_t>(sample.stride));
  return counts;
}

template <typename Word>
DeltaPlan DeltaPlanner<Word>::planWith(Predictor predictor) {
  DeltaPlan plan;
  plan.shift = shift_;
  plan.codec = wish_.value_or(CodecId::Integer);
  const DeltaWords<Word> plain(input_.shape, shift_, plan.codec == CodecId::Xor);
  const PredictedWords<Word> predicted(plain, predictor, source_.parent(), source_.further());
  const std::uint64_t columns = input_.shape.columns;
  const ScaleTerms full = measureTerms<Word>(
      input_.shape,
      [&](std::uint64_t row) {
        return predicted.at(row * columns, static_cast<std::size_t>(columns));
      },
      source_.words(), plain.termFormat());
  plan.terms = effort_.searchTerms ? chooseTerms(plan.codec, full, predicted) : full;
  plan.counts = countForTables(plan.codec, plan.terms, predicted);
  const bool isSparse = effort_.searchTerms && plan.counts.shareOf(0) > kSparse;
  if (!wish_ && isSparse) tryXor(plan, predicted);
  plan.sideBits = 8.0 * static_cast<double>(termBytes(plan.terms) + predictorBytes(predictor));
  plan.tables =
      tableSample().stride == 1 ? buildTableSet(plan.counts) : buildOpenTableSet(plan.counts);
  ByteWriter written;
  writeTableSet(written, plan.tables);
  plan.tableBits = plan.tables.codedBits(plan.counts) + 8.0 * static_cast<double>(written.size());
  plan.estimatedBits = plan.tableBits + rawBits(plan.counts) + plan.sideBits;
  plan.predictor = std::move(predictor);
  return plan;
}

/// On a sample first: most parts are better off without.
template <typename Word>
void DeltaPlanner<Word>::tryXor(DeltaPlan& plan, const PredictedWords<Word>& predicted) const {
  const auto bits = [](const ContextCounts& counts) { return counts.bits() + rawBits(counts); };
  const auto count = [&](CodecId codec) {
    return source_.count(codec, plan.terms, predicted, choiceSample());
  };
  if (choiceSample().stride > 1 && bits(count(CodecId::Xor)) >= bits(count(CodecId::Integer)))
    return;
  ContextCounts counts = countForTables(CodecId::Xor, plan.terms, predicted);
  if (bits(counts) >= bits(plan.counts)) return;
  plan.codec = CodecId::Xor;
  plan.counts = std::move(counts);
}

template <typename Word>
double DeltaPlanner<Word>::sampledBits(CodecId codec, const ScaleTerms& terms,
                                       const PredictedWords<Word>& predicted) const {
  const DeltaSample sample = choiceSample();
  const ContextCounts counts = source_.count(codec, terms, predicted, sample);
  return counts.bits() * static_cast<double>(sample.stride) +
         8.0 * static_cast<double>(termBytes(terms));
}

/// Of both, rows, columns and none the terms that pay.
template <typename Word>
ScaleTerms DeltaPlanner<Word>::chooseTerms(CodecId codec, const ScaleTerms& full,
                                           const PredictedWords<Word>& predicted) const {
  if (full.rows.empty()) return full;
  if (input_.shape.wordCount() < kFewWords) return withoutRows(withoutColumns(full));
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

template class DeltaPlanner<std::uint16_t>;
template class DeltaPlanner<std::uint32_t>;

}  // namespace strata
