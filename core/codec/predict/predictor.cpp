#include "core/codec/predict/predictor.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "core/codec/predict/low_rank.h"
#include "core/codec/predict/predictor_forms.h"
#include "core/codec/predict/wide_factors.h"

namespace strata {
namespace {

using kernels::FloatKind;

/// Palette entries of one part: weight decay gives one, a learning rate per group a few.
constexpr std::size_t kMostFactors = 7;
/// A factor is kept if at least this share of the rows takes it.
constexpr std::size_t kLeastRowsDivisor = 200;
/// A row takes a factor if that makes its differences at least this much smaller.
constexpr double kWorthwhile = 0.6;
constexpr std::uint64_t kSampledColumns = 64;
/// Factors that are looked for: a first moment that no gradient reaches is a tenth of what it was
/// after 22 steps.
constexpr double kLeastFactor = 1e-4;
constexpr double kMostFactor = 1.5;

template <typename Word>
void decayRow(FloatKind kind, std::span<const Word> parent, float factor, Word* out) {
  const auto& k = kernels::bestKernels();
  if constexpr (sizeof(Word) == 2) {
    k.decay16(parent.data(), factor, kind, parent.size(), out);
  } else {
    k.decay32(parent.data(), factor, parent.size(), out);
  }
}

void valuesOf(FloatKind kind, std::span<const std::uint16_t> words, float* out) {
  kernels::bestKernels().widen16(words.data(), kind, words.size(), out);
}
void valuesOf(FloatKind, std::span<const std::uint32_t> words, float* out) {
  std::copy_n(reinterpret_cast<const float*>(words.data()), words.size(), out);
}

double sumOfChanges(const float* a, const float* b, std::size_t count) {
  float sums[8] = {};
  for (std::size_t i = 0; i < count; ++i) sums[i % 8] += std::fabs(a[i] - b[i]);
  double sum = 0;
  for (const float one : sums) sum += std::isfinite(one) ? one : 0;
  return sum;
}

/// How many words grew and shrank.
struct Directions {
  int up;
  int down;
};

/// Inlined, so that the usual count is a constant and the loop runs in vectors.
template <typename Word>
[[gnu::always_inline]] inline Directions directions(const Word* parent, const Word* words,
                                                    std::size_t count) {
  constexpr Word kMagnitude = static_cast<Word>(static_cast<Word>(~Word{0}) >> 1);
  Word up = 0;
  Word down = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Word p = parent[i] & kMagnitude;
    const Word w = words[i] & kMagnitude;
    up = static_cast<Word>(up + (w > p ? 1 : 0));
    down = static_cast<Word>(down + (w < p ? 1 : 0));
  }
  return {static_cast<int>(up), static_cast<int>(down)};
}

/// What a row's sample says of decay.
struct RowFit {
  std::uint64_t row;
  double factor;
};

template <typename Word>
class DecaySearch {
 public:
  DecaySearch(const PartShape& shape, FloatKind kind, std::span<const Word> parent,
              std::span<const Word> words)
      : shape_(shape),
        kind_(kind),
        parent_(parent),
        words_(words),
        sampled_(std::min(shape.columns, kSampledColumns)),
        scratch_(sampled_) {}

  DecayedRows run() {
    for (std::uint64_t r = 0; r < shape_.rows; ++r) fitRow(r);
    DecayedRows found;
    const std::size_t least = std::max<std::size_t>(2, shape_.rows / kLeastRowsDivisor);
    while (found.factors.size() < kMostFactors && open_.size() >= least) {
      if (!takeFactor(found, least)) break;
    }
    return found;
  }

 private:
  std::span<const Word> parentRow(std::uint64_t r) const {
    return parent_.subspan(r * shape_.columns, sampled_);
  }
  std::span<const Word> wordsRow(std::uint64_t r) const {
    return words_.subspan(r * shape_.columns, sampled_);
  }

  void loadRow(std::uint64_t r) {
    valuesOf(kind_, parentRow(r), parentValues_);
    valuesOf(kind_, wordsRow(r), values_);
  }

  /// Whether the factor makes the differences of the loaded row smaller by enough.
  bool helps(std::uint64_t r, float factor) {
    float decayed[kSampledColumns];
    decayRow(kind_, parentRow(r), factor, scratch_.data());
    valuesOf(kind_, scratch_, decayed);
    const double before = sumOfChanges(parentValues_, values_, sampled_);
    return sumOfChanges(decayed, values_, sampled_) < kWorthwhile * before;
  }

  /// Whether most changes go one way, all towards zero or all away from it. A quick test that
  /// spares ordinary rows the rest.
  bool movesOneWay(std::uint64_t r) const {
    const Word* p = parentRow(r).data();
    const Word* w = wordsRow(r).data();
    const Directions all = sampled_ == kSampledColumns
                               ? directions<Word>(p, w, std::size_t{kSampledColumns})
                               : directions<Word>(p, w, sampled_);
    return 3 * std::min(all.up, all.down) < std::max(all.up + all.down, 1);
  }

  void fitRow(std::uint64_t r) {
    if (!movesOneWay(r)) return;
    loadRow(r);
    double cross = 0;
    double square = 0;
    for (std::size_t i = 0; i < sampled_; ++i) {
      const double b = parentValues_[i];
      cross += b * static_cast<double>(values_[i]);
      square += b * b;
    }
    const double factor = cross / square;
    if (!std::isfinite(factor) || factor == 1.0) return;
    if (factor < kLeastFactor || factor > kMostFactor) return;
    if (helps(r, static_cast<float>(factor))) open_.push_back({r, factor});
  }

  /// Takes the commonest factor of the open rows; false if it serves too few of them.
  bool takeFactor(DecayedRows& found, std::size_t least) {
    std::vector<RowFit> sorted = open_;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end(),
                     [](const RowFit& a, const RowFit& b) { return a.factor < b.factor; });
    const auto factor = static_cast<float>(middle->factor);
    std::vector<RowFit> left;
    std::vector<std::uint64_t> taken;
    for (const RowFit& fit : open_) {
      loadRow(fit.row);
      if (helps(fit.row, factor)) {
        taken.push_back(fit.row);
      } else {
        left.push_back(fit);
      }
    }
    if (taken.size() < least) return false;
    found.factors.push_back(factor);
    found.palette.resize(shape_.rows, 0);
    for (const std::uint64_t r : taken) {
      found.palette[r] = static_cast<std::uint8_t>(found.factors.size());
    }
    open_ = std::move(left);
    return true;
  }

  PartShape shape_;
  FloatKind kind_;
  std::span<const Word> parent_;
  std::span<const Word> words_;
  std::uint64_t sampled_;
  std::vector<Word> scratch_;
  float parentValues_[kSampledColumns];
  float values_[kSampledColumns];
  std::vector<RowFit> open_;
};

}  // namespace

std::optional<FloatKind> predictableKind(const WordFormat& word) noexcept {
  if (!word.isFloat) return std::nullopt;
  if (word.bytes == 4) return FloatKind::F32;
  if (word.bytes != 2) return std::nullopt;
  return word.mantissaBits == 7 ? FloatKind::BF16 : FloatKind::F16;
}

PredictorId Predictor::id() const noexcept {
  static_assert(std::variant_size_v<decltype(form)> == 8);
  return static_cast<PredictorId>(form.index());
}

std::size_t Predictor::sourceCount() const noexcept {
  if (tellsMoments()) return 3;
  const AdamStep* const of = step();
  if (of == nullptr) return 1;
  return 2U + (usesSecondMoment(*of) ? 1U : 0U) + (usesEarlierMoment(*of) ? 1U : 0U);
}

namespace {

template <typename... Lists>
std::size_t bytesOf(const Lists&... lists) noexcept {
  return (std::size_t{0} + ... + (lists.size() * sizeof lists[0]));
}

template <typename Word>
void keep(std::span<const Word> parent, Word* out) {
  if (out != parent.data()) std::copy(parent.begin(), parent.end(), out);
}

/// Words of 32 bits alone: readPredictor() takes no others.
template <typename Word>
std::span<const std::uint32_t> replayed(const Word* words, std::size_t count) {
  return {reinterpret_cast<const std::uint32_t*>(words), count};
}

}  // namespace

std::size_t Predictor::listBytes() const noexcept {
  return std::visit(
      Overloaded{[](const DecayedRows& decay) { return bytesOf(decay.factors, decay.palette); },
                 [](const LowRankRows& low) {
                   return bytesOf(low.factors.rows, low.factors.columns, low.decay.factors,
                                  low.decay.palette);
                 },
                 [](const WideFactors& wide) { return bytesOf(wide.rows, wide.columns); },
                 [](const ReplayedRowMoment& rows) {
                   return bytesOf(rows.shares.factors, rows.shares.palette);
                 },
                 [](const ReplayedRowWeights& rows) {
                   return bytesOf(rows.shares.factors, rows.shares.palette, rows.rates,
                                  rows.earlierRates);
                 },
                 [](const auto&) { return std::size_t{0}; }},
      form);
}

const AdamStep* Predictor::step() const noexcept {
  return std::visit(
      [](const auto& one) -> const AdamStep* {
        if constexpr (requires { one.step; }) {
          return &one.step;
        } else {
          return nullptr;
        }
      },
      form);
}

template <typename Word>
void Predictor::predict(FloatKind kind, std::uint64_t row, std::uint64_t firstColumn,
                        std::span<const Word> parent, FurtherWords<Word> further, Word* out) const {
  const auto decayedBy = [row](const DecayedRows& decay) {
    const std::uint8_t choice = decay.palette.empty() ? std::uint8_t{0} : decay.palette[row];
    return choice == 0 ? nullptr : &decay.factors[choice - 1U];
  };
  const auto words = [&](std::size_t source) { return replayed(further[source], parent.size()); };
  const std::span to(reinterpret_cast<std::uint32_t*>(out), parent.size());
  std::visit(
      Overloaded{
          [&](std::monostate) { keep(parent, out); },
          [&](const DecayedRows& decay) {
            const float* const factor = decayedBy(decay);
            if (factor == nullptr) return keep(parent, out);
            decayRow(kind, parent, *factor, out);
          },
          [&](const LowRankRows& low) {
            const float* const factor = decayedBy(low.decay);
            if (factor != nullptr) return decayRow(kind, parent, *factor, out);
            addLowRank<Word>(low.factors, kind, row, firstColumn, parent, out);
          },
          [&](const WideFactors& wide) {
            addWideFactors(wide, kind, row, firstColumn, parent, out);
          },
          [&](const ReplayedMoment& moment) {
            predictSecondMoment(moment.step, words(0), words(1),
                                replayed(parent.data(), parent.size()), to);
          },
          [&](const ReplayedWeights& weights) {
            const std::span<const std::uint32_t> none;
            const bool hasSecond = usesSecondMoment(weights.step);
            const bool hasEarlier = usesEarlierMoment(weights.step);
            predictWeights(weights.step, replayed(parent.data(), parent.size()), words(0),
                           hasSecond ? words(1) : none, to,
                           hasEarlier ? words(hasSecond ? 2 : 1) : none);
          },
          [&](const ReplayedRowMoment& rows) {
            AdamStep step = rows.step;
            const float* const share = decayedBy(rows.shares);
            if (share != nullptr) step.squareShare = static_cast<double>(*share);
            predictSecondMoment(step, words(0), words(1), replayed(parent.data(), parent.size()),
                                to);
          },
          [&](const ReplayedRowWeights& rows) {
            const RowDrift own{rows.rates[row], rows.earlierRates[row], decayedBy(rows.shares)};
            predictRow(rows.step, own, replayed(parent.data(), parent.size()), words(0), words(1),
                       words(2), to);
          }},
      form);
}

template void Predictor::predict(FloatKind, std::uint64_t, std::uint64_t,
                                 std::span<const std::uint16_t>, FurtherWords<std::uint16_t>,
                                 std::uint16_t*) const;
template void Predictor::predict(FloatKind, std::uint64_t, std::uint64_t,
                                 std::span<const std::uint32_t>, FurtherWords<std::uint32_t>,
                                 std::uint32_t*) const;

template <typename Word>
Predictor findDecay(const PartShape& shape, FloatKind kind, std::span<const Word> parent,
                    std::span<const Word> words) {
  if (shape.rows < 2 || shape.columns < 8) return {};
  DecayedRows found = DecaySearch<Word>(shape, kind, parent, words).run();
  return found.palette.empty() ? Predictor{} : Predictor{std::move(found)};
}

template Predictor findDecay(const PartShape&, FloatKind, std::span<const std::uint16_t>,
                             std::span<const std::uint16_t>);
template Predictor findDecay(const PartShape&, FloatKind, std::span<const std::uint32_t>,
                             std::span<const std::uint32_t>);

Predictor predictorOf(LowRankFactors factors) {
  if (factors.rank == 0) return {};
  return {LowRankRows{.factors = std::move(factors)}};
}

Predictor predictorOf(WideFactors factors) {
  if (factors.rank == 0) return {};
  return {std::move(factors)};
}

}  // namespace strata
