#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/search/linear_belief.h"
#include "core/search/search.h"

namespace strata {

/// Something about settings that a search varies in whole notches; 0 is where it starts.
struct Knob {
  std::string what;  ///< "rank of the matrices"
  int least = 0;
  int most = 0;
  /// Only one knob of a family is turned at a time; 0: none.
  unsigned family = 0;
  /// By how many notches it is turned to see what it does, before what is known leads anywhere: for
  /// what differs much from model to model. 0: not at all.
  int probe = 0;
  /// For steps of a kind of tensor: the logarithm of the factor of a notch; else 0.
  double stepNotch = 0;
  LinearBelief::Prior bytes = {};  ///< what a notch does to the logarithm of bytes, beforehand
  LinearBelief::Prior loss = {};   ///< and to that of the divergence
  std::function<void(QuantizeSettings&, int notches)> turn;
};

/// The knobs of a model's settings. `start` is spelt out by withKindRules(); `hasScore` tells
/// whether there is more to go by than errors of weights.
std::vector<Knob> knobsOf(const QuantizeSettings& start, const SearchOptions& options,
                          bool hasScore);

/// `start` with all `knobs` turned; notches[k] is that of knobs[k].
QuantizeSettings turned(const QuantizeSettings& start, const std::vector<Knob>& knobs,
                        const std::vector<int>& notches);

/// What was turned: "rank of the matrices -1, gain +2"; "as given" where nothing was.
std::string turnText(const std::vector<Knob>& knobs, const std::vector<int>& notches);

}  // namespace strata
