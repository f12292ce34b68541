#include "core/ops/detail/tensor_lookup.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/suggest.h"

namespace strata {

TensorLookup::TensorLookup(const ModelView& view) : view_(view) {
  for (const ViewedTensor& tensor : view.tensors()) tensors_.emplace(tensor.name, &tensor);
}

Result<const ViewedTensor*> TensorLookup::find(const std::string& name) const {
  const auto [first, end] = tensors_.equal_range(name);
  const auto count = std::distance(first, end);
  if (count == 1) return first->second;
  if (count == 0) {
    std::vector<std::string> known;
    for (const ViewedTensor& tensor : view_.tensors()) known.push_back(tensor.name);
    return fail(ErrorCode::NotFound, fmt::format("none of its {} tensors is called {}{}",
                                                 known.size(), name, didYouMean(name, known)));
  }
  const auto [low, high] = std::minmax_element(
      first, end, [](const auto& a, const auto& b) { return a.second->file < b.second->file; });
  return fail(
      ErrorCode::InvalidArgument,
      fmt::format("{} of its tensors are called {}, the first in {}, the last in {}", count, name,
                  view_.files()[low->second->file].path, view_.files()[high->second->file].path));
}

}  // namespace strata
