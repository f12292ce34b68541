#include "core/ops/runs/snapshot_state.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/store/objects/version_chain.h"
#include "core/store/run_tags.h"

namespace strata {
namespace {

/// The text of the trainer's state in a stored version; empty where there is none that can be read.
std::string stateText(const Store& store, const VersionEntry& version) {
  const auto reader = openVersion(store, version);
  if (!reader) return {};
  const auto& files = (*reader)->manifest().files;
  const auto found = std::find_if(files.begin(), files.end(), [](const ManifestFile& file) {
    return file.path == kTrainerStateFile;
  });
  if (found == files.end() || found->byteCount > kMostTrainerStateBytes) return {};
  std::string text(found->byteCount, '\0');
  const auto number = static_cast<std::size_t>(found - files.begin());
  const auto read = (*reader)->read(number, 0, std::as_writable_bytes(std::span(text)));
  return read ? text : std::string();
}

}  // namespace

std::optional<TrainerState> snapshotState(const Store& store, const VersionEntry& version,
                                          std::string_view metric) {
  if (!isSnapshot(version)) return std::nullopt;
  const auto step = stepByTag(version);
  if (const std::string text = stateText(store, version); !text.empty()) {
    if (auto state = parseTrainerState(text, metric)) return std::move(*state);
  }
  if (!step) return std::nullopt;
  return TrainerState{.step = *step};
}

}  // namespace strata
