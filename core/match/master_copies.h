#pragma once

#include <cstdint>
#include <vector>

#include "core/model/model_source.h"

namespace strata {

/// Weights of 16 bits, and the f32 words of the same model that they seem to be rounded from: the
/// copy that an optimizer works on. Indices of ModelDescription::tensors.
struct MasterCopy {
  std::uint32_t weights = 0;
  std::uint32_t master = 0;

  friend bool operator==(const MasterCopy&, const MasterCopy&) = default;
};

/// Finds weights in bf16 and f16 that a trainer keeps a finer copy of, in the order of the weights.
/// Names differ from trainer to trainer, so some words of each tensor are compared, rounded, and
/// nothing else: who relies on the others checks them (isRoundedFrom()). Of several alike, as of
/// weights that are all 1, the first goes with the first. Takes time linear in the number of
/// tensors but for sorting.
std::vector<MasterCopy> findMasters(const ModelDescription& model);

/// Whether each word of the weights is that of the master, rounded as castWords() does.
bool isRoundedFrom(const ModelDescription& model, const MasterCopy& copy);

}  // namespace strata
