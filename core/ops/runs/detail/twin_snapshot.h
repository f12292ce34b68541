#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/model_source.h"
#include "core/ops/runs/run_versions.h"

namespace strata {

/// The key under which a manifest of a lossy run records tensorsDigest() (docs/FORMAT.md).
inline constexpr std::string_view kRecordedTensors = "strata.tensors";

/// SHA-256 of all tensors of a model, with names, types and shapes, whatever else its file says.
/// Reads all of them.
std::string tensorsDigest(const ModelDescription& model);

struct TwinSnapshot {
  RunVersion snapshot;
  bool isOfTensors = false;  ///< the rest of its file differs
};

/// The version of a run that has the bytes of a checkpoint that is one file, and its step, under
/// another name: as "last.ckpt" beside "epoch=3-step=30.ckpt" of Lightning's save_last. Its content
/// is another one by the name alone. Nothing where there is none.
///
/// `mayBeLossy`: a lossy one that was made of these bytes counts, too. So does one that was made of
/// the same tensors, as it records: PyTorch writes the name of a file into its archive. What the
/// checkpoint was stored as would be a second loss of what the twin has.
///
/// All bytes are hashed where sizes and steps are equal, and all tensors where steps are.
Result<std::optional<TwinSnapshot>> twinOf(const Store& store, const std::string& run,
                                           const ModelSource& model, std::uint64_t step,
                                           bool mayBeLossy);

}  // namespace strata
