#include "core/archive/write/counterparts.h"

#include <algorithm>
#include <iterator>
#include <numeric>
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
    : model_(model), tensors_(tensors), base_(base) {
  if (base == nullptr) return;
  byName_.resize(tensors.size());
  std::iota(byName_.begin(), byName_.end(), 0U);
  std::ranges::stable_sort(byName_, {}, [this](std::uint32_t index) { return keyOf(index); });
}

Counterparts::NameInFile Counterparts::keyOf(std::uint32_t index) const {
  const ParentTensor& tensor = tensors_[index];
  return {tensor.name, base_->files[tensor.file].path};
}

/// Nothing where it is not known which of several it is.
const ParentTensor* Counterparts::named(const TensorInfo& tensor) const {
  const auto from = [&](const NameInFile& key) {
    return std::ranges::lower_bound(byName_, key, {},
                                    [this](std::uint32_t index) { return keyOf(index); });
  };
  // The first one, where the next one is no other such.
  const auto only = [&](auto first, const auto& isOne) -> const ParentTensor* {
    const auto next = std::next(first);
    return next == byName_.end() || !isOne(*next) ? &tensors_[*first] : nullptr;
  };
  const NameInFile key(tensor.name, model_.files[tensor.file].path);
  if (const auto same = from(key); same != byName_.end() && keyOf(*same) == key) {
    return only(same, [&](std::uint32_t index) { return keyOf(index) == key; });
  }
  const auto isNamed = [&](std::uint32_t index) { return tensors_[index].name == tensor.name; };
  const auto first = from(NameInFile(tensor.name, {}));
  return first == byName_.end() || !isNamed(*first) ? nullptr : only(first, isNamed);
}

std::optional<PartView> Counterparts::of(const TensorInfo& tensor) const {
  const ParentTensor* const other = tensor.byteCount == 0 ? nullptr : named(tensor);
  if (other == nullptr) return std::nullopt;
  const bool isAlike = other->type == tensor.type &&
                       std::ranges::equal(other->shape, tensor.shape) &&
                       other->byteCount == tensor.byteCount;
  if (!isAlike) return std::nullopt;
  return PartView{.offset = other->offset, .file = other->file, .type = tensor.type};
}

}  // namespace strata
