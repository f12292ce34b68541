#include "core/model/model_source.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

namespace strata {
namespace {

/// By TensorKind.
constexpr std::array<std::string_view, 11> kKindNames = {
    "other", "embedding", "attention",    "linear",        "convolution", "norm",
    "bias",  "head",      "first moment", "second moment", "optimizer"};

}  // namespace

std::string_view name(TensorKind kind) noexcept {
  const auto index = static_cast<std::size_t>(kind);
  return index < kKindNames.size() ? kKindNames[index] : kKindNames.front();
}

std::optional<TensorKind> tensorKindFromName(std::string_view name) noexcept {
  const auto found = std::find(kKindNames.begin(), kKindNames.end(), name);
  if (found == kKindNames.end()) return std::nullopt;
  return static_cast<TensorKind>(found - kKindNames.begin());
}

std::span<const std::byte> bytesOf(const ModelDescription& model,
                                   const TensorInfo& tensor) noexcept {
  return model.files[tensor.file].bytes.of(tensor.offset, tensor.byteCount);
}

std::uint64_t elementCount(const TensorInfo& tensor) noexcept {
  return std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::uint64_t{1},
                         std::multiplies<>());
}

}  // namespace strata
