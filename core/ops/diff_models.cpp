#include "core/ops/diff_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/ops/detail/lineage.h"
#include "core/ops/detail/model_view.h"
#include "core/ops/detail/progress_meter.h"
#include "core/ops/detail/word_change.h"
#include "core/parallel.h"
#include "core/store/version_chain.h"
#include "core/text/glob.h"

namespace strata {
namespace {

/// Read at once from each side. A multiple of what versions are coded in, whatever the word.
constexpr std::uint64_t kChunkBytes = 4 << 20;

struct OpenedSide {
  std::string label;
  std::optional<VersionEntry> version;
  std::unique_ptr<ModelView> view;
};

Result<OpenedSide> openSide(const DiffSide& side) {
  OpenedSide opened{.label = side.label, .version = std::nullopt, .view = nullptr};
  if (side.model != nullptr) {
    opened.view = std::make_unique<ModelView>(*side.model);
    return opened;
  }
  if (side.store == nullptr) return fail(ErrorCode::Internal, "a side of the diff is missing");
  STRATA_TRY(opened.version, side.store->resolveChecked(side.reference));
  if (opened.label.empty()) opened.label = opened.version->label();
  auto reader = openVersion(*side.store, opened.version->contentDigest);
  if (!reader) return fail(reader.error().within(opened.label));
  opened.view = std::make_unique<ModelView>(*std::move(reader));
  return opened;
}

/// A tensor of both sides and a run of its bytes.
struct Chunk {
  std::size_t pair = 0;
  std::uint64_t offset = 0;
  std::uint64_t byteCount = 0;
};

struct Pair {
  const ViewedTensor* a = nullptr;
  const ViewedTensor* b = nullptr;
  WordChange change;

  bool isComparable() const { return a->type == b->type && a->shape == b->shape; }
  bool isKnownEqual() const {
    return isComparable() && a->checksum && b->checksum && *a->checksum == *b->checksum;
  }
};

class Comparison {
 public:
  Comparison(const OpenedSide& a, const OpenedSide& b, const DiffOptions& options)
      : a_(a), b_(b), options_(options) {}

  Result<DiffReport> run(const std::stop_token& stop, const ProgressSink& progress) {
    report_.labelA = a_.label;
    report_.labelB = b_.label;
    report_.versionA = a_.version;
    report_.versionB = b_.version;
    pairTensors();
    STRATA_TRY(compareTensors(stop, progress));
    reportTensors();
    STRATA_TRY(compareFiles(stop));
    return std::move(report_);
  }

 private:
  void pairTensors() {
    std::multimap<std::string_view, const ViewedTensor*> inB;
    for (const ViewedTensor& tensor : b_.view->tensors()) inB.emplace(tensor.name, &tensor);
    for (const ViewedTensor& tensor : a_.view->tensors()) {
      const auto found = inB.find(tensor.name);
      if (found != inB.end()) {
        if (isWanted(tensor.name)) pairs_.push_back({&tensor, found->second, {}});
        inB.erase(found);
      } else if (isWanted(tensor.name)) {
        report_.onlyInA.push_back(tensor.name);
      }
    }
    for (const auto& [name, tensor] : inB) {
      if (isWanted(name)) report_.onlyInB.emplace_back(name);
    }
  }

  bool isWanted(std::string_view name) const { return matchesAnyGlob(name, options_.globs); }

  Result<void> compareTensors(const std::stop_token& stop, const ProgressSink& progress) {
    std::vector<Chunk> chunks;
    std::uint64_t totalBytes = 0;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      Pair& pair = pairs_[i];
      if (!pair.isComparable()) continue;
      if (pair.isKnownEqual()) {
        pair.change.wordCount = pair.a->byteCount / wordFormat(pair.a->type).bytes;
        continue;
      }
      totalBytes += pair.a->byteCount;
      for (std::uint64_t at = 0; at < pair.a->byteCount; at += kChunkBytes) {
        chunks.push_back({i, at, std::min(kChunkBytes, pair.a->byteCount - at)});
      }
    }
    ProgressMeter meter(progress, "comparing", totalBytes);
    std::vector<WordChange> changes(chunks.size());
    STRATA_TRY(parallelFor(chunks.size(), [&](std::size_t i) -> Result<void> {
      if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
      STRATA_TRY(changes[i], compareChunk(chunks[i]));
      meter.add(chunks[i].byteCount, pairs_[chunks[i].pair].a->name);
      return {};
    }));
    // In order, so that sums come out the same for any number of threads.
    for (std::size_t i = 0; i < chunks.size(); ++i) pairs_[chunks[i].pair].change += changes[i];
    return {};
  }

  Result<WordChange> compareChunk(const Chunk& chunk) const {
    const Pair& pair = pairs_[chunk.pair];
    std::vector<std::byte> a(chunk.byteCount);
    std::vector<std::byte> b(chunk.byteCount);
    const auto readA = a_.view->read(pair.a->file, pair.a->offset + chunk.offset, a);
    if (!readA) return fail(readA.error().within(a_.label));
    const auto readB = b_.view->read(pair.b->file, pair.b->offset + chunk.offset, b);
    if (!readB) return fail(readB.error().within(b_.label));
    return compareWords(pair.a->type, a, b);
  }

  void reportTensors() {
    WordChange sum;
    std::uint64_t wordCount = 0;
    for (const Pair& pair : pairs_) {
      // Tensors that are known to be equal are not read, so no equal one counts for the norm.
      if (pair.change.changedWords > 0) sum += pair.change;
      wordCount += pair.change.wordCount;
      TensorDiff diff = tensorDiff(pair);
      const bool isChanged = !diff.comparable || diff.changedWords > 0;
      ++(isChanged ? report_.changedTensors : report_.equalTensors);
      const bool isListed = !diff.comparable || (diff.changedShare() >= options_.threshold &&
                                                 (isChanged || options_.threshold == 0));
      if (isListed) report_.tensors.push_back(std::move(diff));
      if (isChanged && !isListed) ++report_.hiddenTensors;
    }
    report_.relativeChange = sum.relativeChange();
    report_.changedShare =
        wordCount == 0 ? 0 : static_cast<double>(sum.changedWords) / static_cast<double>(wordCount);
    std::stable_sort(report_.tensors.begin(), report_.tensors.end(),
                     [](const TensorDiff& a, const TensorDiff& b) {
                       if (a.comparable != b.comparable) return !a.comparable;
                       return a.relativeChange > b.relativeChange;
                     });
  }

  static TensorDiff tensorDiff(const Pair& pair) {
    TensorDiff diff;
    diff.name = pair.a->name;
    diff.typeA = name(pair.a->type);
    diff.typeB = name(pair.b->type);
    diff.shapeA = pair.a->shape;
    diff.shapeB = pair.b->shape;
    diff.comparable = pair.isComparable();
    diff.byteCount = pair.a->byteCount;
    diff.wordCount = pair.change.wordCount;
    diff.changedWords = pair.change.changedWords;
    diff.relativeChange = pair.change.relativeChange();
    diff.maxAbsChange = pair.change.maxAbsChange;
    diff.storedBytesA = pair.a->storedBytes;
    diff.storedBytesB = pair.b->storedBytes;
    return diff;
  }

  Result<void> compareFiles(const std::stop_token& stop) {
    std::map<std::string_view, std::size_t> inB;
    for (std::size_t i = 0; i < b_.view->files().size(); ++i) {
      inB.emplace(b_.view->files()[i].path, i);
      report_.originalBytesB += b_.view->files()[i].byteCount;
    }
    // Two models of one file each are compared whatever the files are called.
    const bool isSingle = a_.view->files().size() == 1 && b_.view->files().size() == 1;
    for (std::size_t i = 0; i < a_.view->files().size(); ++i) {
      const ViewedFile& file = a_.view->files()[i];
      report_.originalBytesA += file.byteCount;
      const auto found = isSingle ? inB.begin() : inB.find(file.path);
      if (found == inB.end()) {
        report_.filesOnlyInA.push_back(file.path);
        continue;
      }
      STRATA_TRY(const bool isEqual, areFilesEqual(i, found->second, stop));
      if (!isEqual) report_.filesChanged.push_back(file.path);
      inB.erase(found);
    }
    for (const auto& [path, index] : inB) report_.filesOnlyInB.emplace_back(path);
    report_.identical = report_.filesOnlyInA.empty() && report_.filesOnlyInB.empty() &&
                        report_.filesChanged.empty();
    return {};
  }

  Result<bool> areFilesEqual(std::size_t a, std::size_t b, const std::stop_token& stop) const {
    const ViewedFile& fileA = a_.view->files()[a];
    const ViewedFile& fileB = b_.view->files()[b];
    if (fileA.byteCount != fileB.byteCount) return false;
    STRATA_TRY(const Digest digestA, digestOf(*a_.view, a, stop));
    STRATA_TRY(const Digest digestB, digestOf(*b_.view, b, stop));
    return digestA == digestB;
  }

  static Result<Digest> digestOf(const ModelView& view, std::size_t file,
                                 const std::stop_token& stop) {
    const ViewedFile& info = view.files()[file];
    if (info.sha256) return *info.sha256;
    Sha256 hash;
    std::vector<std::byte> buffer(std::min(kChunkBytes, info.byteCount));
    for (std::uint64_t at = 0; at < info.byteCount; at += kChunkBytes) {
      if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
      const auto piece = std::span(buffer).first(std::min(kChunkBytes, info.byteCount - at));
      STRATA_TRY(view.read(file, at, piece));
      hash.update(piece);
    }
    return hash.finish();
  }

  const OpenedSide& a_;
  const OpenedSide& b_;
  const DiffOptions& options_;
  std::vector<Pair> pairs_;
  DiffReport report_;
};

}  // namespace

Result<DiffReport> diffModels(const DiffSide& a, const DiffSide& b, const DiffOptions& options,
                              std::stop_token stop, const ProgressSink& progress) {
  STRATA_TRY(const OpenedSide openedA, openSide(a));
  STRATA_TRY(const OpenedSide openedB, openSide(b));
  return Comparison(openedA, openedB, options).run(stop, progress);
}

Result<DiffReport> diffToBase(const Store& store, const std::string& reference,
                              const DiffOptions& options, std::stop_token stop,
                              const ProgressSink& progress) {
  STRATA_TRY(const VersionEntry version, store.resolve(reference));
  if (version.isBase()) {
    return fail(ErrorCode::InvalidArgument,
                version.label() + ": is a base; name a second version to compare it with");
  }
  STRATA_TRY(const Lineage lineage, Lineage::load(store.catalog()));
  const VersionEntry& base = lineage.rootOf(version);
  if (base.removedAt != 0) {
    return fail(ErrorCode::NotFound, base.label() + ": the base is in the trash");
  }
  const DiffSide a{.store = &store, .reference = base.label(), .model = nullptr, .label = {}};
  const DiffSide b{.store = &store, .reference = version.label(), .model = nullptr, .label = {}};
  return diffModels(a, b, options, std::move(stop), progress);
}

}  // namespace strata
