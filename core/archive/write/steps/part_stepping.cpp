#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "core/archive/detail/part_check.h"
#include "core/archive/write/part_encoder.h"
#include "core/codec/exact/delta_words.h"
#include "core/codec/predict/fit_drift.h"
#include "core/codec/predict/fit_rows.h"

namespace strata {
namespace {

/// Pieces of a part that candidates are tried on, of kChunkWords at most.
constexpr std::uint64_t kTriedPieces = 8;
/// Least columns of a part whose rows are looked at one by one.
constexpr std::uint64_t kLeastRowColumns = 32;

Predictor predictorOf(const StepGroup& group, const PartPlan& part, const AdamStep& step) {
  if (part.tensor == group.weights) return {ReplayedWeights{step}};
  if (part.tensor == group.firstMoment) {
    // What is left of the moment before; the gradient, the rest, nobody knows.
    return {DecayedRows{{static_cast<float>(step.beta1)},
                        std::vector<std::uint8_t>(part.shape().rows, std::uint8_t{1})}};
  }
  return {ReplayedMoment{step}};
}

/// The step as a reader has it, or nothing where none would take it.
std::optional<AdamStep> asStored(const AdamStep& step) {
  ByteWriter out;
  writeAdamStep(out, step);
  ByteReader in(out.view());
  return readAdamStep(in);
}

using StepWords = std::span<const std::uint32_t>;

StepWords stepWordsOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const std::uint32_t*>(bytes.data()), bytes.size() / 4};
}

/// Sources of weights that the rates of rows are fitted by.
constexpr std::size_t kRowWeightSources = 5;

/// What each row of the part says of several steps, where the step stands for such.
std::optional<Predictor> rowPredictorOf(const PartPlan& part, const AdamStep& step, StepWords words,
                                        std::span<const StepWords> sources) {
  if (!usesEarlierMoment(step) || part.shape().rows < 2 ||
      part.shape().columns < kLeastRowColumns) {
    return std::nullopt;
  }
  if (part.tensor == part.group->weights) {
    if (sources.size() < kRowWeightSources) return std::nullopt;
    return Predictor{fitRowWeights(step, part.shape(),
                                   {.m0 = sources[3],
                                    .m1 = sources[1],
                                    .v0 = sources[4],
                                    .v1 = sources[2],
                                    .w0 = sources[0],
                                    .w1 = words})};
  }
  if (part.tensor != part.group->secondMoment) return std::nullopt;
  DecayedRows shares = fitRowShares(
      step, part.shape(),
      {.m0 = sources[1], .m1 = sources[2], .v0 = sources[0], .v1 = words, .w0 = {}, .w1 = {}});
  if (shares.factors.empty()) return std::nullopt;
  return Predictor{ReplayedRowMoment{step, std::move(shares)}};
}

/// Bits of what a sample of the part's words differs by from their prediction, and of the
/// predictor, a word.
double bitsOf(const Predictor& predictor, const PartShape& shape, StepWords words,
              std::span<const StepWords> sources) {
  const DeltaWords<std::uint32_t> plain(shape, 0, false);
  std::vector<const std::uint32_t*> further;
  for (const StepWords& source : sources.subspan(1)) further.push_back(source.data());
  std::vector<std::uint32_t> predicted(std::min<std::size_t>(kChunkWords, words.size()));
  const std::size_t step = std::max<std::size_t>(predicted.size(), words.size() / kTriedPieces + 1);
  std::size_t tried = 0;
  std::size_t bits = 0;
  for (std::size_t at = 0; at < words.size(); at += step) {
    const std::size_t n = std::min(predicted.size(), words.size() - at);
    std::ranges::copy(sources[0].subspan(at, n), predicted.begin());
    plain.predict(predictor, at, predicted.data(), n, {further, at});
    tried += n;
    bits += differenceBits(std::span(predicted).first(n), words.subspan(at, n));
  }
  ByteWriter written;
  writePredictor(written, predictor);
  return static_cast<double>(bits) / static_cast<double>(tried) +
         8.0 * static_cast<double>(written.size()) / static_cast<double>(words.size());
}

/// Some thousand words of a part and of its sources, from many rows.
class StepPieces {
 public:
  StepPieces(StepWords words, std::span<const StepWords> sources) {
    const std::size_t piece = std::min<std::size_t>(kPieceWords, words.size());
    const std::size_t step = std::max(piece, words.size() / kPieceCount);
    for (std::size_t at = 0; at + piece <= words.size(); at += step) {
      append(0, words, at, piece);
      for (std::size_t s = 0; s < sources.size(); ++s) append(s + 1, sources[s], at, piece);
    }
  }

  /// The drift fitted anew to these words: those of the weights, or of the second moment.
  AdamStep refitted(AdamStep drift, bool areWeights) const {
    if (areWeights) {
      fitWeightRates({.m0 = lists_[4],
                      .m1 = lists_[2],
                      .v0 = {},
                      .v1 = lists_[3],
                      .w0 = lists_[1],
                      .w1 = lists_[0]},
                     drift);
    } else {
      fitSquareShare(
          {.m0 = lists_[2], .m1 = lists_[3], .v0 = lists_[1], .v1 = lists_[0], .w0 = {}, .w1 = {}},
          drift);
    }
    return drift;
  }

 private:
  static constexpr std::size_t kPieceWords = 64;
  static constexpr std::size_t kPieceCount = 512;

  void append(std::size_t list, StepWords from, std::size_t at, std::size_t count) {
    const StepWords piece = from.subspan(at, count);
    lists_[list].insert(lists_[list].end(), piece.begin(), piece.end());
  }

  /// The words, then those of each source.
  std::array<std::vector<std::uint32_t>, kRowWeightSources + 1> lists_;
};

/// Predictions by the steps of the part's group; drifts as they are, and fitted to the part alone.
std::vector<Predictor> candidatesOf(const PartPlan& part, StepWords words,
                                    std::span<const StepWords> sources) {
  std::vector<AdamStep> steps = part.group->steps;
  const bool areWeights = part.tensor == part.group->weights;
  const std::size_t needed = areWeights ? 4 : 3;
  const std::size_t count = steps.size();
  std::optional<StepPieces> pieces;  // the same for all drifts
  for (std::size_t i = 0; i < count; ++i) {
    if (!usesEarlierMoment(steps[i]) || sources.size() < needed) continue;
    if (!pieces) pieces.emplace(words, sources);
    steps.push_back(pieces->refitted(steps[i], areWeights));
  }
  std::vector<Predictor> predictors;
  for (const AdamStep& step : steps) {
    const auto stored = asStored(step);
    if (!stored) continue;
    predictors.push_back(predictorOf(*part.group, part, *stored));
    auto byRows = rowPredictorOf(part, *stored, words, sources);
    if (byRows) predictors.push_back(*std::move(byRows));
  }
  return predictors;
}

}  // namespace

Result<std::vector<std::vector<std::byte>>> PartEncoder::loadStepSources(
    const PartPlan& part) const {
  std::vector<std::vector<std::byte>> sources;
  for (const PartView& view : part.stepSources.view()) {
    std::vector<std::byte>& words = sources.emplace_back(part.shape().byteCount());
    STRATA_TRY(gatherView(sourceOf(view), view, part.shape(), part.type, words));
  }
  return sources;
}

/// A part by the likeliest step of its group; nothing where none predicts its words better than
/// those of the parent do.
Result<std::optional<EncodedPart>> PartEncoder::encodeStep(const PartPlan& part,
                                                           const Loaded& loaded,
                                                           const SharedTableChoice& shared) const {
  using Stepped = std::optional<EncodedPart>;
  if (wish_ && *wish_ != CodecId::Integer && *wish_ != CodecId::Xor) return Stepped();
  STRATA_TRY(const auto sources, loadStepSources(part));
  std::vector<StepWords> words;
  for (const auto& source : sources) words.push_back(stepWordsOf(source));
  const StepWords wanted = stepWordsOf(loaded.words);
  Predictor best;
  double bestBits = bitsOf(best, part.shape(), wanted, std::span(words).first(1));
  for (Predictor& predictor : candidatesOf(part, wanted, words)) {
    if (predictor.sourceCount() > sources.size()) continue;
    const double bits =
        bitsOf(predictor, part.shape(), wanted, std::span(words).first(predictor.sourceCount()));
    if (bits >= bestBits) continue;
    best = std::move(predictor);
    bestBits = bits;
  }
  if (best.isNone()) return Stepped();
  const std::size_t count = best.sourceCount();
  const std::vector<std::span<const std::byte>> further(
      sources.begin() + 1, sources.begin() + static_cast<std::ptrdiff_t>(count));
  const EncodeInput input{part.shape(), loaded.words, sources.front(), further};
  PlannedDelta planned = encodeReplay(input, deltaEffort(), wish_, std::move(best));
  EncodedPart out{.codec = planned.plan.codec, .payload = std::move(planned.payload)};
  out.stepSources = count;
  if (auto verified = checkDecodes(input, input.words, out, shared.all); !verified) {
    return fail(verified.error().within("verifying tensor " + model_.tensors[part.tensor].name));
  }
  out.change = measureChange(part.type, input.parent, input.words);
  return Stepped(std::move(out));
}

}  // namespace strata
