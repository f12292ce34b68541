#pragma once

#include <thread>
#include <vector>

#include "core/digest.h"
#include "core/model/model_source.h"

namespace strata {

/// SHA-256 of every file of a model, on a thread of its own: for the model that a lossy version is
/// made of. What a version restores to is hashed by RestoredStream.
class FileHasher {
 public:
  /// Begins. `model` must outlive it.
  explicit FileHasher(const ModelDescription& model);

  /// Waits for the end. By file.
  const std::vector<Digest>& wait();

 private:
  std::vector<Digest> digests_;
  std::jthread thread_;
};

}  // namespace strata
