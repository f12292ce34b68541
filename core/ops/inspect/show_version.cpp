#include "core/ops/inspect/show_version.h"

#include <algorithm>

#include "core/archive/word_values.h"
#include "core/evaluate/score_change.h"
#include "core/ops/detail/awaited_amounts.h"
#include "core/ops/detail/lineage.h"
#include "core/store/catalog/manifest_summary.h"

namespace strata {
namespace {

TensorRow tensorRow(const Manifest& manifest, const ManifestTensor& tensor) {
  TensorRow row;
  row.name = tensor.name;
  row.type = tensor.type;
  row.shape = tensor.shape;
  row.kind = tensor.kind;
  row.state = tensorState(tensor);
  row.codec = codecNames(tensor);
  row.parentName = tensor.parentName.view();
  row.file = manifest.files[tensor.file].path;
  row.originalBytes = byteCount(tensor);
  row.storedBytes = storedBytes(tensor);
  row.changedShare = tensor.changed;
  row.relativeChange = tensor.relativeChange;
  return row;
}

void sortRows(std::vector<TensorRow>& rows, ShowOptions::Sort sort) {
  const auto descending = [&](auto value) {
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const TensorRow& a, const TensorRow& b) { return value(a) > value(b); });
  };
  switch (sort) {
    case ShowOptions::Sort::File:
      return;
    case ShowOptions::Sort::Name:
      std::stable_sort(rows.begin(), rows.end(),
                       [](const TensorRow& a, const TensorRow& b) { return a.name < b.name; });
      return;
    case ShowOptions::Sort::Original:
      return descending([](const TensorRow& row) { return row.originalBytes; });
    case ShowOptions::Sort::Stored:
      return descending([](const TensorRow& row) { return row.storedBytes; });
    case ShowOptions::Sort::Ratio:
      return descending([](const TensorRow& row) { return row.ratio(); });
    case ShowOptions::Sort::Change:
      return descending([](const TensorRow& row) { return row.relativeChange; });
  }
}

/// Share of the integers that differ from the parent's.
std::optional<double> changedIntegers(const Manifest& manifest) {
  double changed = 0;
  double all = 0;
  for (const ManifestTensor& tensor : manifest.tensors) {
    if (!hasValues(tensor.type) || hasDistance(tensor.type)) continue;
    if (tensorState(tensor) == TensorState::New) continue;
    const double words =
        static_cast<double>(byteCount(tensor)) / static_cast<double>(wordFormat(tensor.type).bytes);
    changed += words * static_cast<double>(tensor.changed);
    all += words;
  }
  return all > 0 ? std::optional(changed / all) : std::nullopt;
}

}  // namespace

Result<ShowReport> showVersion(const Store& store, const ShowOptions& options) {
  ShowReport report;
  STRATA_TRY(report.version, store.resolve(options.reference));
  const VersionEntry& version = report.version;
  auto manifest = readManifest(store, version.manifestDigest, version.contentDigest);
  if (!manifest) return fail(manifest.error().within(version.label()));
  STRATA_TRY(const Lineage lineage, Lineage::of(store.catalog(), version));
  report.version.depth = lineage.depthOf(version);
  report.parentLabel = lineage.parentLabel(version);
  report.baseLabel = lineage.baseLabel(version);
  STRATA_TRY(const AwaitedAmounts amounts, AwaitedAmounts::load(store.catalog(), lineage));
  report.awaited = amounts.of(version);
  if (report.awaited.isHere()) {
    STRATA_TRY(report.taken, takenBytes(store, version));
  }
  STRATA_TRY(const auto dependants, store.catalog().dependants(version.contentDigest, Place::Live));
  for (const VersionEntry& dependant : dependants) report.dependants.push_back(dependant.label());
  for (const ManifestFile& file : manifest->files) {
    report.files.push_back({file.path, file.kind, file.byteCount, file.sha256, file.mode});
  }
  for (const MetadataEntry& entry : manifest->metadata) {
    report.metadata.emplace_back(entry.key, entry.value);
  }
  report.packs = manifest->packs;
  report.quality = manifest->quality;
  report.relativeError = manifest->relativeError;
  report.roleErrors = roleErrors(*manifest);
  report.changedIntegers = changedIntegers(*manifest);
  report.changeCountsIntegers = changeCountsIntegers(*manifest);
  report.tensorCount = manifest->tensors.size();
  report.filePieces = static_cast<std::uint64_t>(std::ranges::count_if(
      manifest->tensors,
      [&](const ManifestTensor& tensor) { return isPieceOfFile(*manifest, tensor); }));
  if (!options.tensors) return report;
  for (const ManifestTensor& tensor : manifest->tensors) {
    report.tensors.push_back(tensorRow(*manifest, tensor));
  }
  sortRows(report.tensors, options.sort);
  if (options.limit != 0 && report.tensors.size() > options.limit) {
    report.tensors.resize(options.limit);
  }
  return report;
}

std::string qualityText(const QualityScore& quality) {
  const std::optional<double> pValue =
      quality.pValue >= 0 ? std::optional(quality.pValue) : std::nullopt;
  const std::string text =
      scoreChangeText(quality.metric, quality.reference, quality.score, quality.samples, pValue);
  return quality.data == "test" ? "test: " + text : text;
}

}  // namespace strata
