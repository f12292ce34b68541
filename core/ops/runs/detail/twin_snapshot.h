#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/model/model_source.h"
#include "core/ops/runs/run_versions.h"

namespace strata {

/// The version of a run that has the bytes of a checkpoint that is one file, and its step, under
/// another name: as "last.ckpt" beside "epoch=3-step=30.ckpt" of Lightning's save_last. Its content
/// is another one by the name alone. Nothing where there is none. `mayBeLossy`: a lossy one that
/// was made of these bytes counts, too. All bytes are hashed where sizes and steps are equal.
Result<std::optional<RunVersion>> twinOf(const Store& store, const std::string& run,
                                         const ModelSource& model, std::uint64_t step,
                                         bool mayBeLossy);

}  // namespace strata
