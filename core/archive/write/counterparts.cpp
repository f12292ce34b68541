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
    ParentTensor& out = tensors.emplace_back();
    out.name = manifest.tensors.nameOf(tensors.size() - 1);
    out.type = tensor.type;
    out.file = tensor.file;
    out.offset = tensor.offset;
    out.checksum = tensor.checksum;
    if (const auto layout = layoutWithoutParts(tensor)) out.matrix = layout->matrix;
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
std::optional<std::uint32_t> Counterparts::named(const TensorInfo& tensor) const {
  const auto from = [&](const NameInFile& key) {
    return std::ranges::lower_bound(byName_, key, {},
                                    [this](std::uint32_t index) { return keyOf(index); });
  };
  // The first one, where the next one is no other such.
  const auto only = [&](auto first, const auto& isOne) -> std::optional<std::uint32_t> {
    const auto next = std::next(first);
    return next == byName_.end() || !isOne(*next) ? std::optional(*first) : std::nullopt;
  };
  const NameInFile key(tensor.name, model_.files[tensor.file].path);
  if (const auto same = from(key); same != byName_.end() && keyOf(*same) == key) {
    return only(same, [&](std::uint32_t index) { return keyOf(index) == key; });
  }
  const auto isNamed = [&](std::uint32_t index) { return tensors_[index].name == tensor.name; };
  const auto first = from(NameInFile(tensor.name, {}));
  return first == byName_.end() || !isNamed(*first) ? std::nullopt : only(first, isNamed);
}

std::optional<PartView> Counterparts::of(const TensorInfo& tensor) const {
  const auto index = tensor.byteCount == 0 ? std::nullopt : named(tensor);
  if (!index) return std::nullopt;
  const ManifestTensor other = base_->tensors[*index];
  if (other.type != tensor.type || other.shape != tensor.shape) return std::nullopt;
  return PartView{.offset = other.offset, .file = other.file, .type = tensor.type};
}

}  // namespace strata
