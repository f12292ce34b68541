#include "core/ops/runs/take_snapshot.h"

#include <fmt/format.h>

#include <system_error>

#include "core/ops/runs/detail/checkpoint_scan.h"
#include "core/ops/runs/detail/snapshot_store.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

/// The folder that a trainer writes its checkpoints into is none itself.
Result<void> refuseSeveral(const fs::path& path, const CheckpointTools& tools) {
  std::error_code status;
  if (!fs::is_directory(path, status)) return {};
  STRATA_TRY(const auto places, CheckpointScan(path).look());
  std::size_t count = 0;
  for (const CheckpointPlace& place : places) {
    if (!fs::is_directory(place.path, status)) continue;
    const auto state = tools.check(place.path);
    const bool isOne = state && state->isFinished() && (state->step || place.step);
    if (isOne) ++count;
  }
  if (count < 2) return {};
  return fail(ErrorCode::Unsupported,
              fmt::format("{}: is a folder of {} checkpoints, and none itself; \"strata watch {} "
                          "--run RUN --once\" stores each of them",
                          path.string(), count, path.string()));
}

}  // namespace

Result<std::vector<fs::path>> finishedCheckpoints(const fs::path& folder,
                                                  const CheckpointTools& tools) {
  STRATA_TRY(const auto places, CheckpointScan(folder).look());
  std::vector<fs::path> finished;
  for (const CheckpointPlace& place : places) {
    if (!place.files.empty()) continue;
    const auto state = tools.check(place.path);
    if (state && state->isFinished()) finished.push_back(place.path);
  }
  return finished;
}

Result<SnapshotReport> takeSnapshot(Store& store, const CheckpointTools& tools,
                                    const SnapshotOptions& options, std::stop_token stop,
                                    const ProgressSink& progress) {
  const std::filesystem::path& path = options.path;
  STRATA_TRY(const CheckpointState state, tools.check(path));
  if (!state.isFinished()) {
    return fail(ErrorCode::Unsupported,
                fmt::format("{}: is no finished checkpoint: {}", path.string(), state.unfinished));
  }
  if (state.kind == CheckpointKind::Plain) STRATA_TRY(refuseSeveral(path, tools));
  STRATA_TRY(const auto model, tools.open(path));
  return storeSnapshot(store, tools, *model, state, path, options, stop, progress);
}

}  // namespace strata
