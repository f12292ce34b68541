#include "core/store/tensor_state.h"

#include "core/checked_math.h"
#include "core/codec/codec.h"
#include "core/model/element_type.h"

namespace strata {

std::string_view name(TensorState state) noexcept {
  switch (state) {
    case TensorState::Same:
      return "same";
    case TensorState::Changed:
      return "changed";
    case TensorState::New:
      return "new";
  }
  return "new";
}

TensorState tensorState(const archive::Tensor& tensor) noexcept {
  bool isSame = tensor.parts_size() > 0;
  bool hasParent = false;
  for (const archive::Part& part : tensor.parts()) {
    const bool fromParent = part.has_view() && !part.view().own();
    hasParent = hasParent || fromParent;
    isSame = isSame && fromParent && part.codec() == static_cast<std::uint32_t>(CodecId::Same);
  }
  if (isSame) return TensorState::Same;
  // Measured against a counterpart alone.
  const bool isMeasured = tensor.changed() > 0;
  return hasParent || isMeasured ? TensorState::Changed : TensorState::New;
}

std::uint64_t byteCount(const archive::Tensor& tensor) noexcept {
  const auto type = elementTypeFromStored(tensor.type());
  std::uint64_t elements = 1;
  for (const std::uint64_t dimension : tensor.shape()) {
    const auto product = checkedMultiply(elements, dimension);
    if (!product) return 0;
    elements = *product;
  }
  return type ? bytesOfElements(*type, elements).value_or(0) : 0;
}

}  // namespace strata
