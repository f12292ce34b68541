#pragma once

#include <optional>
#include <vector>

#include "core/codec/exact/delta_source.h"
#include "core/codec/predict/rank_glance.h"

namespace strata {

/// Chooses predictor, terms and kind of difference for one part with a parent. Word is
/// std::uint32_t for words of 4 bytes, else std::uint16_t.
template <typename Word>
class DeltaPlanner {
 public:
  /// Borrows the input and the device (see DeltaSource). `wish` limits the choice to one codec.
  DeltaPlanner(const EncodeInput& input, const DeltaEffort& effort, std::optional<CodecId> wish,
               DeviceEncoder* device);

  /// To be called once.
  DeltaPlan run();
  /// The same with a predictor that is known already. Of the two one is called, once.
  DeltaPlan runWith(Predictor predictor);
  /// After run(): ready to encode the plan.
  const DeltaSource<Word>& source() const noexcept { return source_; }

 private:
  bool isMatrix() const noexcept;
  std::vector<float> differences() const;
  bool searchAdapter(DeltaPlan& best);
  DeltaPlan quickPlan(Predictor decay);
  double mostBitsPerWord() const;
  Predictor fewRanks(const RankGlance& glance) const;
  void searchRank(DeltaPlan& best, std::span<const float> residual);
  DeltaPlan planWith(Predictor predictor);
  DeltaSample choiceSample() const noexcept;
  DeltaSample tableSample() const noexcept;
  ContextCounts countForTables(CodecId codec, const ScaleTerms& terms,
                               const PredictedWords<Word>& predicted) const;
  void tryXor(DeltaPlan& plan, const PredictedWords<Word>& predicted) const;
  double sampledBits(CodecId codec, const ScaleTerms& terms,
                     const PredictedWords<Word>& predicted) const;
  ScaleTerms chooseTerms(CodecId codec, const ScaleTerms& full,
                         const PredictedWords<Word>& predicted) const;

  const EncodeInput& input_;
  DeltaEffort effort_;
  std::optional<CodecId> wish_;
  unsigned shift_;
  DeltaSource<Word> source_;
};

}  // namespace strata
