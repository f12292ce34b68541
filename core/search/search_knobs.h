#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/search/linear_belief.h"
#include "core/search/search.h"

namespace strata {

/// Kinds of tensors whose steps are varied together.
struct KindGroup {
  std::string what;  ///< "attention"
  std::vector<TensorKind> kinds;
  double share = 0;  ///< of the bytes that can be quantized
};

/// Something about settings that a search varies in whole notches; 0 is where it starts.
struct Knob {
  std::string what;                      ///< "rank of the matrices"
  std::vector<std::size_t> groups = {};  ///< that it acts on
  int least = 0;
  int most = 0;
  /// Only one knob of a family is turned at a time; 0: none.
  unsigned family = 0;
  /// By how many notches it is turned to see what it does, before what is known leads anywhere: for
  /// what differs much from model to model. 0: not at all.
  int probe = 0;
  bool changesCodec = false;  ///< of the matrices: reaches sizes that no multiplier reaches
  /// For the step of a group: the logarithm of the factor of a notch; else 0.
  double stepNotch = 0;
  /// What a notch is believed to do to the logarithm of its groups' bytes, and to that of their
  /// part of the divergence, before it is turned; nothing for steps, which act as powers.
  LinearBelief::Prior bytes = {};
  LinearBelief::Prior loss = {};
  /// What the square of its notches does to the loss, for a knob that has a best place.
  LinearBelief::Prior curve = {0, 0};
  std::function<void(QuantizeSettings&, int notches)> turn;
};

struct KnobSpace {
  std::vector<KindGroup> groups;  ///< every kind of the model is in one
  std::vector<Knob> knobs;
};

/// The knobs of a model's settings. `start` is spelt out by withKindRules(); `hasScore` tells
/// whether there is more to go by than errors of weights.
KnobSpace knobsOf(const QuantizeSettings& start, const SearchOptions& options, bool hasScore);

/// `start` with all `knobs` turned; notches[k] is that of knobs[k].
QuantizeSettings turned(const QuantizeSettings& start, const std::vector<Knob>& knobs,
                        const std::vector<int>& notches);

/// What was turned: "rank of the matrices -1, gain +2"; "as given" where nothing was.
std::string turnText(const std::vector<Knob>& knobs, const std::vector<int>& notches);

}  // namespace strata
