#include "core/ops/runs/detail/staged_checkpoint.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <set>
#include <system_error>
#include <utility>

#include "core/io/mapped_file.h"
#include "core/io/os_error.h"
#include "core/store/objects/probe.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepestFolder = 64;
/// Beside a checkpoint that is whole: written last.
constexpr std::string_view kWhole = "strata-whole.txt";
constexpr std::size_t kMostStagedFiles = 100'000;

/// A folder for the links: beside the checkpoint, on its disk.
Result<OwnedFolder> makeStage(const fs::path& source, const fs::path& spare) {
  const fs::path beside = source.has_parent_path() ? source.parent_path() : fs::path(".");
  if (auto made = OwnedFolder::make(beside, kStagingPrefix)) return std::move(*made);
  std::error_code status;
  fs::create_directories(spare, status);
  if (status) return fail(osError(spare, "make", status.value()));
  return OwnedFolder::make(spare, kStagingPrefix);
}

/// What is in a folder at one moment.
struct Names {
  std::set<std::string> folders;  ///< each after the one that it lies in
  std::set<std::string> files;    ///< links, too

  friend bool operator==(const Names&, const Names&) = default;
};

Error listError(const fs::path& folder, std::error_code problem) {
  return osError(folder, "list", problem.value());
}

Result<Names> namesIn(const fs::path& folder) {
  Names names;
  std::error_code problem;
  fs::recursive_directory_iterator at(folder, problem);
  while (!problem && at != fs::recursive_directory_iterator()) {
    const std::string name = at->path().lexically_relative(folder).generic_string();
    std::error_code vanished;
    const fs::file_type type = at->symlink_status(vanished).type();
    if (type == fs::file_type::directory) {
      if (at.depth() >= kDeepestFolder) {
        return fail(ErrorCode::Unsupported,
                    fmt::format("{}: folders nest deeper than {}", name, kDeepestFolder));
      }
      names.folders.insert(name);
    } else if (type == fs::file_type::regular || type == fs::file_type::symlink) {
      names.files.insert(name);
    } else if (type == fs::file_type::none || type == fs::file_type::not_found) {
      return fail(ErrorCode::NotFound, at->path().string() + ": has vanished");
    } else {
      return fail(ErrorCode::Unsupported, name + ": is neither file nor folder");
    }
    if (names.files.size() > kMostStagedFiles) {
      return fail(ErrorCode::LimitExceeded,
                  fmt::format("{}: holds more than {} files", folder.string(), kMostStagedFiles));
    }
    at.increment(problem);
  }
  if (problem) return fail(listError(folder, problem));
  return names;
}

/// Gives one file a name of ours. Links stay what they are. `isCopied` is set where it is a copy.
Result<void> stageFile(const fs::path& from, const fs::path& to, bool& isCopied) {
  if (::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), 0) == 0) return {};
  const int reason = errno;
  if (reason == ENOENT || reason == ENOSPC || reason == EDQUOT) {
    return fail(osError(from, "link", reason));
  }
  // Another disk, a file system without links, or a file of somebody else.
  isCopied = true;
  std::error_code problem;
  fs::copy(from, to, fs::copy_options::copy_symlinks, problem);
  if (problem) return fail(osError(from, "copy", problem.value()));
  return {};
}

Result<void> stageFolder(const fs::path& source, const fs::path& to, bool& isCopied,
                         const std::stop_token& stop) {
  STRATA_TRY(const Names before, namesIn(source));
  std::error_code problem;
  fs::create_directory(to, problem);
  for (const std::string& folder : before.folders) fs::create_directory(to / folder, problem);
  if (problem) return fail(osError(to, "make", problem.value()));
  for (const std::string& file : before.files) {
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    STRATA_TRY(stageFile(source / file, to / file, isCopied));
  }
  // One that is being deleted, or written, has other names by now. One that is gone was whole
  // under our names: each of its files was there when it was linked.
  const auto after = namesIn(source);
  if (!after && after.error().code == ErrorCode::NotFound) return {};
  if (!after) return fail(after.error());
  if (*after != before) return changedWhileRead(source.string(), "it has other files");
  return {};
}

/// Several files as those of one folder.
Result<void> stageFiles(const std::vector<fs::path>& files, const fs::path& to, bool& isCopied) {
  std::error_code problem;
  fs::create_directory(to, problem);
  if (problem) return fail(osError(to, "make", problem.value()));
  for (const fs::path& file : files) {
    STRATA_TRY(stageFile(file, to / file.filename(), isCopied));
  }
  return {};
}

/// A folder "checkpoint-20" would be one of transformers.
std::string joinedName(std::string stem) {
  constexpr std::string_view kTransformers = "checkpoint-";
  if (stem.starts_with(kTransformers)) stem[kTransformers.size() - 1] = '_';
  return stem;
}

/// Links are the trainer's files themselves. Of copies the trainer's files tell, if they are there.
Result<void> checkStamp(const CheckpointPlace& source, const fs::path& staged, bool isCopied) {
  std::error_code problem;
  std::string now;
  if (!isCopied) {
    now = stampOf(staged);
  } else if (!source.files.empty()) {
    now = stampOf(source.files);
  } else if (fs::exists(source.path, problem)) {
    now = stampOf(source.path);
  } else {
    return {};
  }
  if (now == source.stamp) return {};
  return changedWhileRead(source.path.filename().string(), "its files are others now");
}

/// A model without a word on whether its files hold still.
class BareModel final : public ModelSource {
 public:
  explicit BareModel(const ModelSource& model) : model_(model) {}
  const ModelDescription& description() const noexcept override { return model_.description(); }
  std::vector<ChecksumField> checksumFields() const override { return model_.checksumFields(); }

 private:
  const ModelSource& model_;
};

class StagedModel final : public ModelSource {
 public:
  StagedModel(std::unique_ptr<ModelSource> model, Digest content, fs::path path, ModelOpener open)
      : model_(std::move(model)),
        content_(content),
        path_(std::move(path)),
        open_(std::move(open)) {}

  const ModelDescription& description() const noexcept override { return model_->description(); }
  std::vector<ChecksumField> checksumFields() const override { return model_->checksumFields(); }

  Result<void> checkUnchanged() const override {
    if (model_->checkUnchanged()) return {};
    // Opened anew: a file that could not be read fails here, and does not read as zeros.
    STRATA_TRY(const auto again, open_(path_));
    STRATA_TRY(const Digest content, hashModel(*again));
    if (content == content_) return {};
    return changedWhileRead(path_.filename().string(), "its bytes are others now");
  }

 private:
  std::unique_ptr<ModelSource> model_;
  Digest content_;
  fs::path path_;
  ModelOpener open_;
};

/// Where the disk is full, the checkpoint is stored all the same.
void markWhole(const fs::path& folder) {
  const fs::path mark = folder / kWhole;
  const int descriptor = ::open(mark.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (descriptor >= 0) ::close(descriptor);
}

}  // namespace

Result<StagedCheckpoint> StagedCheckpoint::make(const CheckpointPlace& place, const fs::path& spare,
                                                const std::stop_token& stop) {
  const fs::path& source = place.path;
  STRATA_TRY(OwnedFolder folder, makeStage(source, spare));
  const bool isJoined = !place.files.empty();
  const fs::path path =
      folder.path() / (isJoined ? joinedName(source.stem().string()) : source.filename().string());
  std::error_code problem;
  const fs::file_type type = fs::symlink_status(source, problem).type();
  bool isCopied = false;
  if (isJoined) {
    STRATA_TRY(stageFiles(place.files, path, isCopied));
  } else if (type == fs::file_type::directory) {
    STRATA_TRY(stageFolder(source, path, isCopied, stop));
  } else if (type == fs::file_type::regular) {
    STRATA_TRY(stageFile(source, path, isCopied));
  } else if (type == fs::file_type::not_found) {
    return fail(ErrorCode::NotFound, source.string() + ": has vanished");
  } else {
    return fail(ErrorCode::Unsupported, source.string() + ": is neither file nor folder");
  }
  STRATA_TRY(checkStamp(place, path, isCopied));
  markWhole(folder.path());
  return StagedCheckpoint(std::move(folder), path);
}

std::optional<CheckpointPlace> StagedCheckpoint::leftIn(const fs::path& folder) {
  std::error_code problem;
  if (!fs::exists(folder / kWhole, problem)) return std::nullopt;
  for (fs::directory_iterator at(folder, problem), end; !problem && at != end;
       at.increment(problem)) {
    const fs::path& path = at->path();
    const std::string name = path.filename().string();
    if (name == kWhole || name.starts_with(kStagingPrefix)) continue;
    return CheckpointPlace{.path = path, .step = stepOfName(name), .stamp = stampOf(path)};
  }
  return std::nullopt;
}

Result<std::unique_ptr<ModelSource>> openStaged(const StagedCheckpoint& staged,
                                                const ModelOpener& open) {
  STRATA_TRY(auto model, open(staged.path()));
  STRATA_TRY(const Digest content, hashModel(BareModel(*model)));
  return std::make_unique<StagedModel>(std::move(model), content, staged.path(), open);
}

}  // namespace strata
