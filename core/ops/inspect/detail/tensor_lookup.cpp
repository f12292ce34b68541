#include "core/ops/inspect/detail/tensor_lookup.h"

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
    if (const ViewedTensor* const one = findInFile(name)) return one;
    std::vector<std::string> known;
    for (const ViewedTensor& tensor : view_.tensors()) known.push_back(tensor.name);
    return fail(ErrorCode::NotFound, fmt::format("none of its {} tensors is called {}{}",
                                                 known.size(), name, didYouMean(name, known)));
  }
  const auto [low, high] = std::minmax_element(
      first, end, [](const auto& a, const auto& b) { return a.second->file < b.second->file; });
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{0} of its tensors are called {1}, the first in {2}, the last in {3}; "
                          "{2}:{1} means that of one file",
                          count, name, view_.files()[low->second->file].path,
                          view_.files()[high->second->file].path));
}

/// Of "FILE:NAME"; null where that is not one tensor.
const ViewedTensor* TensorLookup::findInFile(const std::string& name) const {
  const ViewedTensor* found = nullptr;
  for (std::size_t at = name.find(':'); at != std::string::npos; at = name.find(':', at + 1)) {
    const std::string_view file = std::string_view(name).substr(0, at);
    const auto [first, end] = tensors_.equal_range(std::string_view(name).substr(at + 1));
    for (auto it = first; it != end; ++it) {
      if (view_.files()[it->second->file].path != file) continue;
      if (found != nullptr) return nullptr;
      found = it->second;
    }
  }
  return found;
}

}  // namespace strata
