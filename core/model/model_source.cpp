#include "core/model/model_source.h"

#include <functional>
#include <numeric>

namespace strata {

std::uint64_t elementCount(const TensorInfo& tensor) noexcept {
  return std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::uint64_t{1},
                         std::multiplies<>());
}

}  // namespace strata
