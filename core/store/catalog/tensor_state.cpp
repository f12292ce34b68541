#include "core/store/catalog/tensor_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/archive/word_values.h"
#include "core/checked_math.h"
#include "core/codec/codec.h"
#include "core/model/element_type.h"

namespace strata {
namespace {

bool isPieceName(std::string_view name, std::string_view path, std::uint64_t offset) {
  return name == fmt::format("{}@{}", path, offset);
}

}  // namespace

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

TensorState tensorState(const ManifestTensor& tensor) noexcept {
  bool isSame = !tensor.parts.empty();
  bool hasParent = false;
  for (const ManifestPart& part : tensor.parts) {
    const bool fromParent = part.view && !part.view->own;
    hasParent = hasParent || fromParent;
    isSame = isSame && fromParent && part.codec == CodecId::Same;
  }
  if (isSame) return TensorState::Same;
  // Measured against a counterpart alone.
  const bool isMeasured = tensor.changed > 0;
  return hasParent || isMeasured ? TensorState::Changed : TensorState::New;
}

bool changeCountsIntegers(const Manifest& manifest) noexcept {
  if (manifest.changeLeftOut > 0 || manifest.relativeChange == 0) return false;
  return std::ranges::any_of(manifest.tensors, [](const ManifestTensor& tensor) {
    const bool isInteger = hasValues(tensor.type) && !hasDistance(tensor.type);
    return isInteger && tensorState(tensor) != TensorState::New;
  });
}

bool isPieceOfFile(const Manifest& manifest, const ManifestTensor& tensor) {
  if (tensor.type != ElementType::Bytes) return false;
  const std::string& path = manifest.files[tensor.file].path;
  return isPieceName(tensor.name, path, tensor.offset);
}

std::size_t tensorCount(const ModelDescription& model) {
  const auto pieces = std::ranges::count_if(model.tensors, [&](const TensorInfo& tensor) {
    return tensor.type == ElementType::Bytes &&
           isPieceName(tensor.name, model.files[tensor.file].path, tensor.offset);
  });
  return model.tensors.size() - static_cast<std::size_t>(pieces);
}

std::uint64_t byteCount(const ManifestTensor& tensor) noexcept {
  const auto type = elementTypeFromStored(static_cast<std::uint32_t>(tensor.type));
  std::uint64_t elements = 1;
  for (const std::uint64_t dimension : tensor.shape) {
    const auto product = checkedMultiply(elements, dimension);
    if (!product) return 0;
    elements = *product;
  }
  return type ? bytesOfElements(*type, elements).value_or(0) : 0;
}

}  // namespace strata
