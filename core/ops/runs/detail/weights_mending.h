#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/device/device.h"
#include "core/model/model_source.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/store/store.h"

namespace strata {

struct WeightsMending {
  std::string run;
  std::string tag;  ///< the snapshot's: "step-20"
  /// Of one version, whatever its tags are.
  std::optional<std::uint32_t> number = {};
  std::uint64_t memoryBytes = 512'000'000;
  Device* device = nullptr;  ///< borrowed; null: the CPU
};

/// Mends what a checkpoint, `model`, can mend of snapshots without their optimizer that have its
/// tag, or of the one of the number: those that are damaged, and whose content is the files of the
/// checkpoint but the optimizer's. They stay snapshots without their optimizer. Returns their
/// labels; none where nothing is damaged, or was made of other files. Fails as a lock and as
/// writing a version does.
Result<std::vector<std::string>> mendWeightsOnly(Store& store, const WeightsMending& options,
                                                 const ModelSource& model,
                                                 const std::stop_token& stop,
                                                 const ProgressSink& progress);

}  // namespace strata
