#include "core/ops/runs/run_versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <tuple>

#include "core/archive/manifest.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/objects/version_chain.h"
#include "core/store/run_tags.h"
#include "core/text/utf8_check.h"

namespace strata {
namespace {

constexpr std::string_view kRecordedStep = "strata.step";
constexpr std::string_view kRecordedName = "strata.checkpoint";
constexpr std::size_t kMostNameBytes = 200;

/// Whether it can be the name of a file in any folder.
bool isPlainName(std::string_view name) {
  return !name.empty() && name.size() <= kMostNameBytes && name.front() != '.' &&
         name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos &&
         isUtf8(name);
}

std::optional<std::uint64_t> wholeNumber(std::string_view text) {
  std::uint64_t value = 0;
  const auto [stopped, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool isWhole = status == std::errc{} && stopped == text.data() + text.size();
  return isWhole ? std::optional(value) : std::nullopt;
}

void readRecord(const Manifest& manifest, RunVersion& out) {
  for (const MetadataEntry& entry : manifest.metadata) {
    if (entry.key == kRecordedStep) out.step = wholeNumber(entry.value);
    if (entry.key == kRecordedName && isPlainName(entry.value)) out.checkpoint = entry.value;
    if (entry.key == kRecordedStep || entry.key == kRecordedName) out.isSnapshot = true;
  }
}

/// A file of torch.save may hold anything beside the weights.
bool mayHoldTraining(const Manifest& manifest) {
  constexpr std::array<std::string_view, 5> kEndings{".pt", ".pth", ".ckpt", ".pkl", ".distcp"};
  const bool hasFile = std::ranges::any_of(manifest.files, [&](const ManifestFile& file) {
    if (file.path == kTrainerStateFile) return false;
    return isTrainingState(file.path) || std::ranges::any_of(kEndings, [&](std::string_view end) {
             return file.path.ends_with(end);
           });
  });
  return hasFile || std::ranges::any_of(manifest.tensors, [](const ManifestTensor& tensor) {
           return tensor.kind == TensorKind::FirstMoment;
         });
}

/// The text of the trainer's state in a stored version; empty where it is too large for one.
Result<std::string> trainerStateOf(const Store& store, const VersionEntry& version,
                                   std::size_t file) {
  const auto reader = openVersion(store, version);
  if (!reader) return fail(reader.error());
  const auto& files = (*reader)->manifest().files;
  const bool isIt = file < files.size() && files[file].path == kTrainerStateFile &&
                    files[file].byteCount <= kMostTrainerStateBytes;
  if (!isIt) return std::string();
  std::string text(files[file].byteCount, '\0');
  STRATA_TRY((*reader)->read(file, 0, std::as_writable_bytes(std::span(text))));
  return text;
}

/// `versions` come as sortByAge() has them.
void sortFurthestFirst(std::vector<RunVersion>& versions) {
  std::vector<std::tuple<std::uint64_t, bool, std::size_t>> order;
  std::uint64_t furthest = 0;
  for (const RunVersion& one : versions) {
    furthest = std::max(furthest, one.step.value_or(0));
    const bool isExact = !one.step || !one.version.lossy;
    order.emplace_back(one.step.value_or(furthest), isExact, order.size());
  }
  std::ranges::sort(order, std::greater());
  std::vector<RunVersion> sorted;
  sorted.reserve(versions.size());
  for (const auto& [step, isExact, index] : order) sorted.push_back(std::move(versions[index]));
  versions = std::move(sorted);
}

/// What the manifest of a version says, and the trainer's state in it.
RunVersion readStored(const Store& store, const VersionEntry& entry, std::string_view metric) {
  RunVersion out;
  const auto manifest = readManifest(store, entry.manifestDigest, entry.contentDigest);
  if (!manifest) {
    out.problem = manifest.error();
    return out;
  }
  readRecord(*manifest, out);
  out.hasTraining = mayHoldTraining(*manifest);
  const auto& files = manifest->files;
  const auto found = std::ranges::find(files, kTrainerStateFile, &ManifestFile::path);
  out.hasTrainerState = found != files.end();
  if (!out.hasTrainerState) return out;
  const auto file = static_cast<std::size_t>(found - files.begin());
  const auto text = trainerStateOf(store, entry, file);
  if (!text) out.problem = text.error();
  auto state = parseTrainerState(text.value_or(std::string()), metric);
  if (state) out.state = std::move(*state);
  return out;
}

void addWhatTagsSay(RunVersion& out) {
  out.isSnapshot = out.isSnapshot || out.hasTrainerState || isSnapshot(out.version);
  if (out.state) out.step = out.state->step;
  if (!out.step) out.step = stepByTag(out.version);
  if (!out.step || out.state) return;
  out.state = TrainerState{.step = *out.step};
  if (const auto epoch = epochOfName(out.checkpoint)) {
    out.state->epoch = static_cast<double>(*epoch);
  }
}

}  // namespace

std::string RunVersion::shown() const {
  return step ? fmt::format("{}, step {}", version.label(), *step) : version.label();
}

RunVersion readRunVersion(const Store& store, VersionEntry version, std::string_view metric) {
  RunVersion out = readStored(store, version, metric);
  out.version = std::move(version);
  addWhatTagsSay(out);
  return out;
}

RunVersion RunReader::read(VersionEntry version) {
  const Digest& manifest = version.manifestDigest;
  if (!known_.contains(manifest) && !unread_.contains(manifest)) {
    RunVersion stored = readStored(*store_, version, {});
    (stored.problem ? unread_ : known_).emplace(manifest, std::move(stored));
  }
  const auto known = known_.find(manifest);
  RunVersion out = known == known_.end() ? unread_.at(manifest) : known->second;
  out.version = std::move(version);
  addWhatTagsSay(out);
  return out;
}

Result<std::vector<RunVersion>> runVersions(RunReader& reader, std::string_view name) {
  reader.retry();
  STRATA_TRY(auto entries, reader.store().catalog().versionsOf(name));
  sortByAge(entries);
  std::vector<RunVersion> versions;
  versions.reserve(entries.size());
  for (VersionEntry& entry : entries) versions.push_back(reader.read(std::move(entry)));
  sortFurthestFirst(versions);
  return versions;
}

Result<std::vector<RunVersion>> runVersions(const Store& store, std::string_view name) {
  RunReader reader(store);
  return runVersions(reader, name);
}

void sortNewestFirst(const Store& store, std::vector<VersionEntry>& versions) {
  sortByAge(versions);
  if (!looksLikeRun(versions)) {
    std::ranges::reverse(versions);
    return;
  }
  std::vector<RunVersion> ordered;
  for (VersionEntry& version : versions) {
    ordered.push_back(readRunVersion(store, std::move(version)));
  }
  sortFurthestFirst(ordered);
  for (std::size_t i = 0; i < ordered.size(); ++i) versions[i] = std::move(ordered[i].version);
}

Result<std::vector<RunVersion>> runSnapshots(RunReader& reader, std::string_view name) {
  STRATA_TRY(auto versions, runVersions(reader, name));
  std::erase_if(versions, [](const RunVersion& one) { return !one.isSnapshot; });
  return versions;
}

Result<std::vector<RunVersion>> runSnapshots(const Store& store, std::string_view name) {
  RunReader reader(store);
  return runSnapshots(reader, name);
}

const RunVersion& newestToResume(const std::vector<RunVersion>& snapshots) {
  const bool hasAnyTraining = std::ranges::any_of(snapshots, &RunVersion::hasTraining);
  const auto found = std::ranges::find_if(snapshots, [&](const RunVersion& one) {
    return !isWeightsOnly(one.version) && (one.hasTraining || !hasAnyTraining);
  });
  return found == snapshots.end() ? snapshots.front() : *found;
}

bool looksLikeRun(const std::vector<VersionEntry>& versions) {
  return std::ranges::any_of(versions, isSnapshot);
}

std::vector<RunVersion> besideChosen(const std::vector<RunVersion>& snapshots,
                                     const VersionEntry& chosen) {
  const auto at = std::ranges::find(snapshots, chosen.number,
                                    [](const RunVersion& one) { return one.version.number; });
  if (at == snapshots.end()) return {};
  // One without its optimizer is no other checkpoint: its number says when that was left out.
  const auto numberOf = [](const RunVersion& one) {
    return isWeightsOnly(one.version) ? 0 : one.version.number;
  };
  const auto last = std::ranges::max_element(snapshots, {}, numberOf);
  std::vector<RunVersion> beside;
  for (const RunVersion& one : snapshots) {
    if (one.version.number == chosen.number || isWeightsOnly(one.version)) continue;
    const bool isOfSameStep = one.step && one.step == at->step;
    const bool isLast = one.version.number == last->version.number && one.step && at->step;
    if (isOfSameStep || (isLast && *one.step < *at->step)) beside.push_back(one);
  }
  return beside;
}

std::vector<std::pair<std::string, std::string>> snapshotRecord(std::optional<std::uint64_t> step,
                                                                std::string_view checkpoint) {
  std::vector<std::pair<std::string, std::string>> record;
  if (step) record.emplace_back(kRecordedStep, std::to_string(*step));
  if (isPlainName(checkpoint)) record.emplace_back(kRecordedName, checkpoint);
  return record;
}

}  // namespace strata
