#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/model/model_source.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

/// One side of a comparison: a stored version (`store` and `reference`) or a model outside the
/// store (`model`). Exactly one of `store` and `model` is set.
struct DiffSide {
  const Store* store = nullptr;
  std::string reference = {};
  const ModelSource* model = nullptr;
  std::string label = {};  ///< how reports call it; empty: the version's label
};

struct DiffOptions {
  double threshold = 0;  ///< share of changed words below which a tensor is not listed
  std::vector<std::string> globs = {};  ///< of tensor names; empty: all
};

/// One tensor that both sides have.
struct TensorDiff {
  std::string name;
  std::string typeA, typeB;  ///< "f32"
  std::vector<std::uint64_t> shapeA, shapeB;
  bool comparable = true;          ///< false if type or shape differ; the numbers below are 0 then
  std::uint64_t byteCount = 0;     ///< of A
  std::uint64_t wordCount = 0;     ///< of A
  std::uint64_t changedWords = 0;  ///< differ in any bit
  double relativeChange = 0;       ///< ||B - A|| / ||A||; infinite if only B is not zero
  double maxAbsChange = 0;         ///< NaN and infinities are left out
  std::optional<std::uint64_t> storedBytesA, storedBytesB;  ///< nothing outside of a store

  double changedShare() const noexcept {
    return wordCount == 0 ? 0 : static_cast<double>(changedWords) / static_cast<double>(wordCount);
  }
};

struct DiffReport {
  std::string labelA, labelB;
  std::optional<VersionEntry> versionA, versionB;  ///< of stored sides
  bool identical = false;                          ///< every file has the same path and bytes
  std::uint64_t originalBytesA = 0, originalBytesB = 0;
  std::vector<TensorDiff> tensors;  ///< most changed first; only those at or over the threshold
  std::uint64_t hiddenTensors = 0;  ///< changed, but under the threshold
  std::uint64_t equalTensors = 0;   ///< not changed; never listed unless the threshold is 0
  std::uint64_t changedTensors = 0;
  std::vector<std::string> onlyInA, onlyInB;  ///< tensors
  std::vector<std::string> filesOnlyInA, filesOnlyInB;
  std::vector<std::string> filesChanged;  ///< in bytes outside of tensors or in them
  double relativeChange = 0;              ///< over all comparable tensors that changed
  double changedShare = 0;                ///< of the words of all comparable tensors
};

/// Compares two models tensor by tensor, by name. Memory stays small: both are read in pieces.
/// Fails with InvalidArgument, NotFound, CorruptData, Cancelled, Io.
Result<DiffReport> diffModels(const DiffSide& a, const DiffSide& b, const DiffOptions& options,
                              std::stop_token stop, const ProgressSink& progress);

/// As diffModels, against the version's own base: `strata diff REF`.
/// Fails with InvalidArgument if it is a base itself.
Result<DiffReport> diffToBase(const Store& store, const std::string& reference,
                              const DiffOptions& options, std::stop_token stop,
                              const ProgressSink& progress);

}  // namespace strata
