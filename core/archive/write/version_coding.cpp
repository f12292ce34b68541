#include "core/archive/write/version_coding.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/archive/skeleton.h"
#include "core/archive/write/model_skeleton.h"
#include "core/model/model_path.h"
#include "core/parallel.h"

namespace strata {
namespace {

/// Working memory of one part on its way: both sides, prediction, symbols, payload.
constexpr std::uint64_t kPartMemory = 127'000'000;

/// What a manifest may not say is not written: it could not be read again.
Result<void> checkPaths(const ModelDescription& model) {
  std::vector<std::string_view> paths;
  for (const ModelFile& file : model.files) {
    if (!isModelPath(file.path)) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("\"{}\" is no path inside a model", file.path));
    }
    paths.emplace_back(file.path);
  }
  const std::string_view folder = fileAsFolder(paths);
  if (folder.empty()) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("\"{}\" is a file of the model and the folder of another one", folder));
}

}  // namespace

VersionCoding::VersionCoding(const ModelDescription& model, const ModelDescription& original,
                             const VersionReader* parent, const CodingOptions& coding,
                             const RecordOptions& record, std::optional<CodecId> wish,
                             ObjectWriter& objects, std::stop_token stop,
                             const ProgressSink& progress)
    : model_(model),
      parent_(parent),
      options_(coding),
      stop_(std::move(stop)),
      meter_(progress, "encoding", totalBytes(model)),
      coder_(model, parent, coding, wish),
      pack_(objects),
      description_(model, original, parent, coding, record) {}

Result<void> VersionCoding::open() {
  STRATA_TRY(checkPaths(model_));
  return coder_.open();
}

Result<void> VersionCoding::run(const PartTaker& take) {
  STRATA_TRY(coder_.planSmallParts(stop_));
  STRATA_TRY(coder_.writeSharedTables(pack_, description_.manifest()));
  STRATA_TRY(writeSkeletons());
  description_.describeTensors(coder_.plan());
  return writeParts(take);
}

Result<void> VersionCoding::writeSkeletons() {
  for (std::size_t f = 0; f < model_.files.size(); ++f) {
    STRATA_TRY(checkStop(stop_));
    STRATA_TRY(writeSkeleton(f, description_.manifest().files.emplace_back()));
  }
  return {};
}

Result<void> VersionCoding::writeSkeleton(std::size_t file, ManifestFile& out) {
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
  STRATA_TRY(const EncodedSkeleton encoded, encodeSkeleton(skeleton, dictionary, options_.effort));
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

Result<void> VersionCoding::writeParts(const PartTaker& take) {
  const std::size_t slots = std::clamp<std::size_t>(
      static_cast<std::size_t>(options_.memoryBytes / kPartMemory), 1, 2 * threadCount());
  std::vector<std::vector<CodedPart>> coded(slots);
  const std::vector<PartPlan>& parts = coder_.plan().parts;
  const auto code = [&](std::size_t i, std::size_t slot) -> Result<void> {
    STRATA_TRY(checkStop(stop_));
    STRATA_TRY(coded[slot], coder_.code(i, stop_));
    meter_.add(parts[i].shape().byteCount(), model_.tensors[parts[i].tensor].name);
    return {};
  };
  const auto takeAll = [&](std::size_t, std::size_t slot) -> Result<void> {
    for (CodedPart& one : coded[slot]) STRATA_TRY(take(one.plan, one.encoded));
    return {};
  };
  const auto write = [&](std::size_t, std::size_t slot) -> Result<void> {
    for (const CodedPart& one : coded[slot]) STRATA_TRY(writePart(one.plan, one.encoded));
    coded[slot] = {};
    return {};
  };
  const PipelineStage consumers[] = {takeAll, write};
  return orderedPipeline(parts.size(), slots, code, consumers);
}

Result<void> VersionCoding::writePart(const PartPlan& part, const EncodedPart& encoded) {
  ManifestPart& out = description_.addPart(part, encoded);
  if (encoded.codec == CodecId::Same) return {};
  STRATA_TRY(out.section, pack_.append(encoded.payload));
  return {};
}

void VersionCoding::forgetPlan() {
  coder_.forgetPlan();
  giveBackAfterMany(model_);
}

Result<std::uint64_t> VersionCoding::commitPack() {
  STRATA_TRY(pack_.commit(description_.manifest()));
  return pack_.byteCount();
}

}  // namespace strata
