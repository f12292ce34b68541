#include "core/ops/versions/restore_converted.h"

#include <algorithm>

#include "core/io/free_space.h"
#include "core/io/owned/owned_file.h"
#include "core/io/special_file.h"
#include "core/model/checkpoint.h"
#include "core/ops/detail/stored_model.h"
#include "core/progress_meter.h"
#include "core/store/objects/probe.h"
#include "core/store/objects/version_chain.h"
#include "core/store/store_location.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTemporaryPrefix = ".strata-file";

class FileSink final : public ByteSink {
 public:
  FileSink(OwnedFile& file, const std::stop_token& stop) : file_(file), stop_(stop) {}
  Result<void> append(std::span<const std::byte> bytes) override {
    constexpr std::size_t kChunk = 4 << 20;
    for (std::size_t at = 0; at < bytes.size(); at += kChunk) {
      if (stop_.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
      STRATA_TRY(file_->append(bytes.subspan(at, std::min(kChunk, bytes.size() - at))));
    }
    return {};
  }

 private:
  OwnedFile& file_;
  const std::stop_token& stop_;
};

Result<void> checkTarget(const RestoreConvertedOptions& options) {
  STRATA_TRY(refuseInsideStore(options.target));
  STRATA_TRY(refuseSpecial(options.target));
  std::error_code status;
  if (fs::is_directory(options.target, status)) {
    return fail(ErrorCode::InvalidArgument, options.target.string() + ": is a folder");
  }
  if (options.force || !fs::exists(fs::symlink_status(options.target, status))) return {};
  return fail(ErrorCode::InvalidArgument, options.target.string() + ": already exists");
}

}  // namespace

Result<RestoreConvertedReport> restoreConverted(const Store& store,
                                                const RestoreConvertedOptions& options,
                                                const std::stop_token& stop,
                                                const ProgressSink& progress) {
  const Stopwatch watch;
  STRATA_TRY(checkTarget(options));
  RestoreConvertedReport report;
  STRATA_TRY(report.version, store.resolveChecked(options.reference));
  const std::string label = report.version.label();
  const auto write = [&]() -> Result<void> {
    STRATA_TRY(const auto reader, openVersion(store, report.version));
    const auto isWanted = [&](const ManifestFile& file) {
      return !options.choice.weightsOnly || !isTrainingState(file.path);
    };
    STRATA_TRY(const auto model,
               StoredModel::open(*reader, label, options.device, {}, stop, progress, isWanted));
    const fs::path folder =
        options.target.has_parent_path() ? options.target.parent_path() : fs::path(".");
    STRATA_TRY(checkFreeSpace(folder, originalBytes(model->description())));
    OwnedFile::removeDead(folder, kTemporaryPrefix);
    STRATA_TRY(OwnedFile file, OwnedFile::make(folder, kTemporaryPrefix));
    FileSink sink(file, stop);
    STRATA_TRY(report.written, options.convert(model->description(), options.choice, sink));
    return options.force ? file->moveTo(options.target) : file->moveToNew(options.target);
  };
  const Result<void> written = write();
  if (!written) return fail(written.error().within("restoring " + label));
  report.seconds = watch.seconds();
  return report;
}

}  // namespace strata
