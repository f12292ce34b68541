#pragma once

#include <cstddef>
#include <span>

#include "tests/support/hostile_store.h"
#include "tests/support/model_folder.h"

namespace strata::test {

/// Takes hostile bytes as the file of a model: an ONNX file, a safetensors file or the index of a
/// sharded set.
class ModelTarget {
 public:
  ModelTarget();

  /// Opens the bytes as a model beside files that it may name (`w.bin`, `shard.safetensors`). What
  /// opens must keep all promises of a description and come back byte for byte after it was added
  /// to a store as a difference to a base. Tells on standard error where it does not.
  bool keepsPromises(std::span<const std::byte> bytes) const;

 private:
  ModelFolder folder_;
  SmallPair pair_;
};

}  // namespace strata::test
