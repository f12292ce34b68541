#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/search/additive_belief.h"
#include "core/search/nearby_belief.h"
#include "core/search/search_knobs.h"
#include "core/search/trial.h"
#include "core/search/trial_gate.h"

namespace strata {

/// A setting as a search sees it: the logarithm of its multiplier, and its knobs.
struct SearchPoint {
  double scale = 0;
  std::vector<int> notches;
};

/// A point that was tried; numbers are logarithms.
struct SeenPoint {
  SearchPoint point;
  const Trial* trial = nullptr;
  double bytes = 0;
  double loss = 0;  ///< the smooth one: divergence, else the squared error of the weights
  bool passes = false;

  bool isMeasured() const noexcept { return trial->failure.empty(); }
};

/// A point whose bytes alone were measured.
struct SizedPoint {
  SearchPoint point;
  Measured measured;
};

SeenPoint seenPoint(SearchPoint point, const Trial& trial, bool passes);

/// What is believed of points around one, from all that were tried: bytes of each group of tensors
/// are known one by one and follow its own settings, of the loss only the sum over groups.
class SearchBeliefs {
 public:
  struct Guess {
    double bytes = 0;  ///< logarithms
    double loss = 0;
    double deviation = 0;  ///< of the loss that a trial would measure
    double noise = 0;      ///< the part of it that is not for want of knowledge
  };

  /// `origin` is the point to be right about. `expected` are to be tried at the same time: taken to
  /// lose what was guessed of them. `space` must outlive it.
  SearchBeliefs(const KnobSpace& space, const SeenPoint& origin, std::span<const SeenPoint> seen,
                std::span<const SizedPoint> sized, std::span<const SeenPoint> expected,
                const TrialGate& gate, bool isNoisy);

  Guess guess(const SearchPoint& point) const;
  /// Whether a trial of one tells much of the other.
  bool areAlike(const SearchPoint& a, const SearchPoint& b) const;

 private:
  AdditiveBelief::Place placeOf(const SearchPoint& point) const;
  double weightOf(const AdditiveBelief::Place& place) const;
  std::vector<double> nearness(const AdditiveBelief::Place& place) const;
  std::vector<double> byteFeatures(std::size_t group, const AdditiveBelief::Place& place) const;
  void learnBytes(std::span<const SeenPoint> seen, std::span<const SizedPoint> sized);
  void learnLosses(std::span<const SeenPoint> seen, std::span<const SeenPoint> expected,
                   const TrialGate& gate);

  const KnobSpace& space_;
  SeenPoint origin_;
  bool isNoisy_;
  std::vector<double> groupBytes_;                ///< of the origin
  double otherBytes_ = 0;                         ///< likewise, of no group
  std::vector<std::vector<std::size_t>> acting_;  ///< by group: its knobs but for its step
  std::vector<std::size_t> curved_;               ///< knobs whose squares count, too
  std::vector<LinearBelief> bytes_;               ///< by group
  std::optional<AdditiveBelief> losses_;
  NearbyBelief misfit_;  ///< of the losses
};

}  // namespace strata
