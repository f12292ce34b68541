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

Counterparts::Counterparts(std::span<const ParentTensor> tensors, const Manifest* base,
                           const ModelDescription& model)
    : model_(model) {
  if (base == nullptr) return;
  for (const ParentTensor& tensor : tensors) {
    byName_.emplace(NameInFile(tensor.name, base->files[tensor.file].path), &tensor);
  }
}

/// Nothing where it is not known which of several it is.
const ParentTensor* Counterparts::named(const TensorInfo& tensor) const {
  const NameInFile key(tensor.name, model_.files[tensor.file].path);
  if (const auto same = byName_.lower_bound(key); same != byName_.end() && same->first == key) {
    const auto next = std::next(same);
    return next == byName_.end() || next->first != key ? same->second : nullptr;
  }
  const auto first = byName_.lower_bound(NameInFile(tensor.name, {}));
  if (first == byName_.end() || first->first.first != tensor.name) return nullptr;
  const auto next = std::next(first);
  const bool isOnly = next == byName_.end() || next->first.first != tensor.name;
  return isOnly ? first->second : nullptr;
}

std::optional<PartView> Counterparts::of(const TensorInfo& tensor) const {
  const ParentTensor* const other = tensor.byteCount == 0 ? nullptr : named(tensor);
  if (other == nullptr) return std::nullopt;
  const bool isAlike = other->type == tensor.type && other->shape == tensor.shape &&
                       other->byteCount == tensor.byteCount;
  if (!isAlike) return std::nullopt;
  return PartView{.offset = other->offset, .file = other->file, .type = tensor.type};
}

}  // namespace strata
