#include "core/archive/write/version_writer.h"

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "core/archive/detail/manifest_message.h"
#include "core/archive/write/part_copies.h"
#include "core/archive/write/restored_checksums.h"
#include "core/archive/write/version_coding.h"
#include "core/float_environment.h"
#include "core/io/mapped_file.h"

namespace strata {
namespace {

/// Share of the ceiling for what tied tensors restore to. Those that do not fit are quantized
/// twice.
constexpr std::uint64_t kOriginalsShare = 8;

/// Writes one version: what VersionCoding codes is put together as it will be restored, compared
/// with the model, and committed.
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
        objects_(objects),
        stop_(stop),
        restored_(model_, options.restored),
        coding_(model_, original, parent_.get(), options, options, wish, objects, std::move(stop),
                progress) {}

  Result<WriteReport> run() {
    const DefaultFloatEnvironment environment;
    STRATA_TRY(coding_.open());
    if (options_.isLossy()) {
      originals_ = {model_, coding_.coder().plan(), options_.memoryBytes / kOriginalsShare};
    }
    STRATA_TRY(coding_.run([this](const PartPlan& part, EncodedPart& encoded) {
      return appendRestored(part, encoded);
    }));
    STRATA_TRY(restored_.finish());
    STRATA_TRY(checkReadings());
    return commit();
  }

 private:
  /// What a copy of another tensor of a lossy version restores to.
  Result<std::vector<std::byte>> copiedWords(const PartPlan& copy) const {
    const PartCoder& coder = coding_.coder();
    return wordsOfCopy(model_, coder.plan(), copy, [&](const PartPlan& part) {
      if (const auto* kept = originals_.find(part)) {
        return Result<std::vector<std::byte>>(*kept);
      }
      const LossyChoice* const choice = coder.choiceOf(part);
      if (choice != nullptr) return coder.encoder().quantizedWords(part, *choice);
      return Result<std::vector<std::byte>>(coder.encoder().words(part));
    });
  }

  Result<void> appendRestored(const PartPlan& part, EncodedPart& encoded) {
    const PartEncoder& encoder = coding_.coder().encoder();
    std::vector<std::byte> copied;
    if (options_.isLossy() && isCopy(part)) {
      STRATA_TRY(copied, copiedWords(part));
      if (copied != encoder.words(part)) {
        STRATA_TRY(encoded.error, encoder.lossOf(part, copied));
      }
    } else if (part.counterpart && isCopy(part)) {
      copied = encoder.words(part);
    }
    if (coding_.coder().choiceOf(part) != nullptr) originals_.keep(part, encoded.restored);
    coding_.description().addError(part.tensor, encoded.error);
    const std::span<const std::byte> words = copied.empty() ? encoded.restored : copied;
    if (part.counterpart && !encoded.usesCounterpart && encoded.stepSources == 0) {
      STRATA_TRY(encoded.toBase, encoder.changeToBase(part, words));
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
      if (skeletons[f] != coding_.description().manifest().files[f].skeletonChecksum) {
        return changed(f, "bytes outside of its weights");
      }
    }
    for (const PartPlan& part : coding_.coder().plan().parts) {
      if (options_.isLossy() && !part.isIdentical) continue;  // coded from one reading
      if (restored_.tensorChecksums()[part.tensor] == checksumOf(part)) continue;
      const TensorInfo& tensor = model_.tensors[part.tensor];
      return changed(tensor.file, "tensor " + tensor.name);
    }
    return {};
  }

  /// What the part's tensor has to be restored as.
  std::uint64_t checksumOf(const PartPlan& part) const {
    if (!options_.isLossy() || !isCopy(part)) return coding_.coder().plan().checksums[part.tensor];
    return restored_.tensorChecksums()[originalOf(model_, part)];
  }

  Result<WriteReport> commit() {
    originals_ = {};
    VersionDescription& description = coding_.description();
    description.finish(&restored_);
    parent_.reset();  // makes room for the manifest, as the plan does
    coding_.forgetPlan();
    STRATA_TRY(checkStop(stop_));
    STRATA_TRY(source_.checkUnchanged());
    WriteReport report;
    STRATA_TRY(report.packBytes, coding_.commitPack());
    STRATA_TRY(const std::string object, serializeManifest(description.manifest()));
    description.manifest().tensors.clear();
    giveBackAfterMany(model_);
    STRATA_TRY(report.manifest, parseManifest(std::as_bytes(std::span(object))));
    STRATA_TRY(auto file, objects_.createObject());
    STRATA_TRY(file->append(std::as_bytes(std::span(object))));
    STRATA_TRY(report.manifestDigest, file->commit());
    report.contentDigest = report.manifest.contentDigest;
    report.originalBytes = originalBytes(report.manifest);
    report.storedBytes = report.packBytes + object.size();
    report.error = description.error();
    const std::set<std::string>& keptExact = coding_.coder().keptExact();
    report.keptExact.assign(keptExact.begin(), keptExact.end());
    return report;
  }

  const ModelSource& source_;
  const ModelDescription& model_;
  std::shared_ptr<const VersionReader> parent_;
  const WriteOptions& options_;
  ObjectWriter& objects_;
  std::stop_token stop_;
  RestoredStream restored_;
  VersionCoding coding_;
  KeptOriginals originals_;  ///< while the model is restored
};

/// The model with the checksums of what a lossy version of it restores to.
Result<std::unique_ptr<ChecksummedModel>> withChecksums(
    const ModelSource& model, std::span<const ChecksumField> fields, const VersionReader* parent,
    const CodingOptions& options, std::optional<CodecId> wish, const std::stop_token& stop) {
  const DefaultFloatEnvironment environment;
  PartCoder coder(model.description(), parent, options, wish);
  STRATA_TRY(coder.open());
  return ChecksummedModel::make(model, fields, coder.plan(), coder.encoder(), options.lossy, stop);
}

}  // namespace

Result<WriteReport> writeVersion(const ModelSource& model,
                                 std::shared_ptr<const VersionReader> parent,
                                 const WriteOptions& options, ObjectWriter& objects,
                                 std::stop_token stop, const ProgressSink& progress) {
  STRATA_TRY(const std::optional<CodecId> wish, exactCodecFromName(options.codec));
  std::unique_ptr<ChecksummedModel> checksummed;
  const auto fields = options.isLossy() ? model.checksumFields() : std::vector<ChecksumField>();
  if (!fields.empty()) {
    STRATA_TRY(checksummed, unlessChanged(model, withChecksums(model, fields, parent.get(), options,
                                                               wish, stop)));
  }
  const ModelSource& source = checksummed ? *checksummed : model;
  return unlessChanged(model, VersionWriter(source, model.description(), std::move(parent), options,
                                            wish, objects, std::move(stop), progress)
                                  .run());
}

}  // namespace strata
