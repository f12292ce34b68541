#include "core/ops/runs/take_snapshot.h"

#include <fmt/format.h>

#include "core/ops/runs/detail/snapshot_store.h"

namespace strata {

Result<SnapshotReport> takeSnapshot(Store& store, const CheckpointTools& tools,
                                    const SnapshotOptions& options, std::stop_token stop,
                                    const ProgressSink& progress) {
  const std::filesystem::path& path = options.path;
  STRATA_TRY(const CheckpointState state, tools.check(path));
  if (!state.isFinished()) {
    return fail(ErrorCode::Unsupported,
                fmt::format("{}: is no finished checkpoint: {}", path.string(), state.unfinished));
  }
  STRATA_TRY(const auto model, tools.open(path));
  return storeSnapshot(store, *model, state, path, options, stop, progress);
}

}  // namespace strata
