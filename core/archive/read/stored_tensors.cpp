#include "core/archive/read/stored_tensors.h"

#include <algorithm>

#include "core/model/many_tensors.h"

namespace strata {

Result<StoredTensors> StoredTensors::make(const TensorList& tensors) {
  StoredTensors out;
  out.tensors_ = &tensors;
  const bool keepsAll = tensors.size() < kManyTensors;
  std::uint32_t number = 0;
  for (const ManifestTensor& tensor : tensors) {
    STRATA_TRY(TensorLayout layout, layoutOf(tensor));
    if (keepsAll || layout.parts.size() > 1) {
      out.kept_.emplace_back(number, StoredTensor{tensor, std::move(layout)});
    }
    ++number;
  }
  return out;
}

StoredTensors::Held StoredTensors::operator[](std::size_t tensor) const {
  if (kept_.size() == tensors_->size()) return Held(&kept_[tensor].second);
  const auto kept =
      std::ranges::lower_bound(kept_, tensor, {}, [](const auto& one) { return one.first; });
  if (kept != kept_.end() && kept->first == tensor) return Held(&kept->second);
  StoredTensor made;
  tensors_->read(tensor, made.info);
  made.layout = *layoutOf(made.info);  // it was sound when all were checked
  return Held(std::move(made));
}

}  // namespace strata
