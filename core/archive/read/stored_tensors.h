#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/archive/layout.h"
#include "core/archive/manifest.h"
#include "core/result.h"

namespace strata {

/// A tensor of a version, and its layout.
struct StoredTensor {
  ManifestTensor info;
  TensorLayout layout;
};

/// The tensors of a version as its reader asks for them again and again. Those of most models are
/// kept. Of very many tensors, those of one part are worked out when they are asked for.
class StoredTensors {
 public:
  /// A tensor that is kept, or one that was made for who asked.
  class Held {
   public:
    explicit Held(const StoredTensor* kept) : kept_(kept) {}
    explicit Held(StoredTensor made) : made_(std::move(made)) {}

    const StoredTensor& operator*() const noexcept { return kept_ != nullptr ? *kept_ : made_; }
    const StoredTensor* operator->() const noexcept { return &**this; }

   private:
    const StoredTensor* kept_ = nullptr;
    StoredTensor made_;
  };

  StoredTensors() = default;
  /// Checks all layouts. `tensors` are borrowed. Fails as layoutOf() does.
  static Result<StoredTensors> make(const TensorList& tensors);

  /// One of the tensors.
  Held operator[](std::size_t tensor) const;

 private:
  const TensorList* tensors_ = nullptr;
  std::vector<std::pair<std::uint32_t, StoredTensor>> kept_;  ///< by the number of the tensor
};

}  // namespace strata
