#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/archive/write/part_encoder.h"
#include "core/match/optimizer_pairs.h"

namespace strata {

/// Pruning of weights' changes and of an optimizer's moments together, as ExCP does it (ICML 2024,
/// arXiv 2406.11257). Each rule takes one figure for a tensor:
/// - a change goes where it is at most alpha / root of the mean second moment, but 2.5 at most,
///   times the median size of the tensor's changes. Without second moments it is 2.5 medians;
/// - both moments of a word go where the first one's size is at most beta times its mean, or where
///   the weight's change went.
///
/// So a first moment is 0 wherever its second one is, which a trainer divides by. That needs both
/// to be quantized or none: where one has a value that is none to prune by (infinite, NaN, of 1024
/// or more, a second one below 0), both stay exact.
class JointPruning {
 public:
  /// What changes and moments are measured of; all but `pairs` are borrowed, also by choices.
  JointPruning(const ModelDescription& model, const ModelPlan& plan, const VersionReader* parent,
               std::span<const OptimizerPair> pairs);

  /// Puts what to prune by into the choices that ask for it, and reads the tensors that they are
  /// for. Fails as reading the parent does.
  Result<void> apply(std::vector<std::optional<LossyChoice>>& choices) const;

 private:
  struct Family {
    std::uint32_t weights = 0;
    std::optional<std::uint32_t> first;
    std::optional<std::uint32_t> second;
  };
  struct Bounds {
    std::optional<float> change;  ///< changes up to this go; nothing: all stay
    double first = 0;             ///< first moments up to this go
  };

  Result<void> applyTo(const Family& family,
                       std::vector<std::optional<LossyChoice>>& choices) const;
  bool isIdentical(std::uint32_t tensor) const;
  Result<float> medianChange(std::uint32_t weights) const;
  Result<void> keep(const Family& family, const Bounds& bounds, const PartPlan& part,
                    std::span<std::uint8_t> kept) const;
  Result<void> dropByChange(const PartPlan& weights, float bound, const PartPlan& part,
                            std::span<std::uint8_t> kept) const;

  const ModelDescription& model_;
  const ModelPlan& plan_;
  PartEncoder encoder_;
  std::vector<Family> families_;                                         ///< one for each weight
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> partsOf_;  ///< in the plan
};

}  // namespace strata
