#include "core/ops/inspect/export_tensors.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <list>
#include <memory>
#include <optional>
#include <set>

#include "core/io/os_error.h"
#include "core/io/owned/owned_file.h"
#include "core/io/special_file.h"
#include "core/io/temp_file.h"
#include "core/ops/detail/stored_model.h"
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

/// A tensor that may be written: as it lies in its file, or as an archive shows it.
struct Candidate {
  std::string name;
  ElementType type = ElementType::Bytes;
  std::vector<std::uint64_t> shape;
  std::uint64_t byteCount = 0;
  const ViewedTensor* viewed = nullptr;
  const PlainArray* plain = nullptr;
};

struct Job {
  const Candidate* tensor = nullptr;
  fs::path path;
};

/// All tensors of a version.
class Candidates {
 public:
  /// Restores the archives where `arrays` reads them.
  static Result<Candidates> load(const VersionReader& reader, const ModelView& view,
                                 const std::string& label, const ArrayLister& arrays,
                                 const std::stop_token& stop, const ProgressSink& progress) {
    Candidates all;
    const auto& files = reader.manifest().files;
    const auto isArchive = [](const ManifestFile& file) {
      return file.kind == FileKind::PyTorch || file.kind == FileKind::Npz;
    };
    std::set<std::string> shown;  // files that are read anew
    if (arrays && std::any_of(files.begin(), files.end(), isArchive)) {
      const auto isWanted = [&](const ManifestFile& file) {
        return isArchive(file) || file.path.ends_with(".metadata");
      };
      STRATA_TRY(all.model_,
                 StoredModel::open(reader, label, nullptr, {}, stop, progress, isWanted));
      STRATA_TRY(shown, all.readArchives(arrays));
    }
    for (const ViewedTensor& tensor : view.tensors()) {
      const bool isShown = shown.contains(view.files()[tensor.file].path);
      if (isShown && all.isKnown(tensor)) continue;
      all.list_.push_back(
          {tensor.name, tensor.type, tensor.shape, tensor.byteCount, &tensor, nullptr});
    }
    return all;
  }

  const std::vector<Candidate>& list() const noexcept { return list_; }
  const std::vector<LeftOutTensor>& leftOut() const noexcept { return leftOut_; }

 private:
  /// The paths of those that can be read.
  Result<std::set<std::string>> readArchives(const ArrayLister& arrays) {
    const ModelDescription& model = model_->description();
    std::set<std::string> shown;
    for (std::size_t file = 0; file < model.files.size(); ++file) {
      auto own = arrays(model, file, leftOut_);
      // What is not understood is stored as bytes, and written so.
      if (!own && own.error().code == ErrorCode::Unsupported) continue;
      if (!own) return fail(own.error());
      shown.insert(model.files[file].path);
      arrays_.push_back(*std::move(own));
      for (const PlainArray& array : arrays_.back()) {
        list_.push_back(
            {array.name, array.type, array.shape, strata::byteCount(array), nullptr, &array});
        names_.insert(array.name);
      }
    }
    for (const LeftOutTensor& one : leftOut_) names_.insert(one.name);
    return shown;
  }

  /// Bytes without a type are written as they lie, whatever they are.
  bool isKnown(const ViewedTensor& tensor) const {
    return tensor.type != ElementType::Bytes && names_.contains(tensor.name);
  }

  std::unique_ptr<StoredModel> model_;
  std::list<std::vector<PlainArray>> arrays_;  // what `list_` points at
  std::vector<Candidate> list_;
  std::vector<LeftOutTensor> leftOut_;
  std::set<std::string> names_;
};

fs::path folderOf(const Job& job) {
  return job.path.has_parent_path() ? job.path.parent_path() : fs::path(".");
}

bool isOneFile(const ExportOptions& options) { return options.target.extension() == ".npy"; }

Result<std::vector<Job>> planJobs(const Candidates& all, const ExportOptions& options,
                                  const std::string& label) {
  std::vector<Job> jobs;
  std::vector<std::string_view> names;
  for (const Candidate& tensor : all.list()) {
    if (matchesAnyGlob(tensor.name, options.globs)) jobs.push_back({&tensor, {}});
    names.push_back(tensor.name);
  }
  for (const LeftOutTensor& one : all.leftOut()) names.push_back(one.name);
  if (const std::string* const glob = unmatchedGlob(options.globs, names)) {
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("{0}: none of its {1} tensors matches {2}; \"strata show {0} --tensors\" "
                    "names them",
                    label, names.size(), *glob));
  }
  const bool isFile = isOneFile(options);
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
  return jobs;
}

/// The folder that files are written into. What was made of its path goes again where nothing came
/// into it.
class TargetFolder {
 public:
  static Result<TargetFolder> make(const fs::path& folder) {
    TargetFolder target;
    std::error_code status;
    for (fs::path at = folder; !at.empty() && !fs::exists(at, status); at = at.parent_path()) {
      target.made_.push_back(at);
    }
    fs::create_directories(folder, status);
    if (status) return fail(osError(folder, "create", status.value()));
    return target;
  }
  TargetFolder(TargetFolder&&) = default;
  TargetFolder& operator=(TargetFolder&&) = default;
  ~TargetFolder() {
    for (const fs::path& one : made_) ::rmdir(one.c_str());  // one that is in use refuses
  }

 private:
  TargetFolder() = default;
  std::vector<fs::path> made_;  ///< the deepest first
};

/// Those that match and are not written, not even as bytes.
std::vector<LeftOutTensor> leftOutOf(const Candidates& all, const std::vector<Job>& jobs,
                                     const std::vector<std::string>& globs) {
  std::set<std::string> written;
  for (const Job& job : jobs) written.insert(job.tensor->name);
  std::vector<LeftOutTensor> leftOut;
  for (const LeftOutTensor& one : all.leftOut()) {
    if (matchesAnyGlob(one.name, globs) && !written.contains(one.name)) leftOut.push_back(one);
  }
  return leftOut;
}

/// The elements of a NumPy file, on their way into it.
class NpySink final : public ByteSink {
 public:
  NpySink(OwnedFile& file, bool isWidened, const std::string& name, const std::stop_token& stop,
          ProgressMeter& meter)
      : file_(file), isWidened_(isWidened), name_(name), stop_(stop), meter_(meter) {}

  Result<void> append(std::span<const std::byte> bytes) override {
    if (stop_.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    if (isWidened_) {
      STRATA_TRY(file_->append(widenBf16(bytes)));
    } else {
      STRATA_TRY(file_->append(bytes));
    }
    meter_.add(bytes.size(), name_);
    return {};
  }

 private:
  OwnedFile& file_;
  bool isWidened_;
  const std::string& name_;
  const std::stop_token& stop_;
  ProgressMeter& meter_;
};

Result<ExportedTensor> writeTensor(const ModelView& view, const Job& job, bool force,
                                   const std::stop_token& stop, ProgressMeter& meter) {
  const Candidate& tensor = *job.tensor;
  const NpyLayout layout = npyLayout(tensor.type, tensor.shape, tensor.byteCount);
  STRATA_TRY(OwnedFile file, OwnedFile::make(folderOf(job), kTemporaryPrefix));
  const std::string header = npyHeader(layout);
  STRATA_TRY(file->append(std::as_bytes(std::span(header))));
  NpySink sink(file, layout.isWidened, tensor.name, stop, meter);
  if (tensor.plain != nullptr) {
    STRATA_TRY(writeRows(*tensor.plain, sink));
  } else {
    std::vector<std::byte> chunk;
    for (std::uint64_t at = 0; at < tensor.byteCount; at += kChunkBytes) {
      chunk.resize(std::min(kChunkBytes, tensor.byteCount - at));
      STRATA_TRY(view.read(tensor.viewed->file, tensor.viewed->offset + at, chunk));
      STRATA_TRY(sink.append(chunk));
    }
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
  const ModelView view(*reader);
  auto all = Candidates::load(**reader, view, label, options.arrays, stop, progress);
  if (!all) return fail(all.error().within("restoring " + label));
  STRATA_TRY(const std::vector<Job> jobs, planJobs(*all, options, label));
  report.leftOut = leftOutOf(*all, jobs, options.globs);
  if (jobs.empty() && !report.leftOut.empty()) {
    return fail(ErrorCode::Unsupported, label + ": " + report.leftOut.front().text());
  }
  std::optional<TargetFolder> folder;
  if (!isOneFile(options)) {
    STRATA_TRY(folder, TargetFolder::make(options.target));
  }
  // All go into one folder.
  if (!jobs.empty()) OwnedFile::removeDead(folderOf(jobs.front()), kTemporaryPrefix);
  std::uint64_t totalBytes = 0;
  for (const Job& job : jobs) totalBytes += job.tensor->byteCount;
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
