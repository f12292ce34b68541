#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/search/search.h"

namespace strata::test {

/// How one kind of tensor answers to its settings in a landscape.
struct KindShape {
  double bytes = 0;       ///< stored at step 1
  double divergence = 0;  ///< at step 1
  double power = 2;       ///< bytes fall with step^-power
  unsigned bestRank = 0;  ///< a rank saves bytes up to this one
};

/// A model and an evaluator that are formulas: bytes and divergence as sums over kinds, a score on
/// a thousand samples that falls with the divergence and is as noisy as such a score is.
class Landscape final : public TrialSource {
 public:
  explicit Landscape(std::map<TensorKind, KindShape> shapes);

  std::size_t parallelism() const noexcept override { return parallelism_; }
  const Evaluation* reference() const noexcept override {
    return hasScore_ ? &reference_ : nullptr;
  }
  Result<Measured> measure(const QuantizeSettings& settings, bool wantsScore,
                           const std::stop_token& stop) override;

  struct Values {
    std::map<TensorKind, double> bytes;  ///< beside kOtherBytes
    double divergence = 0;
  };
  static constexpr double kOtherBytes = 2000;
  /// Without noise.
  Values at(const QuantizeSettings& settings) const;
  /// Of score, at a divergence, in the mean over ever so many samples.
  double expectedLoss(double divergence) const;
  std::vector<KindShare> kinds() const;
  /// Trials; sizes alone are none where there is a score.
  unsigned measured() const noexcept { return measured_; }

  bool hasScore_ = true;
  bool hasExpectedLoss_ = false;  ///< evaluations say what the score would lose without noise
  bool namesSamples_ = false;     ///< evaluations say which samples were right
  std::size_t samples_ = 0;       ///< which thousand samples are scored: a number for each
  /// Deviation of the logarithm of the divergence from setting to setting: each one draws the
  /// rounding anew. `draw_` numbers the world that it is drawn in.
  double noise_ = 0;
  unsigned draw_ = 0;
  double luck_ = 0;  ///< score that quantized models gain on these samples and on no others
  std::size_t parallelism_ = 1;
  /// Called before each trial with its number, from 1; an error is the measurement's.
  std::function<Result<void>(unsigned)> interfere_ = {};

 private:
  std::map<TensorKind, KindShape> shapes_;
  Evaluation reference_;
  std::atomic<unsigned> measured_ = 0;
};

/// A small transformer whose embeddings are worth much less quality per byte than the rest.
std::map<TensorKind, KindShape> transformer();
/// A convolutional net whose norms carry most of the loss.
std::map<TensorKind, KindShape> convolutionalNet();

}  // namespace strata::test
