#include "core/archive/write/version_writer.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <set>

#include "core/archive/pack.h"
#include "core/archive/skeleton.h"
#include "core/archive/write/discarded_objects.h"
#include "core/archive/write/model_skeleton.h"
#include "core/archive/write/part_copies.h"
#include "core/archive/write/part_encoder.h"
#include "core/archive/write/restored_checksums.h"
#include "core/archive/write/version_description.h"
#include "core/archive/write/written_paths.h"
#include "core/float_environment.h"
#include "core/io/mapped_file.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/progress_meter.h"

namespace strata {
namespace {

/// Working memory of one part on its way: both sides, prediction, symbols, payload.
constexpr std::uint64_t kPartMemory = 127'000'000;
/// Share of the ceiling for plans of small parts. Parts whose plans do not fit are planned twice.
constexpr std::uint64_t kPlansShare = 8;
/// Share of it for what tied tensors restore to. Those that do not fit are quantized twice.
constexpr std::uint64_t kOriginalsShare = 8;

/// From so many tensors on what stages have freed is given back between them.
constexpr std::size_t kManyTensors = 10'000;

/// Counts of the small parts with one alphabet, for the table that they share.
struct SharedCounts {
  explicit SharedCounts(std::size_t alphabet) : counts(alphabet) {}

  ContextCounts counts;
  std::size_t users = 0;
};

class VersionWriter {
 public:
  /// `model` is `original`, or that with other checksums.
  VersionWriter(const ModelSource& model, const ModelDescription& original,
                std::shared_ptr<const VersionReader> parent, const WriteOptions& options,
                std::optional<CodecId> wish, ObjectWriter& objects, std::stop_token stop,
                const ProgressSink& progress)
      : source_(model),
        model_(model.description()),
        parent_(std::move(parent)),
        options_(options),
        encoder_(model_, parent_.get(), options.effort, wish, &queues_),
        quick_(model_, parent_.get(), Effort::Default, wish, &queues_),
        pack_(objects),
        objects_(objects),
        stop_(std::move(stop)),
        meter_(progress, "encoding", totalBytes(model_)),
        restored_(model_, options_.restored),
        description_(model_, original, parent_.get(), options_) {}

  Result<WriteReport> run() {
    const DefaultFloatEnvironment environment;
    giveBackMemory();
    if (options_.isBaseNamed) encoder_.tryCounterparts();
    STRATA_TRY(plan());
    if (isLossy()) originals_ = {model_, plan_, options_.memoryBytes / kOriginalsShare};
    STRATA_TRY(planSmallParts());
    STRATA_TRY(writeSharedTables());
    STRATA_TRY(writeSkeletons());
    description_.describeTensors(plan_);
    plan_.parentNames = std::vector<RareText>();
    STRATA_TRY(writeParts());
    if (!options_.isSample) {
      STRATA_TRY(restored_.finish());
      STRATA_TRY(checkReadings());
    }
    return commit();
  }

  /// The model with the checksums of what a lossy version of it restores to.
  Result<std::unique_ptr<ChecksummedModel>> checksummed(std::span<const ChecksumField> fields) {
    const DefaultFloatEnvironment environment;
    STRATA_TRY(plan());
    return ChecksummedModel::make(source_, fields, plan_, encoder_, options_.lossy, stop_);
  }

 private:
  Result<void> plan() {
    STRATA_TRY(queues_.open(options_.device, totalBytes(model_)));
    if (options_.plan != nullptr) {
      plan_ = *options_.plan;
      return {};
    }
    PartSizes sizes{.delta = kQuickPartWords, .alone = kQuickPartWords};
    if (options_.effort == Effort::Best) sizes.delta = kLargePartWords;
    STRATA_TRY(plan_, planModel(model_, parent_.get(), sizes,
                                isLossy() ? EarlierFiles::Ignored : EarlierFiles::Serve,
                                isLossy() ? std::span<const StepGroup>() : options_.stepGroups));
    giveBackMemory();
    return {};
  }

  void giveBackMemory() const noexcept {
    if (model_.tensors.size() >= kManyTensors) giveBackFreedMemory();
  }

  bool isLossy() const noexcept { return !options_.lossy.empty(); }

  /// How the part is quantized; null: not at all. What equals other words of the parent or of the
  /// model stays their copy.
  const LossyChoice* choiceOf(const PartPlan& part) const noexcept {
    if (!isLossy() || part.isIdentical || !options_.lossy[part.tensor]) return nullptr;
    return &*options_.lossy[part.tensor];
  }

  static std::uint64_t totalBytes(const ModelDescription& model) {
    std::uint64_t sum = 0;
    for (const ModelFile& file : model.files) sum += file.bytes.size();
    return sum;
  }

  Result<void> checkStop() const {
    if (stop_.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    return {};
  }

  /// Plans the small parts, of which there may be many, before the tables that they share are made.
  Result<void> planSmallParts() {
    smallPlans_.resize(plan_.parts.size());
    std::mutex mutex;  // guards what follows and sharedCounts_
    std::uint64_t room = options_.memoryBytes / kPlansShare;
    return parallelFor(plan_.parts.size(), [&](std::size_t i) -> Result<void> {
      if (!encoder_.isSmall(plan_.parts[i]) || choiceOf(plan_.parts[i]) != nullptr) return {};
      STRATA_TRY(checkStop());
      STRATA_TRY(SmallPlan plan, encoder_.planSmall(plan_.parts[i]));
      const std::size_t bytes = plan.byteCount();
      const std::lock_guard lock(mutex);
      for (SharedCounts& shared : sharedCounts_) {
        if (shared.counts.alphabet() != plan.counts.alphabet()) continue;
        plan.counts.addTo(shared.counts);
        ++shared.users;
      }
      if (bytes > room) return {};
      room -= bytes;
      smallPlans_[i] = std::make_unique<SmallPlan>(std::move(plan));
      return {};
    });
  }

  Result<void> writeSharedTables() {
    for (const auto& [counts, users] : sharedCounts_) {
      if (users < 2) continue;
      const std::size_t alphabet = counts.alphabet();
      auto tables = std::make_shared<const TableSet>(buildSharedTableSet(counts));
      ByteWriter payload;
      payload.byte(static_cast<std::uint8_t>(alphabet));
      writeTableSet(payload, *tables);
      STRATA_TRY(description_.manifest().tables.emplace_back(), pack_.append(payload.view()));
      (alphabet == 64 ? shared_.narrow : shared_.wide) =
          static_cast<std::uint32_t>(shared_.all.size());
      shared_.all.push_back(std::move(tables));
    }
    return {};
  }

  Result<void> writeSkeletons() {
    for (std::size_t f = 0; f < model_.files.size(); ++f) {
      STRATA_TRY(checkStop());
      STRATA_TRY(writeSkeleton(f, description_.manifest().files.emplace_back()));
    }
    return {};
  }

  Result<void> writeSkeleton(std::size_t file, ManifestFile& out) {
    const std::vector<std::byte> skeleton = skeletonOf(model_, file);
    out.path = model_.files[file].path;
    out.byteCount = model_.files[file].bytes.size();
    out.kind = model_.files[file].kind;
    out.mode = model_.files[file].mode;
    out.skeletonBytes = skeleton.size();
    out.skeletonChecksum = xxh3(skeleton);
    std::vector<std::byte> dictionary;
    std::optional<std::uint32_t> parentFile;
    if (parent_ != nullptr) parentFile = likestFile(parent_->manifest(), model_.files[file]);
    if (parentFile && !skeleton.empty()) {
      STRATA_TRY(dictionary, parent_->skeleton(*parentFile));
    }
    STRATA_TRY(const EncodedSkeleton encoded,
               encodeSkeleton(skeleton, dictionary, options_.effort));
    out.skeletonCodec = encoded.codec;
    if (encoded.codec != SkeletonCodec::Raw && !dictionary.empty()) {
      out.skeletonParent = parentFile;
    }
    if (!encoded.payload.empty()) {
      STRATA_TRY(out.skeleton, pack_.append(encoded.payload));
    }
    STRATA_TRY(const auto decoded, decodeSkeleton(out, encoded.payload, dictionary));
    if (decoded != skeleton) return fail(ErrorCode::Internal, "skeleton does not decode");
    meter_.add(skeleton.size(), model_.files[file].path);
    return {};
  }

  Result<void> writeParts() {
    const std::size_t slots = std::clamp<std::size_t>(
        static_cast<std::size_t>(options_.memoryBytes / kPartMemory), 1, 2 * threadCount());
    std::vector<std::vector<CodedPart>> coded(slots);
    const auto code = [&](std::size_t i, std::size_t slot) -> Result<void> {
      STRATA_TRY(checkStop());
      const PartPlan& part = plan_.parts[i];
      if (part.isIdentical) {
        STRATA_TRY(const Change none,
                   encoder_.confirmIdentical(part, plan_.checksums[part.tensor]));
        coded[slot].push_back({part, {.codec = CodecId::Same, .change = none}});
      } else {
        STRATA_TRY(coded[slot], encodeWholeOrCut(part, smallPlans_[i].get()));
      }
      smallPlans_[i].reset();
      meter_.add(part.shape.byteCount(), model_.tensors[part.tensor].name);
      return {};
    };
    const auto restore = [&](std::size_t, std::size_t slot) -> Result<void> {
      for (CodedPart& one : coded[slot]) STRATA_TRY(appendRestored(one.plan, one.encoded));
      return {};
    };
    const auto write = [&](std::size_t, std::size_t slot) -> Result<void> {
      for (const CodedPart& one : coded[slot]) STRATA_TRY(writePart(one.plan, one.encoded));
      coded[slot] = {};
      return {};
    };
    const PipelineStep consumers[] = {restore, write};
    return orderedPipeline(plan_.parts.size(), slots, code, consumers);
  }

  struct CodedPart {
    PartPlan plan;
    EncodedPart encoded;
  };

  /// With effort `best`, a large part is coded whole, and as the default would have: the smaller
  /// counts. Factors serve a whole matrix best, tables a piece of it.
  Result<std::vector<CodedPart>> encodeWholeOrCut(const PartPlan& part, const SmallPlan* known) {
    STRATA_TRY(EncodedPart whole, encode(part, known));
    std::vector<CodedPart> pieces;
    if (mayCut(part)) {
      constexpr std::size_t kEntryBytes = 24;  // of a part in the manifest, about
      std::size_t bytes = 0;
      for (PartPlan& piece : cutPart(part, kQuickPartWords)) {
        STRATA_TRY(checkStop());
        STRATA_TRY(EncodedPart encoded, quick_.encode(piece, nullptr, shared_));
        bytes += encoded.payload.size() + kEntryBytes;
        pieces.push_back({std::move(piece), std::move(encoded)});
      }
      if (bytes < whole.payload.size() + kEntryBytes) return pieces;
      pieces.clear();
    }
    pieces.push_back({part, std::move(whole)});
    return pieces;
  }

  bool mayCut(const PartPlan& part) const {
    if (options_.effort != Effort::Best || isLossy()) return false;
    const TensorInfo& tensor = model_.tensors[part.tensor];
    const bool isFullWidth =
        part.layout.columnCount == wordMatrix(tensor.type, tensor.shape, tensor.byteCount).columns;
    return part.view && isFullWidth && part.shape.wordCount() > kQuickPartWords;
  }

  Result<EncodedPart> encode(const PartPlan& part, const SmallPlan* known) {
    if (const LossyChoice* choice = choiceOf(part)) {
      auto quantized = encoder_.quantize(part, *choice);
      if (quantized || !isRefusal(quantized.error())) return quantized;
      const std::lock_guard lock(keptExactMutex_);
      keptExact_.insert(model_.tensors[part.tensor].name + ": " + quantized.error().message);
    }
    PartPlan exact = part;
    // The model's own words are not what a lossy version restores in their place.
    if (isLossy() && exact.view && exact.view->own) exact.view.reset();
    if (isLossy()) exact.sibling.reset();
    return encoder_.encode(exact, known, shared_);
  }

  /// What a copy of another tensor of a lossy version restores to.
  Result<std::vector<std::byte>> copiedWords(const PartPlan& copy) const {
    return wordsOfCopy(model_, plan_, copy, [&](const PartPlan& part) {
      if (const auto* kept = originals_.find(part)) {
        return Result<std::vector<std::byte>>(*kept);
      }
      const LossyChoice* const choice = choiceOf(part);
      if (choice != nullptr) return encoder_.quantizedWords(part, *choice);
      return Result<std::vector<std::byte>>(encoder_.words(part));
    });
  }

  Result<void> appendRestored(const PartPlan& part, EncodedPart& encoded) {
    if (options_.isSample) {
      description_.addError(part.tensor, encoded.error);
      partErrors_.push_back(encoded.error);
      return {};
    }
    std::vector<std::byte> copied;
    if (isLossy() && isCopy(part)) {
      STRATA_TRY(copied, copiedWords(part));
      if (copied != encoder_.words(part)) {
        STRATA_TRY(encoded.error, encoder_.lossOf(part, copied));
      }
    } else if (part.counterpart && isCopy(part)) {
      copied = encoder_.words(part);
    }
    if (choiceOf(part) != nullptr) originals_.keep(part, encoded.restored);
    description_.addError(part.tensor, encoded.error);
    const std::span<const std::byte> words = copied.empty() ? encoded.restored : copied;
    if (part.counterpart && !encoded.usesCounterpart && encoded.stepSources == 0) {
      STRATA_TRY(encoded.toBase, encoder_.changeToBase(part, words));
    }
    return restored_.append(part, words);
  }

  /// Whether all readings of the model's files saw the same bytes: those that were planned with,
  /// those that were coded and those that were hashed.
  Result<void> checkReadings() const {
    const auto changed = [&](std::size_t file, const std::string& what) {
      return changedWhileRead(model_.files[file].path, what);
    };
    const auto& skeletons = restored_.skeletonChecksums();
    for (std::size_t f = 0; f < skeletons.size(); ++f) {
      if (skeletons[f] != description_.manifest().files[f].skeletonChecksum) {
        return changed(f, "bytes outside of its weights");
      }
    }
    for (const PartPlan& part : plan_.parts) {
      if (isLossy() && !part.isIdentical) continue;  // coded from one reading
      if (restored_.tensorChecksums()[part.tensor] == checksumOf(part)) continue;
      const TensorInfo& tensor = model_.tensors[part.tensor];
      return changed(tensor.file, "tensor " + tensor.name);
    }
    return {};
  }

  /// What the part's tensor has to be restored as.
  std::uint64_t checksumOf(const PartPlan& part) const {
    if (!isLossy() || !isCopy(part)) return plan_.checksums[part.tensor];
    return restored_.tensorChecksums()[originalOf(model_, part)];
  }

  Result<void> writePart(const PartPlan& part, const EncodedPart& encoded) {
    ManifestPart& out = description_.addPart(part, encoded);
    if (encoded.codec == CodecId::Same) return {};
    STRATA_TRY(out.section, pack_.append(encoded.payload));
    return {};
  }

  Result<WriteReport> commit() {
    // The table of a million tensors takes much memory on its way to its object.
    plan_ = {};
    smallPlans_ = decltype(smallPlans_)();
    originals_ = {};
    giveBackMemory();
    description_.finish(restored_);
    STRATA_TRY(checkStop());
    STRATA_TRY(source_.checkUnchanged());
    STRATA_TRY(pack_.commit(description_.manifest()));
    WriteReport report;
    report.manifest = std::move(description_.manifest());
    STRATA_TRY(const std::string object, serializeManifest(report.manifest));
    if (!options_.isSample) {
      report.manifest = {};  // two of a million tensors take much memory
      giveBackMemory();      // the threads that wrote parts have theirs apart
      STRATA_TRY(report.manifest, parseManifest(std::as_bytes(std::span(object))));
    }
    STRATA_TRY(auto file, objects_.createObject());
    STRATA_TRY(file->append(std::as_bytes(std::span(object))));
    STRATA_TRY(report.manifestDigest, file->commit());
    report.contentDigest = report.manifest.contentDigest;
    report.originalBytes = originalBytes(report.manifest);
    report.packBytes = pack_.byteCount();
    report.storedBytes = report.packBytes + object.size();
    report.error = description_.error();
    report.keptExact.assign(keptExact_.begin(), keptExact_.end());
    report.partErrors = std::move(partErrors_);
    return report;
  }

  const ModelSource& source_;
  const ModelDescription& model_;
  std::shared_ptr<const VersionReader> parent_;
  WriteOptions options_;
  DeviceQueues queues_;
  PartEncoder encoder_;
  PartEncoder quick_;  ///< with the default effort
  PackWriter pack_;
  ObjectWriter& objects_;
  std::stop_token stop_;
  ProgressMeter meter_;
  RestoredStream restored_;
  VersionDescription description_;
  std::vector<QuantizationError> partErrors_;  ///< of a sample
  std::mutex keptExactMutex_;                  ///< guards keptExact_
  std::set<std::string> keptExact_;
  ModelPlan plan_;
  KeptOriginals originals_;                             ///< of the restoring step alone
  std::vector<std::unique_ptr<SmallPlan>> smallPlans_;  ///< null where there was no room, too
  std::array<SharedCounts, 2> sharedCounts_{SharedCounts(64), SharedCounts(128)};
  SharedTableChoice shared_;
};

}  // namespace

Result<WriteReport> writeVersion(const ModelSource& model,
                                 std::shared_ptr<const VersionReader> parent,
                                 const WriteOptions& options, ObjectWriter& objects,
                                 std::stop_token stop, const ProgressSink& progress) {
  STRATA_TRY(checkPaths(model.description()));
  STRATA_TRY(const std::optional<CodecId> wish, exactCodecFromName(options.codec));
  std::unique_ptr<ChecksummedModel> checksummed;
  const auto fields = options.lossy.empty() || options.isSample ? std::vector<ChecksumField>()
                                                                : model.checksumFields();
  if (!fields.empty()) {
    WriteOptions measuring = options;
    measuring.hashOriginal = false;
    DiscardedObjects nowhere;
    STRATA_TRY(checksummed,
               VersionWriter(model, model.description(), parent, measuring, wish, nowhere, stop, {})
                   .checksummed(fields));
  }
  const ModelSource& source = checksummed ? *checksummed : model;
  auto written = VersionWriter(source, model.description(), std::move(parent), options, wish,
                               objects, std::move(stop), progress)
                     .run();
  // A model that changes meanwhile may show as any other error.
  if (!written && written.error().code != ErrorCode::Cancelled) {
    STRATA_TRY(model.checkUnchanged());
  }
  return written;
}

}  // namespace strata
