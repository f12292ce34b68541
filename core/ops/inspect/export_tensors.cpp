#include "core/ops/inspect/export_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/io/os_error.h"
#include "core/io/owned_file.h"
#include "core/io/special_file.h"
#include "core/io/temp_file.h"
#include "core/ops/inspect/detail/chunk_bytes.h"
#include "core/ops/inspect/detail/model_view.h"
#include "core/ops/inspect/detail/npy_format.h"
#include "core/progress_meter.h"
#include "core/store/objects/version_chain.h"
#include "core/store/store_location.h"
#include "core/text/glob.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTemporaryPrefix = ".strata-file";
constexpr std::size_t kMostNameBytes = 200;

/// A file name for a tensor: nothing that a shell or another system would trip over.
std::string fileName(std::string_view tensorName) {
  std::string name;
  for (const char c : tensorName.substr(0, kMostNameBytes)) {
    const bool isPlain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                         (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
    name += isPlain ? c : '_';
  }
  if (name.empty() || name[0] == '.' || name[0] == '-') name.insert(0, "_");
  return name;
}

struct Job {
  const ViewedTensor* tensor = nullptr;
  fs::path path;
};

fs::path folderOf(const Job& job) {
  return job.path.has_parent_path() ? job.path.parent_path() : fs::path(".");
}

Result<std::vector<Job>> planJobs(const ModelView& view, const ExportOptions& options,
                                  const std::string& label) {
  std::vector<Job> jobs;
  for (const ViewedTensor& tensor : view.tensors()) {
    if (matchesAnyGlob(tensor.name, options.globs)) jobs.push_back({&tensor, {}});
  }
  std::vector<std::string_view> names;
  for (const ViewedTensor& tensor : view.tensors()) names.push_back(tensor.name);
  if (const std::string* const glob = unmatchedGlob(options.globs, names)) {
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("{0}: none of its {1} tensors matches {2}; \"strata show {0} --tensors\" "
                    "names them",
                    label, names.size(), *glob));
  }
  const bool isFile = options.target.extension() == ".npy";
  if (isFile && jobs.size() > 1) {
    return fail(ErrorCode::InvalidArgument, fmt::format("{}: {} tensors match, give a folder",
                                                        options.target.string(), jobs.size()));
  }
  std::set<std::string> taken;
  for (Job& job : jobs) {
    const std::string stem = fileName(job.tensor->name);
    std::string name = stem;
    for (int i = 2; !taken.insert(name).second; ++i) name = fmt::format("{}-{}", stem, i);
    job.path = isFile ? options.target : options.target / (name + ".npy");
    STRATA_TRY(refuseSpecial(job.path));
    std::error_code status;
    if (!options.force && fs::exists(fs::symlink_status(job.path, status))) {
      return fail(ErrorCode::InvalidArgument, job.path.string() + ": already exists");
    }
  }
  if (!isFile) {
    std::error_code status;
    fs::create_directories(options.target, status);
    if (status) return fail(osError(options.target, "create", status.value()));
  }
  return jobs;
}

Result<ExportedTensor> writeTensor(const ModelView& view, const Job& job, bool force,
                                   const std::stop_token& stop, ProgressMeter& meter) {
  const ViewedTensor& tensor = *job.tensor;
  const NpyLayout layout = npyLayout(tensor.type, tensor.shape, tensor.byteCount);
  STRATA_TRY(OwnedFile file, OwnedFile::make(folderOf(job), kTemporaryPrefix));
  const std::string header = npyHeader(layout);
  STRATA_TRY(file->append(std::as_bytes(std::span(header))));
  std::vector<std::byte> chunk;
  for (std::uint64_t at = 0; at < tensor.byteCount; at += kChunkBytes) {
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    chunk.resize(std::min(kChunkBytes, tensor.byteCount - at));
    STRATA_TRY(view.read(tensor.file, tensor.offset + at, chunk));
    STRATA_TRY(file->append(layout.isWidened ? widenBf16(chunk) : chunk));
    meter.add(chunk.size(), tensor.name);
  }
  const std::uint64_t byteCount = file->byteCount();
  STRATA_TRY(force ? file->moveTo(job.path) : file->moveToNew(job.path));
  return ExportedTensor{tensor.name, job.path, std::string(name(tensor.type)), layout.type,
                        byteCount};
}

}  // namespace

Result<ExportReport> exportTensors(const Store& store, const ExportOptions& options,
                                   std::stop_token stop, const ProgressSink& progress) {
  ExportReport report;
  STRATA_TRY(refuseInsideStore(options.target));
  STRATA_TRY(report.version, store.resolveChecked(options.reference));
  const std::string label = report.version.label();
  auto reader = openVersion(store, report.version.contentDigest);
  if (!reader) return fail(reader.error().within("restoring " + label));
  const ModelView view(*std::move(reader));
  STRATA_TRY(const std::vector<Job> jobs, planJobs(view, options, label));
  std::uint64_t totalBytes = 0;
  for (const Job& job : jobs) totalBytes += job.tensor->byteCount;
  // All go into one folder.
  if (!jobs.empty()) OwnedFile::removeDead(folderOf(jobs.front()), kTemporaryPrefix);
  ProgressMeter meter(progress, "restoring", totalBytes);
  for (const Job& job : jobs) {
    auto written = writeTensor(view, job, options.force, stop, meter);
    if (!written) return fail(written.error().within("restoring " + label));
    report.tensors.push_back(*std::move(written));
  }
  meter.finish(label);
  return report;
}

}  // namespace strata
