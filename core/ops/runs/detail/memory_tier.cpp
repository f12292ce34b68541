#include "core/ops/runs/detail/memory_tier.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <span>
#include <system_error>

#include "core/digest.h"
#include "core/io/free_space.h"
#include "core/io/mapped_file.h"
#include "core/io/os_error.h"
#include "core/io/owned/owned_folder.h"
#include "core/io/temp_file.h"
#include "core/ops/runs/detail/staged_checkpoint.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHidden = ".strata-memory-";

/// Whether a folder is this user's, and nobody else can put anything into it.
bool isOurs(const fs::path& folder) noexcept {
  struct stat status {};
  return ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == ::geteuid() && (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

std::uint64_t sizeOf(const fs::path& path) {
  std::error_code problem;
  if (fs::is_directory(fs::symlink_status(path, problem))) return bytesUnder(path);
  const std::uintmax_t bytes = fs::file_size(path, problem);
  return problem ? 0 : bytes;
}

fs::path hiddenIn(const fs::path& folder) { return folder / (std::string(kHidden) + randomName()); }

}  // namespace

MemoryTier::MemoryTier(const fs::path& memory, const fs::path& storeFolder, const std::string& run,
                       std::uint64_t mostBytes)
    : mostBytes_(mostBytes) {
  std::error_code problem;
  const fs::path store = fs::weakly_canonical(storeFolder, problem);
  const std::string text = (problem ? storeFolder : store).string() + '\n' + run;
  const Digest digest = sha256(std::as_bytes(std::span(text)));
  const fs::path around = memory.empty() ? fs::path("/dev/shm") : memory;
  folder_ = around / ("strata-run-" + toHex(digest).substr(0, 32));
}

Result<void> MemoryTier::makeFolder() const {
  if (::mkdir(folder_.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    return fail(osError(folder_, "make", errno));
  }
  if (isOurs(folder_)) return {};
  return fail(ErrorCode::Io, folder_.string() + ": is not this user's alone, so it is not used");
}

Result<bool> MemoryTier::copy(const CheckpointPlace& checkpoint, const CheckpointTools& tools,
                              const std::stop_token& stop) const {
  STRATA_TRY(makeFolder());
  const std::uint64_t bytes = sizeOf(checkpoint.path);
  STRATA_TRY(const std::uint64_t free, freeBytes(folder_));
  if (bytes > free || bytesUnder(folder_) + bytes > mostBytes_) return false;
  const std::string name = checkpoint.path.filename().string();
  const fs::path hidden = hiddenIn(folder_);
  const fs::path fresh = hidden / name;
  std::error_code problem;
  fs::create_directory(hidden, problem);
  if (!problem) {
    fs::copy(checkpoint.path, fresh, fs::copy_options::recursive | fs::copy_options::copy_symlinks,
             problem);
  }
  const auto undo = [&](Error why) {
    std::error_code ignored;
    fs::remove_all(hidden, ignored);
    return fail(std::move(why));
  };
  if (problem) return undo(osError(checkpoint.path, "copy", problem.value()));
  if (stop.stop_requested()) return undo({ErrorCode::Cancelled, "cancelled"});
  if (stampOf(checkpoint.path) != checkpoint.stamp) {
    return undo(changedWhileRead(name, "its files are others now").value());
  }
  const auto state = tools.check(fresh);
  if (!state) return undo(state.error());
  if (!state->isFinished()) return undo({ErrorCode::Io, "is not finished: " + state->unfinished});
  drop(folder_ / name);  // one of this name, of an earlier training
  fs::rename(fresh, folder_ / name, problem);
  if (problem) return undo(osError(folder_ / name, "rename to", problem.value()));
  fs::remove_all(hidden, problem);
  return true;
}

std::vector<CheckpointPlace> MemoryTier::waiting() const {
  if (!isOurs(folder_)) return {};
  return CheckpointScan(folder_).look().value_or(std::vector<CheckpointPlace>{});
}

void MemoryTier::drop(const fs::path& checkpoint) const {
  std::error_code problem;
  const fs::path hidden = hiddenIn(folder_);
  fs::rename(checkpoint, hidden, problem);  // who reads it sees that it is gone, and no half of it
  if (!problem) fs::remove_all(hidden, problem);
}

void MemoryTier::clean() const {
  if (!isOurs(folder_)) return;
  OwnedFolder::removeDead(folder_, kStagingPrefix);
  std::error_code problem;
  std::vector<fs::path> left;
  for (fs::directory_iterator at(folder_, problem), end; !problem && at != end;
       at.increment(problem)) {
    if (at->path().filename().string().starts_with(kHidden)) left.push_back(at->path());
  }
  for (const fs::path& one : left) fs::remove_all(one, problem);
  ::rmdir(folder_.c_str());  // where nothing is in it
}

}  // namespace strata
