#include "core/ops/runs/drop_optimizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "core/archive/write/version_writer.h"
#include "core/io/free_space.h"
#include "core/model/checkpoint.h"
#include "core/ops/detail/lineage.h"
#include "core/ops/detail/lineage_reach.h"
#include "core/ops/detail/replacing_version.h"
#include "core/ops/detail/stored_model.h"
#include "core/ops/exchange/asked_lists.h"
#include "core/ops/runs/detail/snapshot_store.h"
#include "core/ops/runs/run_versions.h"
#include "core/ops/versions/add_version.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/objects/lineage_check.h"
#include "core/store/objects/probe.h"
#include "core/store/objects/staged_objects.h"
#include "core/store/objects/version_chain.h"
#include "core/store/run_tags.h"
#include "core/store/store_writer.h"

namespace strata {
namespace {

bool isWeightsFile(const ManifestFile& file) { return !isOptimizerFile(file.path); }

std::uint64_t optimizerBytes(const Manifest& manifest) {
  std::uint64_t bytes = 0;
  for (const ManifestFile& file : manifest.files) {
    if (!isWeightsFile(file)) bytes += file.byteCount;
  }
  return bytes;
}

/// The first file that has moments beside what is no optimizer's, as Lightning's have; nullptr if
/// there is none.
const ManifestFile* mixedFile(const Manifest& manifest) {
  for (const ManifestFile& file : manifest.files) {
    if (file.path.ends_with(".ckpt")) return &file;
  }
  for (const ManifestTensor& tensor : manifest.tensors) {
    const ManifestFile& file = manifest.files[tensor.file];
    if (isOptimizerState(tensor.kind) && isWeightsFile(file)) return &file;
  }
  return nullptr;
}

/// A file that would be left out by its name, although weights are in it; nullptr if there is none.
const ManifestFile* weightsInOptimizerFile(const Manifest& manifest) {
  for (const ManifestTensor& tensor : manifest.tensors) {
    const ManifestFile& file = manifest.files[tensor.file];
    const bool isWeight = tensor.kind != TensorKind::Unknown && !isOptimizerState(tensor.kind);
    if (isWeight && !isWeightsFile(file)) return &file;
  }
  return nullptr;
}

/// What the version without the optimizer records: that it is not what was added.
Manifest lossOf(const Manifest& former) {
  Manifest loss;
  loss.lossy = true;
  loss.originalDigest = former.lossy ? former.originalDigest : former.contentDigest;
  loss.quality = former.quality;
  bool isQuantized = false;
  for (const ManifestTensor& tensor : former.tensors) {
    if (!isWeightsFile(former.files[tensor.file])) continue;
    isQuantized = isQuantized || tensor.relativeError != 0;
    loss.tensors.push_back(tensor);
  }
  // Where the moments alone were quantized, nothing is left of that.
  if (!isQuantized) return loss;
  loss.settings = former.settings;
  loss.relativeError = former.relativeError;
  return loss;
}

/// The live snapshots, the newest of the run last.
Result<std::vector<VersionEntry>> snapshotsOf(RunReader& reader, const std::string& run) {
  STRATA_TRY(std::vector<RunVersion> snapshots, runSnapshots(reader, run));
  std::vector<VersionEntry> versions;
  for (RunVersion& one : snapshots) versions.push_back(std::move(one.version));
  std::reverse(versions.begin(), versions.end());
  return versions;
}

/// One snapshot whose optimizer is to be left out.
class Drop {
 public:
  Drop(Store& store, const DropOptimizerOptions& options, VersionEntry former, Manifest manifest)
      : store_(store),
        options_(options),
        former_(std::move(former)),
        manifest_(std::move(manifest)) {}

  Result<VersionEntry> run(const std::stop_token& stop, const ProgressSink& progress) {
    auto source = openVersion(store_, former_);
    if (!source) return fail(source.error());
    STRATA_TRY(const auto model, StoredModel::open(**source, former_.label(), options_.device, {},
                                                   stop, progress, isWeightsFile));
    STRATA_TRY(encode(*model, stop, progress));
    STRATA_TRY(checkFiles());
    return conclude(*model, stop);
  }

 private:
  Result<void> encode(const ModelSource& model, const std::stop_token& stop,
                      const ProgressSink& progress) {
    STRATA_TRY(const Digest content, hashModel(model));
    STRATA_TRY(parentContent_, chooseParent(content));
    std::shared_ptr<const VersionReader> parent;
    if (parentContent_) {
      STRATA_TRY(parent, openVersion(store_, *parentContent_));
    }
    STRATA_TRY(checkFreeSpace(store_.folder(), originalBytes(model.description())));
    STRATA_TRY(staged_, StagedObjects::make(store_.folder()));
    const Manifest loss = lossOf(manifest_);
    WriteOptions write;
    write.effort = effortFromName(former_.effort).value_or(Effort::Default);
    write.profile = kWeightsOnly;
    write.memoryBytes = options_.memoryBytes;
    write.device = options_.device;
    write.recoded = &loss;
    STRATA_TRY(written_, writeVersion(model, std::move(parent), write, *staged_, stop, progress));
    return {};
  }

  /// The snapshot before it without its optimizer, as long as the chain does not get too deep; else
  /// what the run began with, unless that has an optimizer, too.
  Result<std::optional<Digest>> chooseParent(const Digest& content) const {
    STRATA_TRY(const Lineage lineage, Lineage::load(store_.catalog()));
    STRATA_TRY(auto versions, store_.catalog().versionsOf(former_.name));
    sortByAge(versions);
    const VersionEntry* before = nullptr;
    for (const VersionEntry& one : versions) {
      if (one.number == former_.number) break;
      if (isWeightsOnly(one)) before = &one;
    }
    const VersionEntry* parent = before;
    if (before == nullptr || lineage.depthOf(*before) + 1 > kMaxChainDepth) {
      parent = &lineage.rootOf(before == nullptr ? former_ : *before);
    }
    STRATA_TRY(const LineageReach reach, LineageReach::load(store_.catalog()));
    const bool isWhole = !lineage.rootOf(*parent).parentDigest;
    const auto manifest = readManifest(store_, parent->manifestDigest, parent->contentDigest);
    const bool hasOptimizer = !manifest || optimizerBytes(*manifest) > 0;
    if (hasOptimizer || !isWhole || reach.isCircle(parent->contentDigest, content)) {
      return std::optional<Digest>();
    }
    return parent->contentDigest;
  }

  /// What stays of the snapshot is what it was.
  Result<void> checkFiles() const {
    const auto& files = written_.manifest.files;
    auto at = files.begin();
    for (const ManifestFile& file : manifest_.files) {
      if (!isWeightsFile(file)) continue;
      const bool isSame = at != files.end() && at->path == file.path && at->sha256 == file.sha256;
      if (!isSame) return fail(ErrorCode::Internal, file.path + ": would become another file");
      ++at;
    }
    if (at == files.end()) return {};
    return fail(ErrorCode::Internal, at->path + ": is no file of the snapshot");
  }

  Result<VersionEntry> conclude(const ModelSource& model, const std::stop_token& stop) {
    STRATA_TRY(const auto writer, store_.lock("prune", stop));
    writer->beginCommand(options_.command);
    STRATA_TRY(const VersionEntry now, writer->resolve(former_.label()));
    STRATA_TRY(const bool stands, parentStands(writer->catalog()));
    if (now.manifestDigest != former_.manifestDigest || !stands) {
      return fail(ErrorCode::NotFound, "another command changed it meanwhile; try again");
    }
    STRATA_TRY(writer->take(*staged_));
    return replaceByWritten(*writer, now, written_, model, "prune");
  }

  Result<bool> parentStands(const Catalog& catalog) const {
    if (!parentContent_) return true;
    STRATA_TRY(const auto parents, catalog.withContent(*parentContent_));
    return !parents.empty();
  }

  Store& store_;
  const DropOptimizerOptions& options_;
  VersionEntry former_;
  Manifest manifest_;
  std::optional<Digest> parentContent_;
  std::unique_ptr<StagedObjects> staged_;
  WriteReport written_;
};

class Dropping {
 public:
  Dropping(Store& store, const DropOptimizerOptions& options)
      : store_(store), options_(options), check_(store) {}

  Result<DropOptimizerReport> run(const std::stop_token& stop, const ProgressSink& progress) {
    STRATA_TRY(const VersionEntry newest, store_.resolve(options_.run));
    RunReader own(store_);
    RunReader& reader = options_.reader == nullptr ? own : *options_.reader;
    STRATA_TRY(auto snapshots, snapshotsOf(reader, newest.name));
    // Those that have none any more are none of the N that keep it.
    std::erase_if(snapshots, [&](const auto& one) {
      return isWeightsOnly(one) || options_.without.contains(one.number);
    });
    STRATA_TRY(leaveOutNewest(snapshots, stop, progress));
    for (const VersionEntry& one : snapshots) {
      if (options_.known.contains(one.manifestDigest)) continue;
      const auto done = consider(one, stop, progress);
      if (!done && !isOfSnapshot(done.error().code)) {
        report_.ended = done.error().within(one.label());
        break;
      }
      if (!done) report_.kept.push_back({one.label(), done.error().message});
      if (!done || !*done) report_.passed.push_back(one.manifestDigest);
    }
    return std::move(report_);
  }

 private:
  /// The newest are those of the greatest steps, and those that were stored last: a run that went
  /// on from an earlier step needs the optimizers of both ends.
  Result<void> leaveOutNewest(std::vector<VersionEntry>& snapshots, const std::stop_token& stop,
                              const ProgressSink& progress) {
    if (snapshots.size() <= options_.keepLast) {
      snapshots.clear();
      return {};
    }
    std::map<std::uint32_t, bool> newest;  // whether each can be read, by number
    STRATA_TRY(findNewest(snapshots, newest, stop, progress));
    std::vector<VersionEntry> byNumber = snapshots;
    std::ranges::sort(byNumber, {}, &VersionEntry::number);
    STRATA_TRY(findNewest(byNumber, newest, stop, progress));
    for (const VersionEntry& one : snapshots) {
      const auto found = newest.find(one.number);
      const bool isSaid = options_.known.contains(one.manifestDigest);
      if (found == newest.end() || found->second || isSaid) continue;
      report_.kept.push_back({one.label(), "is damaged, and does not count as one of the newest"});
      report_.passed.push_back(one.manifestDigest);
    }
    std::erase_if(snapshots, [&](const VersionEntry& one) { return newest.contains(one.number); });
    return {};
  }

  /// The last of `snapshots` of which keepLast can be read. A training goes on from no other.
  Result<void> findNewest(const std::vector<VersionEntry>& snapshots,
                          std::map<std::uint32_t, bool>& newest, const std::stop_token& stop,
                          const ProgressSink& progress) {
    std::uint64_t count = 0;
    for (auto one = snapshots.rbegin(); one != snapshots.rend() && count < options_.keepLast;
         ++one) {
      STRATA_TRY(const bool isSound, check_.isSoundOrAwaited(*one, stop, progress));
      newest[one->number] = isSound;
      if (isSound) ++count;
    }
    return {};
  }

  /// False where it keeps what it has.
  Result<bool> consider(const VersionEntry& former, const std::stop_token& stop,
                        const ProgressSink& progress) {
    STRATA_TRY(Manifest manifest,
               readManifest(store_, former.manifestDigest, former.contentDigest));
    const std::uint64_t bytes = optimizerBytes(manifest);
    if (const ManifestFile* const file = weightsInOptimizerFile(manifest)) {
      report_.kept.push_back({former.label(), file->path + ": is named as an optimizer, and holds "
                                                           "weights"});
      return false;
    }
    if (bytes == 0) {
      if (const ManifestFile* const mixed = mixedFile(manifest)) {
        report_.kept.push_back(
            {former.label(), mixed->path + ": has weights and optimizer in one file, which cannot "
                                           "be parted"});
      }
      return false;
    }
    VersionEntry now = former;
    if (!options_.dryRun) {
      STRATA_TRY(now, Drop(store_, options_, former, std::move(manifest)).run(stop, progress));
    }
    report_.dropped.push_back({former, std::move(now), bytes});
    return true;
  }

  Store& store_;
  const DropOptimizerOptions& options_;
  LineageCheck check_;
  DropOptimizerReport report_;
};

}  // namespace

Result<DropOptimizerReport> dropOptimizer(Store& store, const DropOptimizerOptions& options,
                                          const std::stop_token& stop,
                                          const ProgressSink& progress) {
  if (options.device != nullptr) STRATA_TRY(options.device->require());
  if (!options.dryRun) {
    STRATA_TRY(store.settle("prune", stop));
    STRATA_TRY(ensureAsked(store.folder()));
  }
  return Dropping(store, options).run(stop, progress);
}

}  // namespace strata
