#include "core/ops/runs/detail/weights_mending.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/archive/write/effort.h"
#include "core/archive/write/version_writer.h"
#include "core/io/free_space.h"
#include "core/model/checkpoint.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/objects/lineage_check.h"
#include "core/store/objects/probe.h"
#include "core/store/objects/staged_objects.h"
#include "core/store/objects/version_chain.h"
#include "core/store/run_tags.h"
#include "core/store/store_writer.h"

namespace strata {
namespace {

/// The files of a checkpoint that are no optimizer's, with their tensors.
class WithoutOptimizer final : public ModelSource {
 public:
  explicit WithoutOptimizer(const ModelSource& model) : model_(model) {
    const ModelDescription& whole = model.description();
    description_.format = whole.format;
    description_.metadata = whole.metadata;
    std::map<std::uint32_t, std::uint32_t> places;
    for (std::uint32_t file = 0; file < whole.files.size(); ++file) {
      if (isOptimizerFile(whole.files[file].path)) continue;
      places[file] = static_cast<std::uint32_t>(description_.files.size());
      description_.files.push_back(whole.files[file]);
    }
    for (const TensorInfo& tensor : whole.tensors) {
      const auto place = places.find(tensor.file);
      if (place == places.end()) continue;
      description_.tensors.push_back(tensor);
      description_.tensors.back().file = place->second;
    }
  }
  const ModelDescription& description() const noexcept override { return description_; }
  Result<void> checkUnchanged() const override { return model_.checkUnchanged(); }

 private:
  const ModelSource& model_;
  ModelDescription description_;
};

class Mending {
 public:
  Mending(Store& store, const WeightsMending& options, const ModelSource& model,
          const std::stop_token& stop, const ProgressSink& progress)
      : store_(store),
        options_(options),
        model_(model),
        weights_(model),
        stop_(stop),
        progress_(progress),
        check_(store) {}

  Result<std::vector<std::string>> run() {
    STRATA_TRY(const auto versions, options_.number
                                        ? store_.catalog().versionsOf(options_.run)
                                        : store_.catalog().tagged(options_.run, options_.tag));
    std::vector<std::string> mended;
    for (const VersionEntry& one : versions) {
      if (!isMeant(one) || !isWeightsOnly(one)) continue;
      STRATA_TRY(const bool isSound, check_.isSound(one, stop_, progress_));
      if (isSound) continue;
      STRATA_TRY(const bool isMended, mend(one));
      if (isMended) mended.push_back(one.label());
    }
    return mended;
  }

 private:
  bool isMeant(const VersionEntry& version) const {
    if (options_.number) return version.number == *options_.number;
    return std::ranges::find(version.tags, options_.tag) != version.tags.end();
  }

  Result<bool> mend(const VersionEntry& version) {
    if (weights_.description().files.empty()) return false;
    STRATA_TRY(const Digest content, hashModel(weights_));
    if (content != version.contentDigest) return false;
    STRATA_TRY(const Manifest loss, lossOf(version));
    STRATA_TRY(const auto parent, parentOf(version));
    STRATA_TRY(checkFreeSpace(store_.folder(), originalBytes(weights_.description())));
    STRATA_TRY(const auto staged, StagedObjects::make(store_.folder()));
    WriteOptions write;
    write.effort = effortFromName(version.effort).value_or(Effort::Default);
    write.profile = kWeightsOnly;
    write.memoryBytes = options_.memoryBytes;
    write.device = options_.device;
    write.recoded = &loss;
    STRATA_TRY(const WriteReport written,
               writeVersion(weights_, parent, write, *staged, stop_, progress_));
    STRATA_TRY(model_.checkUnchanged());
    STRATA_TRY(const auto writer, store_.lock("repair", stop_));
    STRATA_TRY(VersionRef ref,
               store_.refs().readVersion(version.name, version.number, Place::Live));
    if (ref.contentDigest != version.contentDigest) return false;  // another took its place
    STRATA_TRY(writer->take(*staged));
    ref.storedBytes = written.storedBytes;
    STRATA_TRY(writer->replaceManifests(
        "repair", {{{std::move(ref)},
                    summarize(written.manifest, written.manifestDigest, store_.objects())}}));
    return true;
  }

  /// As the one that is damaged records it, if that can be read.
  Result<Manifest> lossOf(const VersionEntry& version) const {
    Manifest loss;
    loss.lossy = true;
    const auto former = readManifest(store_, version.manifestDigest, version.contentDigest);
    if (former) {
      loss.originalDigest = former->originalDigest;
      loss.quality = former->quality;
      return loss;
    }
    STRATA_TRY(loss.originalDigest, hashModel(model_));
    return loss;
  }

  /// What it stood on, if that is sound: it stands on nothing of the version.
  Result<std::shared_ptr<const VersionReader>> parentOf(const VersionEntry& version) {
    std::shared_ptr<const VersionReader> none;
    if (!version.parentDigest) return none;
    STRATA_TRY(const auto parents, store_.catalog().withContent(*version.parentDigest));
    if (parents.empty()) return none;
    STRATA_TRY(const bool serves, check_.servesAsParent(parents.front(), stop_, progress_));
    if (!serves) return none;
    return openVersion(store_, *version.parentDigest);
  }

  Store& store_;
  const WeightsMending& options_;
  const ModelSource& model_;
  WithoutOptimizer weights_;
  const std::stop_token& stop_;
  const ProgressSink& progress_;
  LineageCheck check_;
};

}  // namespace

Result<std::vector<std::string>> mendWeightsOnly(Store& store, const WeightsMending& options,
                                                 const ModelSource& model,
                                                 const std::stop_token& stop,
                                                 const ProgressSink& progress) {
  return Mending(store, options, model, stop, progress).run();
}

}  // namespace strata
