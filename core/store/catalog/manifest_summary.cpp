#include "core/store/catalog/manifest_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/archive/word_values.h"
#include "core/store/catalog/tensor_state.h"

namespace strata {
namespace {

void countTensors(const Manifest& manifest, VersionEntry& entry) {
  for (const ManifestTensor& tensor : manifest.tensors) {
    if (isPieceOfFile(manifest, tensor)) continue;
    ++entry.tensorCount;
    const TensorState state = tensorState(tensor);
    if (state == TensorState::Same) ++entry.sameTensors;
    if (state == TensorState::Changed) ++entry.changedTensors;
    if (state == TensorState::New) ++entry.newTensors;
  }
}

/// For manifests of earlier programs, which have no change of the whole: shares of bytes stand in
/// for the norms of tensors.
double changeByBytes(const Manifest& manifest) {
  double weighted = 0;
  double weights = 0;
  for (const ManifestTensor& tensor : manifest.tensors) {
    if (!hasDistance(tensor.type)) continue;
    const double change = tensor.relativeChange;
    if (tensorState(tensor) == TensorState::New || !std::isfinite(change)) continue;
    const auto weight = static_cast<double>(byteCount(tensor));
    weighted += weight * change * change;
    weights += weight;
  }
  return weights > 0 ? std::sqrt(weighted / weights) : 0;
}

double changeOf(const Manifest& manifest) {
  const double change = manifest.relativeChange;
  const bool isMeasured = change > 0 || manifest.changeLeftOut > 0;
  return std::isfinite(change) && isMeasured ? change : changeByBytes(manifest);
}

class FolderReader final : public ObjectReader {
 public:
  explicit FolderReader(const ObjectFolder& folder) : folder_(folder) {}
  Result<MappedFile> openObject(const Digest& digest) const override {
    return folder_.open(digest);
  }

 private:
  const ObjectFolder& folder_;
};

/// Where the last section of each pack ends. A writer puts nothing behind it.
std::vector<std::uint64_t> packEnds(const Manifest& manifest) {
  std::vector<std::uint64_t> ends(manifest.packs.size(), 0);
  const auto take = [&](const PackSection& section) {
    std::uint64_t& end = ends[section.pack];
    end = std::max(end, section.offset + section.byteCount);
  };
  for (const PackSection& section : manifest.tables) take(section);
  for (const ManifestFile& file : manifest.files) {
    if (file.skeleton) take(*file.skeleton);
  }
  for (const ManifestTensor& tensor : manifest.tensors) {
    for (const ManifestPart& part : tensor.parts) {
      if (part.section) take(*part.section);
    }
  }
  return ends;
}

/// The size of a pack whose last section ends at `end` and whose file has `here` bytes. A file of
/// another size counts if its hash fits: FORMAT lets other writers put bytes behind the sections.
std::uint64_t packSize(const ObjectFolder& objects, const Digest& pack, std::uint64_t end,
                       std::uint64_t here) {
  if (here == end) return end;
  const auto file = objects.open(pack);
  const bool isSound = file && sha256(file->bytes()) == pack;
  return isSound || end == 0 ? here : end;
}

}  // namespace

ManifestSummary summarize(const Manifest& manifest, const Digest& manifestDigest,
                          const ObjectFolder& objects) {
  ManifestSummary summary;
  VersionEntry& entry = summary.entry;
  entry.contentDigest = manifest.contentDigest;
  entry.manifestDigest = manifestDigest;
  entry.parentDigest = manifest.parentDigest;
  entry.depth = manifest.depth;
  entry.format = manifest.format;
  entry.effort = manifest.effort;
  entry.profile = manifest.profile;
  entry.lossy = manifest.lossy;
  entry.originalBytes = originalBytes(manifest);
  entry.fileCount = static_cast<std::uint32_t>(manifest.files.size());
  countTensors(manifest, entry);
  entry.relativeChange = changeOf(manifest);
  summary.manifestBytes = objects.byteCount(manifestDigest).value_or(0);
  summary.packs = manifest.packs;
  const std::vector<std::uint64_t> ends = packEnds(manifest);
  for (std::size_t i = 0; i < summary.packs.size(); ++i) {
    const auto here = objects.byteCount(summary.packs[i]);
    summary.packBytes.push_back(here ? packSize(objects, summary.packs[i], ends[i], *here) : 0);
    if (here) summary.packsHere.insert(summary.packs[i]);
  }
  return summary;
}

void lookForPacks(ManifestSummary& summary, const ObjectFolder& objects) {
  summary.packsHere.clear();
  for (std::size_t i = 0; i < summary.packs.size(); ++i) {
    const auto here = objects.byteCount(summary.packs[i]);
    if (summary.packBytes[i] == 0) summary.packBytes[i] = here.value_or(0);
    if (here) summary.packsHere.insert(summary.packs[i]);
  }
}

void restOn(VersionRef& ref, const ManifestSummary& manifest) {
  if (ref.manifestDigest == manifest.entry.manifestDigest) return;
  ref.manifestDigest = manifest.entry.manifestDigest;
  if (ref.storedBytes != 0) {
    ref.storedBytes = std::accumulate(manifest.packBytes.begin(), manifest.packBytes.end(),
                                      manifest.manifestBytes);
  }
  if (ref.awaited) ref.awaited->packBytes = manifest.packBytes;
}

Result<Manifest> readManifest(const ObjectReader& objects, const Digest& manifestDigest,
                              const Digest& contentDigest) {
  STRATA_TRY(const MappedFile object, objects.openObject(manifestDigest));
  const std::string name = "manifest " + shortHex(manifestDigest);
  if (sha256(object.bytes()) != manifestDigest) {
    return fail(ErrorCode::CorruptData,
                fmt::format("manifest {} {}", toHex(manifestDigest),
                            object.hasFailed() ? kUnreadable : "does not match its hash"));
  }
  Result<Manifest> manifest = parseManifest(object.bytes());
  if (!manifest) return fail(manifest.error().within(name));
  if (manifest->contentDigest != contentDigest ||
      strata::contentDigest(*manifest) != contentDigest) {
    return fail(ErrorCode::CorruptData,
                fmt::format("{} holds another model than {}", name, shortHex(contentDigest)));
  }
  return manifest;
}

Result<Manifest> readManifest(const ObjectFolder& objects, const Digest& manifestDigest,
                              const Digest& contentDigest) {
  return readManifest(FolderReader(objects), manifestDigest, contentDigest);
}

}  // namespace strata
