#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/archive/layout.h"
#include "core/archive/manifest.h"
#include "core/result.h"

namespace strata {

/// The layouts of a version's tensors. There may be a million tensors of one part each: their
/// layouts are worked out when they are asked for. Those of tensors with more parts are kept.
class TensorLayouts {
 public:
  /// A layout that is kept, or one that was made for who asked.
  class Layout {
   public:
    explicit Layout(const TensorLayout* kept) : kept_(kept) {}
    explicit Layout(TensorLayout made) : made_(std::move(made)) {}

    const TensorLayout& operator*() const noexcept { return kept_ != nullptr ? *kept_ : made_; }
    const TensorLayout* operator->() const noexcept { return &**this; }

   private:
    const TensorLayout* kept_ = nullptr;
    TensorLayout made_;
  };

  TensorLayouts() = default;
  /// Checks all layouts. `tensors` are borrowed. Fails as layoutOf() does.
  static Result<TensorLayouts> make(std::span<const ManifestTensor> tensors);

  /// That of one of the tensors.
  Layout operator[](std::size_t tensor) const;

 private:
  std::span<const ManifestTensor> tensors_;
  std::vector<std::pair<std::uint32_t, TensorLayout>> kept_;  ///< by the number of the tensor
};

}  // namespace strata
