#include "core/ops/runs/detail/twin_snapshot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "core/archive/manifest.h"
#include "core/digest.h"
#include "core/parallel.h"
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

/// What the manifest of a version records; empty where it records nothing.
std::string recordedTensors(const Manifest& manifest) {
  const auto found = std::ranges::find(manifest.metadata, kRecordedTensors, &MetadataEntry::key);
  return found == manifest.metadata.end() ? std::string() : found->value;
}

/// Looks for a twin of one model among the versions of its run.
class TwinSearch {
 public:
  TwinSearch(const Store& store, const ModelSource& model, bool mayBeLossy)
      : store_(store), model_(model), mayBeLossy_(mayBeLossy) {}

  Result<std::optional<TwinSnapshot>> find(const std::string& run, std::uint64_t step) {
    if (description().files.size() != 1) return std::nullopt;
    STRATA_TRY(auto versions, store_.catalog().versionsOf(run));
    std::optional<TwinSnapshot> ofTensors;
    for (VersionEntry& version : versions) {
      const bool mayBe =
          version.fileCount == 1 && (mayBeLossy_ || !version.lossy) && !isWeightsOnly(version);
      // Each manifest takes its time, and most say by a tag that they are of another step.
      if (!mayBe || stepByTag(version).value_or(step) != step) continue;
      RunVersion one = readRunVersion(store_, std::move(version));
      if (one.step != step) continue;
      const VersionEntry& entry = one.version;
      const auto manifest = readManifest(store_, entry.manifestDigest, entry.contentDigest);
      const bool isNamedElse = manifest && manifest->files.size() == 1 &&
                               manifest->files.front().path != description().files.front().path;
      if (!isNamedElse) continue;
      STRATA_TRY(const bool isSame, hasItsBytes(entry, *manifest));
      if (isSame) return TwinSnapshot{std::move(one)};
      const std::string recorded = mayBeLossy_ ? recordedTensors(*manifest) : std::string();
      if (!recorded.empty() && recorded == tensors())
        ofTensors = TwinSnapshot{std::move(one), true};
    }
    if (tensors_) STRATA_TRY(model_.checkUnchanged());
    return ofTensors;
  }

 private:
  const ModelDescription& description() const { return model_.description(); }

  Result<bool> hasItsBytes(const VersionEntry& entry, const Manifest& manifest) const {
    if (entry.originalBytes != originalBytes(description())) return false;
    const auto made = entry.lossy ? manifest.originalDigest : std::optional(entry.contentDigest);
    STRATA_TRY(const Digest own, hashModel(RenamedModel(model_, manifest.files.front().path)));
    return own == made;
  }

  const std::string& tensors() {
    if (!tensors_) tensors_ = tensorsDigest(description());
    return *tensors_;
  }

  const Store& store_;
  const ModelSource& model_;
  const bool mayBeLossy_;
  std::optional<std::string> tensors_;
};

}  // namespace

std::string tensorsDigest(const ModelDescription& model) {
  std::vector<Digest> sums(model.tensors.size());
  const auto hashed = parallelFor(sums.size(), [&](std::size_t i) -> Result<void> {
    const TensorInfo& tensor = model.tensors[i];
    Sha256 hash;
    model.files[tensor.file].bytes.forEachRun(
        tensor.offset, tensor.offset + tensor.byteCount,
        [&](std::span<const std::byte> run) { hash.update(run); });
    sums[i] = hash.finish();
    return {};
  });
  static_cast<void>(hashed);  // hashing cannot fail
  Sha256 all;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const TensorInfo& tensor = model.tensors[i];
    const std::string line = fmt::format("{} {} {} {}\n", toHex(sums[i]), name(tensor.type),
                                         fmt::join(tensor.shape, "x"), tensor.name);
    all.update(std::as_bytes(std::span(line)));
  }
  return toHex(all.finish());
}

Result<std::optional<TwinSnapshot>> twinOf(const Store& store, const std::string& run,
                                           const ModelSource& model, std::uint64_t step,
                                           bool mayBeLossy) {
  return TwinSearch(store, model, mayBeLossy).find(run, step);
}

}  // namespace strata
