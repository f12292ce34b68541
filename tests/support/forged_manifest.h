#pragma once

#include <utility>
#include <vector>

#include "core/archive/manifest.h"

namespace strata::test {

/// A manifest whose tensors can be changed one by one.
struct ForgedManifest : Manifest {
  ForgedManifest() = default;
  explicit ForgedManifest(Manifest from)
      : Manifest(std::move(from)), tensors(Manifest::tensors.begin(), Manifest::tensors.end()) {
    Manifest::tensors.clear();
  }

  /// As the forger left it.
  Manifest manifest() const {
    Manifest out = *this;
    out.tensors = TensorList(tensors);
    return out;
  }

  std::vector<ManifestTensor> tensors;  ///< in place of the list's
};

}  // namespace strata::test
