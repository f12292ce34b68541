#include "core/ops/versions/restore_version.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/archive/file_modes.h"
#include "core/io/free_space.h"
#include "core/io/models/disk_model_sink.h"
#include "core/io/special_file.h"
#include "core/model/checkpoint.h"
#include "core/model/file_mode.h"
#include "core/ops/detail/version_stream.h"
#include "core/progress_meter.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/objects/version_chain.h"
#include "core/store/run_tags.h"
#include "core/store/store_location.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

/// A ModelSink's current file as a ByteSink.
class FileOf final : public ByteSink {
 public:
  explicit FileOf(ModelSink& sink) : sink_(sink) {}
  Result<void> append(std::span<const std::byte> bytes) override { return sink_.append(bytes); }

 private:
  ModelSink& sink_;
};

struct OpenedVersion {
  VersionEntry entry;
  std::shared_ptr<const VersionReader> reader;
};

Result<OpenedVersion> openReference(const Store& store, const std::string& reference) {
  OpenedVersion opened;
  STRATA_TRY(opened.entry, store.resolveChecked(reference));
  auto reader = openVersion(store, opened.entry);
  if (!reader) return fail(reader.error().within("restoring " + opened.entry.label()));
  opened.reader = *std::move(reader);
  return opened;
}

/// What the files of a version are made with.
struct ModesToRestore {
  FileModes modes;
  bool areKnown = true;  ///< they are those that the version was added with
};

/// The bits stand in the version's own manifest. Where another of the content had to serve, they
/// are not known: then the files are their owner's alone, as they may have been.
Result<ModesToRestore> modesFor(const Store& store, const OpenedVersion& version) {
  const VersionEntry& entry = version.entry;
  ModesToRestore found{modesOf(version.reader->manifest())};
  STRATA_TRY(const auto manifests, store.catalog().manifestsWithContent(entry.contentDigest));
  if (manifests.size() > 1) {
    const auto own = readManifest(store, entry.manifestDigest, entry.contentDigest);
    found.areKnown = own.has_value();
    if (own) found.modes = modesOf(*own);
  }
  for (auto& [path, mode] : found.modes) {
    mode = modeToRestore(mode) & (found.areKnown ? kPermissionBits : kOwnerBits);
  }
  return found;
}

/// Whether the SHA-256 of every file is compared.
bool comparesSha256(const Manifest& manifest, const RestoreOptions& options) {
  return options.verify ||
         std::none_of(manifest.files.begin(), manifest.files.end(),
                      [](const auto& file) { return FileCheck::hasPieces(file); });
}

FileCheck::Level levelOf(const RestoreOptions& options) {
  return options.verify ? FileCheck::Level::Sha256 : FileCheck::Level::Pieces;
}

/// Files are left out as wholes: one with weights and optimizer would come with both.
Result<void> checkParted(const Manifest& manifest, const std::vector<std::size_t>& wanted) {
  for (const ManifestTensor& tensor : manifest.tensors) {
    const bool isWanted = std::find(wanted.begin(), wanted.end(), tensor.file) != wanted.end();
    if (!isWanted || !isOptimizerState(tensor.kind)) continue;
    const std::string& path = manifest.files[tensor.file].path;
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format(
            "{} has the optimizer's state beside weights{}", path,
            path.ends_with(".distcp") ? "" : "; with --format safetensors its weights come alone"));
  }
  return {};
}

/// Numbers of the files that are asked for.
Result<std::vector<std::size_t>> wantedFiles(const Manifest& manifest,
                                             const RestoreOptions& options) {
  std::vector<std::size_t> wanted;
  for (std::size_t i = 0; i < manifest.files.size(); ++i) {
    const bool isLeftOut = options.weightsOnly && isTrainingState(manifest.files[i].path);
    if (!isLeftOut) wanted.push_back(i);
  }
  if (options.weightsOnly) STRATA_TRY(checkParted(manifest, wanted));
  if (!wanted.empty()) return wanted;
  return fail(ErrorCode::InvalidArgument, "has no files but those of the training's state");
}

/// A checkpoint's folder that holds one file is a folder again where nothing says otherwise: a name
/// like the file's means that file, and what is there decides, too. git-lfs's other files are no
/// folders, whatever their manifests say.
bool isFolderOfOne(const Manifest& manifest, const fs::path& target) {
  const ManifestFile& file = manifest.files.front();
  if (manifest.format != "folder" || file.kind == FileKind::Other) return false;
  std::error_code status;
  const bool isFree = !fs::exists(fs::symlink_status(target, status)) ||
                      (fs::is_directory(target, status) && fs::is_empty(target, status));
  return isFree && target.extension() != fs::path(file.path).extension();
}

/// What is left of a folder is one, also where it is a single file.
DiskTarget::Shape shapeOf(const VersionEntry& version, const Manifest& manifest,
                          const fs::path& target) {
  const bool isFolder =
      manifest.files.size() > 1 || isWeightsOnly(version) || isFolderOfOne(manifest, target);
  return isFolder ? DiskTarget::Shape::Folder : DiskTarget::Shape::FileIfOne;
}

Result<void> writeFiles(const VersionReader& reader, const std::vector<std::size_t>& wanted,
                        const FileModes& modes, ModelSink& sink, FileCheck::Level level,
                        const std::stop_token& stop, ProgressMeter& meter, PieceDecoder& decoder) {
  const Manifest& manifest = reader.manifest();
  FileOf file(sink);
  for (const std::size_t i : wanted) {
    const std::string& path = manifest.files[i].path;
    STRATA_TRY(sink.beginFile(path, modes.at(path)));
    STRATA_TRY(streamFile(reader, i, file, level, stop, meter, decoder));
    STRATA_TRY(sink.endFile());
  }
  if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
  return {};
}

/// Writes a model of one file into what its path leads to.
Result<void> writeInto(const fs::path& path, const VersionReader& reader, std::size_t file,
                       const RestoreOptions& options, const std::stop_token& stop,
                       ProgressMeter& meter) {
  STRATA_TRY(PieceDecoder decoder,
             PieceDecoder::make(options.device, originalBytes(reader.manifest())));
  STRATA_TRY(StreamSink sink, StreamSink::open(path, stop));
  STRATA_TRY(streamFile(reader, file, sink, levelOf(options), stop, meter, decoder));
  return sink.finish();
}

}  // namespace

Result<RestoreReport> restoreVersion(const Store& store, const RestoreOptions& options,
                                     std::stop_token stop, const ProgressSink& progress) {
  const Stopwatch watch;
  STRATA_TRY(const OpenedVersion version, openReference(store, options.reference));
  const Manifest& manifest = version.reader->manifest();
  std::vector<std::string> paths;
  auto wanted = wantedFiles(manifest, options);
  if (!wanted) return fail(wanted.error().within(version.entry.label()));
  std::uint64_t wantedBytes = 0;
  for (const std::size_t i : *wanted) {
    paths.push_back(manifest.files[i].path);
    wantedBytes += manifest.files[i].byteCount;
  }
  STRATA_TRY(refuseInsideStore(options.target));
  STRATA_TRY(DiskTarget target,
             DiskTarget::plan(options.target, paths, options.force, options.backup,
                              shapeOf(version.entry, manifest, options.target)));
  // A folder of the target may be a store.
  for (const fs::path& file : target.files) STRATA_TRY(refuseInsideStore(file));
  RestoreReport report{.version = version.entry,
                       .files = target.files,
                       .backups = {},
                       .comparedSha256 = comparesSha256(manifest, options),
                       .writtenBytes = wantedBytes};
  if (target.isStream) {
    if (options.dryRun) return report;
    ProgressMeter meter(progress, "restoring", report.writtenBytes);
    const Result<void> written =
        writeInto(target.files[0], *version.reader, wanted->front(), options, stop, meter);
    if (!written) return fail(written.error().within("restoring " + version.entry.label()));
    meter.finish(version.entry.label());
    report.seconds = watch.seconds();
    return report;
  }
  STRATA_TRY(report.freeBytes, freeBytes(options.target));
  STRATA_TRY(const ModesToRestore modes, modesFor(store, version));
  report.modesAreKnown = modes.areKnown;
  if (options.dryRun) return report;
  STRATA_TRY(checkFreeSpace(options.target, report.writtenBytes));
  STRATA_TRY(const auto sink, DiskModelSink::create(std::move(target)));
  STRATA_TRY(PieceDecoder decoder, PieceDecoder::make(options.device, report.writtenBytes));
  ProgressMeter meter(progress, "restoring", report.writtenBytes);
  const Result<void> written = writeFiles(*version.reader, *wanted, modes.modes, *sink,
                                          levelOf(options), stop, meter, decoder);
  if (!written) return fail(written.error().within("restoring " + version.entry.label()));
  STRATA_TRY(sink->commit());
  meter.finish(version.entry.label());
  report.backups = sink->backups();
  report.seconds = watch.seconds();
  return report;
}

Result<RestoreReport> restoreToSink(const Store& store, const RestoreOptions& options,
                                    ByteSink& sink, std::stop_token stop,
                                    const ProgressSink& progress) {
  const Stopwatch watch;
  STRATA_TRY(const OpenedVersion version, openReference(store, options.reference));
  const Manifest& manifest = version.reader->manifest();
  if (manifest.files.size() != 1) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: has {} files, a stream takes one; give a folder instead",
                            version.entry.label(), manifest.files.size()));
  }
  RestoreReport report{.version = version.entry,
                       .files = {},
                       .backups = {},
                       .comparedSha256 = comparesSha256(manifest, options),
                       .writtenBytes = originalBytes(manifest)};
  STRATA_TRY(PieceDecoder decoder, PieceDecoder::make(options.device, report.writtenBytes));
  ProgressMeter meter(progress, "restoring", report.writtenBytes);
  const Result<void> streamed =
      streamFile(*version.reader, 0, sink, levelOf(options), stop, meter, decoder);
  if (!streamed) return fail(streamed.error().within("restoring " + version.entry.label()));
  meter.finish(version.entry.label());
  report.seconds = watch.seconds();
  return report;
}

}  // namespace strata
