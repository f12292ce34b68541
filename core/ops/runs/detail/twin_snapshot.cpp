#include "core/ops/runs/detail/twin_snapshot.h"

#include <utility>
#include <vector>

#include "core/store/catalog/manifest_summary.h"
#include "core/store/objects/probe.h"
#include "core/store/run_tags.h"

namespace strata {
namespace {

/// A model of one file under another name.
class RenamedModel final : public ModelSource {
 public:
  RenamedModel(const ModelSource& model, const std::string& path)
      : model_(model), description_(model.description()) {
    description_.files.front().path = path;
  }
  const ModelDescription& description() const noexcept override { return description_; }
  Result<void> checkUnchanged() const override { return model_.checkUnchanged(); }
  std::vector<ChecksumField> checksumFields() const override { return model_.checksumFields(); }

 private:
  const ModelSource& model_;
  ModelDescription description_;
};

}  // namespace

Result<std::optional<RunVersion>> twinOf(const Store& store, const std::string& run,
                                         const ModelSource& model, std::uint64_t step,
                                         bool mayBeLossy) {
  const ModelDescription& description = model.description();
  if (description.files.size() != 1) return std::nullopt;
  STRATA_TRY(auto versions, store.catalog().versionsOf(run));
  for (VersionEntry& version : versions) {
    const bool isLike = version.fileCount == 1 &&
                        version.originalBytes == originalBytes(description) &&
                        (mayBeLossy || !version.lossy);
    // Each manifest takes its time, and most say by a tag that they are of another step.
    if (!isLike || stepByTag(version).value_or(step) != step) continue;
    RunVersion one = readRunVersion(store, std::move(version));
    if (one.step != step) continue;
    const VersionEntry& entry = one.version;
    const auto manifest = readManifest(store, entry.manifestDigest, entry.contentDigest);
    const bool isNamedElse = manifest && manifest->files.size() == 1 &&
                             manifest->files.front().path != description.files.front().path;
    if (!isNamedElse) continue;
    const auto made = entry.lossy ? manifest->originalDigest : std::optional(entry.contentDigest);
    STRATA_TRY(const Digest own, hashModel(RenamedModel(model, manifest->files.front().path)));
    if (own == made) return one;
  }
  return std::nullopt;
}

}  // namespace strata
