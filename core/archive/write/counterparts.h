#pragma once

#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string_view>

#include "core/archive/manifest.h"
#include "core/match/matcher.h"
#include "core/model/model_source.h"

namespace strata {

/// Finds the base's tensor of a tensor's name, shape and type.
class Counterparts {
 public:
  /// `tensors` are the base's, and borrowed.
  explicit Counterparts(std::span<const ParentTensor> tensors) {
    for (const ParentTensor& tensor : tensors) byName_.emplace(tensor.name, &tensor);
  }

  std::optional<PartView> of(const TensorInfo& tensor) const {
    const auto [first, end] = byName_.equal_range(tensor.name);
    // Several files may have tensors of one name: which is which is not known then.
    if (first == end || std::next(first) != end || tensor.byteCount == 0) return std::nullopt;
    const ParentTensor& other = *first->second;
    const bool isAlike = other.type == tensor.type && other.shape == tensor.shape &&
                         other.byteCount == tensor.byteCount;
    if (!isAlike) return std::nullopt;
    return PartView{.offset = other.offset, .file = other.file, .type = tensor.type};
  }

 private:
  std::multimap<std::string_view, const ParentTensor*> byName_;
};

}  // namespace strata
