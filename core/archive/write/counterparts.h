#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/archive/manifest.h"
#include "core/match/matcher.h"
#include "core/model/model_source.h"

namespace strata {

/// A stored version's tensors as the matcher sees them, with names of the manifest.
std::vector<ParentTensor> parentTensors(const Manifest& manifest);

/// Finds the base's tensor of a tensor's name, shape and type. Where the base has several of one
/// name, as a checkpoint that holds its weights twice, it is the one in the file of the same path.
class Counterparts {
 public:
  /// All are borrowed. `tensors` are those of `base`; there are none where that is null.
  Counterparts(std::span<const ParentTensor> tensors, const Manifest* base,
               const ModelDescription& model);

  /// Of a tensor of the model.
  std::optional<PartView> of(const TensorInfo& tensor) const;

 private:
  using NameInFile = std::pair<std::string_view, std::string_view>;  ///< and the file's path

  NameInFile keyOf(std::uint32_t index) const;
  std::optional<std::uint32_t> named(const TensorInfo& tensor) const;

  const ModelDescription& model_;
  std::span<const ParentTensor> tensors_;
  const Manifest* base_;
  std::vector<std::uint32_t> byName_;  ///< numbers of tensors, in the order of their keys
};

}  // namespace strata
