#include "core/archive/read/tensor_layouts.h"

#include <algorithm>

namespace strata {

Result<TensorLayouts> TensorLayouts::make(std::span<const ManifestTensor> tensors) {
  TensorLayouts out;
  out.tensors_ = tensors;
  for (std::uint32_t t = 0; t < tensors.size(); ++t) {
    STRATA_TRY(TensorLayout layout, layoutOf(tensors[t]));
    if (layout.parts.size() > 1) out.kept_.emplace_back(t, std::move(layout));
  }
  return out;
}

TensorLayouts::Layout TensorLayouts::operator[](std::size_t tensor) const {
  // It was sound when all were checked.
  if (tensors_[tensor].parts.size() < 2) return Layout(*layoutOf(tensors_[tensor]));
  return Layout(&std::ranges::lower_bound(kept_, tensor, {}, [](const auto& one) {
                   return one.first;
                 })->second);
}

}  // namespace strata
