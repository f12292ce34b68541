#include "core/io/models/disk_model_sink.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstdio>

#include "core/io/folder_exchange.h"
#include "core/io/os_error.h"
#include "core/io/placed_file.h"
#include "core/io/special_file.h"
#include "core/model/model_path.h"
#include "core/text/wording.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

/// Names of folders that are being filled.
constexpr std::string_view kTemporaryPrefix = ".strata-new";
/// Names of files that are being written, and of no earlier program's: those are not locked.
constexpr std::string_view kFilePrefix = ".strata-file";
/// What the user's umask leaves of it.
constexpr unsigned kFolderMode = 0777;

bool somethingIsAt(const fs::path& path) {
  std::error_code status;
  return fs::exists(fs::symlink_status(path, status));
}

bool isFolder(const fs::path& path) {
  std::error_code status;
  return fs::is_directory(path, status);
}

fs::path folderOf(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

/// Brings the names of `file` and of the folders above it to the disk, as far as `root`.
Result<void> syncFoldersUpTo(const fs::path& root, const fs::path& file) {
  fs::path folder = file;
  do {
    folder = folder.parent_path();
    STRATA_TRY(syncFolder(folder));
  } while (folder != root);
  return {};
}

/// The first of NAME.bak, NAME.bak2, … that is free.
fs::path backupName(const fs::path& file) {
  fs::path name = file.string() + ".bak";
  for (int i = 2; somethingIsAt(name); ++i) name = fmt::format("{}.bak{}", file.string(), i);
  return name;
}

Result<void> checkReplaceable(const fs::path& file, bool replace) {
  STRATA_TRY(refuseSpecial(file));
  if (isFolder(file)) {
    return fail(ErrorCode::InvalidArgument, file.string() + ": is a folder, expected a file");
  }
  if (somethingIsAt(file) && !replace) {
    return fail(ErrorCode::InvalidArgument, file.string() + ": already exists");
  }
  return {};
}

/// Whether a model of one file is written into what is there. A block device may hold a file
/// system: it takes a wish to replace.
Result<bool> isStreamTarget(const fs::path& file, bool replace) {
  const std::string_view kind = specialKind(file);
  if (kind == "a block device" && !replace) {
    return fail(ErrorCode::InvalidArgument,
                file.string() + ": is a block device, whose content would be overwritten");
  }
  if (kind == "a socket") return false;
  return !kind.empty() || (isOpenFile(file) && !isFolder(file) && somethingIsAt(file));
}

/// Gives a file a second name; where the file system has only one for each, this one.
Result<void> keepUnder(const fs::path& name, const fs::path& file) {
  if (::link(file.c_str(), name.c_str()) == 0) return {};
  if (errno == EEXIST) return fail(ErrorCode::InvalidArgument, name.string() + ": already exists");
  STRATA_TRY(checkReplaceable(file, true));  // a folder never moves out of the way
  return renameToNew(file, name);
}

/// The folders between `root` and `file` must be folders, not links that lead elsewhere.
Result<void> checkFoldersBelow(const fs::path& root, const fs::path& relative) {
  fs::path folder = root;
  for (const fs::path& part : relative.parent_path()) {
    folder /= part;
    std::error_code status;
    const fs::file_status found = fs::symlink_status(folder, status);
    if (fs::exists(found) && !fs::is_directory(found)) {
      return fail(ErrorCode::InvalidArgument, folder.string() + ": is in the way of a folder");
    }
  }
  return {};
}

Result<void> makeFolders(const fs::path& folder) {
  std::error_code status;
  fs::create_directories(folder, status);
  if (status) return fail(osError(folder, "create", status.value()));
  return {};
}

}  // namespace

Result<DiskTarget> DiskTarget::plan(const fs::path& target, const std::vector<std::string>& paths,
                                    bool replace, bool backup, Shape shape) {
  for (const std::string& path : paths) {
    if (!isModelPath(path)) {
      return fail(ErrorCode::CorruptData, fmt::format("\"{}\" is no path inside a model", path));
    }
  }
  if (target.empty()) return fail(ErrorCode::InvalidArgument, "no target was given");
  DiskTarget plan;
  plan.replace = replace || backup;
  plan.backup = backup;
  // "out/" means a folder; without the slash its name is known.
  const fs::path clean = target.has_filename() ? target : target.parent_path();
  if (!isFolder(folderOf(clean))) {
    return fail(ErrorCode::NotFound, folderOf(clean).string() + ": no such folder");
  }
  if (paths.size() == 1 && shape == Shape::FileIfOne) {
    const bool into = isFolder(clean) || !target.has_filename();
    if (into && !isFolder(clean)) {
      return fail(ErrorCode::NotFound, clean.string() + ": no such folder");
    }
    plan.files = {into ? clean / fs::path(paths[0]).filename() : clean};
    STRATA_TRY(plan.isStream, isStreamTarget(plan.files[0], plan.replace));
    if (plan.isStream) return plan;
    STRATA_TRY(checkReplaceable(plan.files[0], plan.replace));
    return plan;
  }
  plan.folder = clean;
  if (somethingIsAt(clean) && !isFolder(clean)) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: is a file, but the model has {} and needs a folder",
                            clean.string(), wordCount(paths.size(), "file")));
  }
  std::error_code status;
  if (isFolder(clean) && !fs::is_empty(clean, status) && !plan.replace) {
    return fail(ErrorCode::InvalidArgument, clean.string() + ": already exists and is not empty");
  }
  for (const std::string& path : paths) {
    STRATA_TRY(checkFoldersBelow(clean, path));
    STRATA_TRY(checkReplaceable(clean / path, plan.replace));
    plan.files.push_back(clean / path);
  }
  return plan;
}

Result<std::unique_ptr<DiskModelSink>> DiskModelSink::create(DiskTarget target) {
  std::unique_ptr<DiskModelSink> sink(new DiskModelSink(std::move(target)));
  fs::path& folder = sink->target_.folder;
  if (folder.empty()) return sink;
  // A link to a folder stays one.
  std::error_code status;
  if (isFolder(folder)) folder = fs::canonical(folder, status);
  if (status) return fail(osError(folder, "look at", status.value()));
  const fs::path place = workPlace(folder);
  OwnedFolder::removeDead(place, kTemporaryPrefix);
  STRATA_TRY(sink->temporaryFolder_, OwnedFolder::make(place, kTemporaryPrefix, kFolderMode));
  sink->work_ = sink->temporaryFolder_.path();
  return sink;
}

fs::path DiskModelSink::workPlace(const fs::path& folder) {
  struct stat own {};
  struct stat above {};
  const fs::path parent = folderOf(folder);
  if (::stat(folder.c_str(), &own) != 0 || ::stat(parent.c_str(), &above) != 0) return parent;
  const bool isOnOther = own.st_dev != above.st_dev;
  return isOnOther || ::access(parent.c_str(), W_OK) != 0 ? folder : parent;
}

Result<void> DiskModelSink::placeWritten(const fs::path& fresh,
                                         const std::vector<std::string>& names,
                                         const fs::path& folder, bool replace) {
  DiskTarget target;
  target.folder = folder;
  target.replace = replace;
  for (const std::string& name : names) {
    STRATA_TRY(checkFoldersBelow(folder, name));
    STRATA_TRY(checkReplaceable(folder / name, replace));
    target.files.push_back(folder / name);
  }
  DiskModelSink sink(std::move(target));
  sink.work_ = fresh;
  for (const std::string& name : names) sink.written_.push_back(fresh / name);
  return sink.placeFolder();
}

DiskModelSink::DiskModelSink(DiskTarget target) : target_(std::move(target)) {}

DiskModelSink::~DiskModelSink() { current_.reset(); }

Result<void> DiskModelSink::beginFile(const std::string& path, std::uint32_t mode) {
  assert(!current_ || target_.folder.empty());
  if (target_.folder.empty()) {
    const fs::path folder = folderOf(target_.files[0]);
    OwnedFile::removeDead(folder, kFilePrefix);
    STRATA_TRY(OwnedFile file, OwnedFile::make(folder, kFilePrefix, mode));
    single_.emplace(std::move(file));
    return {};
  }
  const fs::path place = temporary() / path;
  STRATA_TRY(makeFolders(place.parent_path()));
  STRATA_TRY(TempFile file, TempFile::createAt(place, mode));
  current_.emplace(std::move(file));
  written_.push_back(place);
  return {};
}

Result<void> DiskModelSink::append(std::span<const std::byte> bytes) {
  return single_ ? (*single_)->append(bytes) : current_->append(bytes);
}

Result<void> DiskModelSink::endFile() {
  if (single_) return (*single_)->sync();
  STRATA_TRY(current_->keep());
  current_.reset();
  return {};
}

Result<void> DiskModelSink::commit() {
  if (!target_.folder.empty()) return placeFolder();
  const fs::path& file = target_.files[0];
  if (!target_.replace) return (*single_)->moveToNew(file);
  if (target_.backup && somethingIsAt(file)) {
    const fs::path backup = backupName(file);
    STRATA_TRY(keepUnder(backup, file));
    backups_.push_back(backup);
  }
  return (*single_)->moveTo(file);
}

Result<void> DiskModelSink::placeFolder() {
  const fs::path& folder = target_.folder;
  for (const fs::path& file : written_) STRATA_TRY(syncFoldersUpTo(temporary(), file));
  if (!somethingIsAt(folder)) {
    STRATA_TRY(renameToNew(temporary(), folder));
    const Result<void> synced = syncFolder(folderOf(folder));
    if (!synced && renameToNew(folder, temporary())) return synced;  // which is deleted then
    temporaryFolder_.release();
    return synced ? Result<void>() : syncPlaced(folder);
  }
  STRATA_TRY(const bool isExchanged, exchange());
  return isExchanged ? Result<void>() : placeFiles();
}

Result<bool> DiskModelSink::exchange() {
  KeptFiles kept;
  std::vector<fs::path> backups;
  for (std::size_t i = 0; i < written_.size(); ++i) {
    const fs::path name = written_[i].lexically_relative(temporary());
    const fs::path& old = target_.files[i];
    kept.replaced.insert(name.generic_string());
    if (!somethingIsAt(old)) continue;
    STRATA_TRY(checkReplaceable(old, target_.replace));
    if (!target_.backup) continue;
    backups.push_back(backupName(old));
    kept.backups[name.generic_string()] =
        (name.parent_path() / backups.back().filename()).generic_string();
  }
  STRATA_TRY(const bool isDone, exchangeFolders(temporary(), target_.folder, kept));
  if (isDone) backups_ = std::move(backups);
  return isDone;
}

Result<void> DiskModelSink::placeFiles() {
  Result<void> done;
  for (std::size_t i = 0; done && i < written_.size(); ++i) {
    done = place(written_[i], target_.files[i]);
  }
  if (!done) {
    for (auto one = placed_.rbegin(); one != placed_.rend(); ++one) takeBack(*one);
    return done;
  }
  for (Placed& one : placed_) {
    if (target_.backup && !one.old.empty()) backups_.push_back(std::move(one.old));
  }
  return {};
}

Result<void> DiskModelSink::place(const fs::path& from, const fs::path& to) {
  STRATA_TRY(makeFolders(to.parent_path()));
  Placed one{to, {}};
  if (target_.replace && somethingIsAt(to)) {
    one.old =
        target_.backup ? backupName(to) : temporary() / fmt::format(".old-{}", placed_.size());
    STRATA_TRY(keepUnder(one.old, to));
  }
  if (!target_.replace) {
    STRATA_TRY(renameToNew(from, to));
  } else if (::rename(from.c_str(), to.c_str()) != 0) {
    const Error problem = osError(to, "rename to", errno);
    if (!one.old.empty()) takeBack(one);
    return fail(problem);
  }
  placed_.push_back(std::move(one));
  return syncFolder(to.parent_path());
}

void DiskModelSink::takeBack(const Placed& one) noexcept {
  if (one.old.empty()) {
    ::unlink(one.file.c_str());
    return;
  }
  ::rename(one.old.c_str(), one.file.c_str());
  ::unlink(one.old.c_str());  // still there if both were names of one file
}

}  // namespace strata
