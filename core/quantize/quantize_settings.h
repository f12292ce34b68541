#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/codec.h"
#include "core/model/model_source.h"

namespace strata {

/// Settings of one group of tensors; what is not set is taken from the rule before, then from the
/// defaults. Steps are in units of the root mean square of all
/// differences of the model to its parent.
struct QuantizeRule {
  std::string match = "*";              ///< glob over tensor names
  std::optional<TensorKind> kind = {};  ///< nothing: every kind
  std::optional<CodecId> codec = {};    ///< a lossy codec; Integer: exactly
  std::optional<double> step = {};
  std::optional<double> deadZone = {};
  std::optional<double> gain = {};
  std::optional<unsigned> patternLength = {};
  std::optional<unsigned> patternBasesLog2 = {};
  std::optional<unsigned> rank = {};
  std::optional<double> factorStep = {};
  std::optional<unsigned> levelCount = {};
  std::optional<double> pruneShare = {};
  std::optional<double> protectShare = {};
  std::optional<bool> bySensitivity = {};
  std::optional<bool> uniformLevels = {};
  std::optional<bool> publishedEntropy = {};
  std::optional<unsigned> bits = {};
  std::optional<bool> rowScales = {};
  std::optional<double> maxError = {};  ///< in value units, not relative
};

/// How far it is used that errors do not mean the same everywhere. What they mean is known from
/// gradients; where there are none, norms of the parent's weights stand in for them.
enum class Sensitivity {
  Auto,     ///< Tensors; without gradients that of convolutions alone
  None,     ///< not at all
  Tensors,  ///< in the steps of tensors
  Rows,     ///< also in weights of rows and columns
};

std::string_view name(Sensitivity sensitivity) noexcept;
std::optional<Sensitivity> sensitivityFromName(std::string_view name) noexcept;

/// How a model is quantized: the rules that match a tensor are applied in order, later ones win,
/// after those of defaultRules(). `stepScale` multiplies every step, and the length of patterns by
/// its square: the one number that a search bisects on.
struct QuantizeSettings {
  std::vector<QuantizeRule> rules;
  double stepScale = 1;
  Sensitivity sensitivity = Sensitivity::Auto;
  std::uint64_t seed = 1;
};

/// Where every tensor starts, before any rule: all fields that a search varies are set. Vectors
/// (norms, biases, tensors with fewer than 16 rows) take fine levels without scaling.
QuantizeRule startingRule(bool isMatrix);

/// What holds where no rule says otherwise: matrices as patterns with low rank in front, embeddings
/// as low rank alone (their rows are used one by one: noise does not average out), norms and biases
/// as finer levels without scaling, convolutions as short patterns with low rank.
std::vector<QuantizeRule> defaultRules();

}  // namespace strata
