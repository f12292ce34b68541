#include "core/archive/write/counterparts.h"

#include <iterator>
#include <utility>

#include "core/archive/layout.h"

namespace strata {

std::vector<ParentTensor> parentTensors(const Manifest& manifest) {
  std::vector<ParentTensor> tensors;
  tensors.reserve(manifest.tensors.size());
  for (const ManifestTensor& tensor : manifest.tensors) {
    ParentTensor out;
    out.name = tensor.name;
    out.type = tensor.type;
    out.shape = tensor.shape;
    out.file = tensor.file;
    out.offset = tensor.offset;
    out.checksum = tensor.checksum;
    if (const auto layout = layoutOf(tensor)) out.byteCount = layout->byteCount;
    tensors.push_back(std::move(out));
  }
  return tensors;
}

Counterparts::Counterparts(std::span<const ParentTensor> tensors) {
  for (const ParentTensor& tensor : tensors) byName_.emplace(tensor.name, &tensor);
}

std::optional<PartView> Counterparts::of(const TensorInfo& tensor) const {
  const auto [first, end] = byName_.equal_range(tensor.name);
  // Several files may have tensors of one name: which is which is not known then.
  if (first == end || std::next(first) != end || tensor.byteCount == 0) return std::nullopt;
  const ParentTensor& other = *first->second;
  const bool isAlike = other.type == tensor.type && other.shape == tensor.shape &&
                       other.byteCount == tensor.byteCount;
  if (!isAlike) return std::nullopt;
  return PartView{.offset = other.offset, .file = other.file, .type = tensor.type};
}

}  // namespace strata
