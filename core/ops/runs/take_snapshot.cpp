#include "core/ops/runs/take_snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "core/ops/runs/detail/checkpoint_scan.h"
#include "core/ops/runs/detail/snapshot_store.h"
#include "core/text/command_words.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

/// The name without its numbers, if one ends its stem and files of such names are a series:
/// "model_#.pt" of "model_20.pt". Nothing for parts of one model, such as shards and those of
/// ranks.
std::optional<std::string> seriesOf(const fs::path& file) {
  constexpr std::array<std::string_view, 10> kParts{"fsdp",  "of",    "rank",   "shard", "part",
                                                    "layer", "stage", "expert", "block", "chunk"};
  const std::string stem = file.stem().string();
  const std::size_t digits = stem.find_last_not_of("0123456789") + 1;  // npos + 1 is 0
  if (digits == stem.size()) return std::nullopt;
  std::string before = stem.substr(0, digits);
  const std::string word = before.substr(0, before.find_last_not_of("-_.=") + 1);
  const bool isPart =
      std::ranges::any_of(kParts, [&](std::string_view part) { return word.ends_with(part); });
  if (isPart) return std::nullopt;
  std::ranges::replace_if(
      before, [](char one) { return one >= '0' && one <= '9'; }, '#');
  return before + "#" + file.extension().string();
}

/// Files that are a whole checkpoint each: those of Lightning, and numbered models.
std::size_t countFiles(const std::vector<CheckpointPlace>& places, const CheckpointTools& tools) {
  std::size_t count = 0;
  std::map<std::string, std::size_t> series;
  for (const CheckpointPlace& place : places) {
    std::error_code status;
    if (fs::is_directory(place.path, status)) continue;
    if (place.path.extension() != ".ckpt") {
      if (const auto name = seriesOf(place.path)) ++series[*name];
      continue;
    }
    const auto state = tools.check(place.path);
    if (state && state->isFinished() && state->step) ++count;
  }
  for (const auto& [name, members] : series) count += members > 1 ? members : 0;
  return count;
}

/// The folder that a trainer writes its checkpoints into is none itself.
Result<void> refuseSeveral(const fs::path& path, CheckpointKind kind,
                           const CheckpointTools& tools) {
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
  if (kind == CheckpointKind::Plain) count += countFiles(places, tools);
  if (count < 2) return {};
  return fail(ErrorCode::Unsupported,
              fmt::format("{}: is a folder of {} checkpoints, and none itself; \"strata watch {} "
                          "--run RUN --once\" stores each of them",
                          path.string(), count, shellPath(path.string())));
}

}  // namespace

Result<std::vector<fs::path>> finishedCheckpoints(const fs::path& folder,
                                                  const CheckpointTools& tools) {
  STRATA_TRY(const auto places, CheckpointScan(folder, &tools).look());
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
  STRATA_TRY(refuseSeveral(path, state.kind, tools));
  STRATA_TRY(const auto model, tools.open(path));
  return storeSnapshot(store, tools, *model, state, path, options, stop, progress);
}

}  // namespace strata
