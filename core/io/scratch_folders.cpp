#include "core/io/scratch_folders.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>

#include "core/io/free_space.h"
#include "core/io/os_error.h"
#include "core/io/temp_file.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "strata-scratch-";

/// Whether the process that made this folder is gone. The name is PREFIX-PID-RANDOM.
bool isAbandoned(const std::string& name) {
  if (!name.starts_with(kPrefix)) return false;
  pid_t process = 0;
  const char* begin = name.data() + kPrefix.size();
  const auto [end, status] = std::from_chars(begin, name.data() + name.size(), process);
  if (status != std::errc{} || end == begin || *end != '-' || process <= 0) return false;
  return ::kill(process, 0) != 0 && errno == ESRCH;
}

/// Folders that killed processes left behind would hold on to memory until the machine restarts.
void removeAbandoned(const fs::path& place) {
  std::error_code ignored;
  for (fs::directory_iterator entry(place, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    std::error_code refused;
    if (isAbandoned(entry->path().filename().string())) fs::remove_all(entry->path(), refused);
  }
}

/// Memory if `bytes` and half as much again fit there.
fs::path placeFor(std::uint64_t bytes) {
  const fs::path memory = "/dev/shm";
  std::error_code status;
  if (fs::is_directory(memory, status) && ::access(memory.c_str(), W_OK) == 0) {
    removeAbandoned(memory);
    const auto free = freeBytes(memory);
    if (free && *free >= bytes + bytes / 2) return memory;
  }
  const fs::path disk = fs::temp_directory_path(status);
  return status ? fs::path("/tmp") : disk;
}

}  // namespace

Result<ScratchFolders> ScratchFolders::make(std::uint64_t bytesOfEach, std::size_t count,
                                            fs::path place) {
  const std::uint64_t bytes = bytesOfEach * count;
  if (place.empty()) {
    place = placeFor(bytes);
  } else {
    removeAbandoned(place);
  }
  STRATA_TRY(checkFreeSpace(place, bytes));
  const fs::path root = place / fmt::format("{}{}-{}", kPrefix, ::getpid(), randomName());
  std::vector<fs::path> folders;
  std::error_code status;
  fs::create_directory(root, status);
  if (!status) fs::permissions(root, fs::perms::owner_all, status);
  for (std::size_t i = 0; i < count && !status; ++i) {
    folders.push_back(root / std::to_string(i));
    fs::create_directory(folders.back(), status);
  }
  ScratchFolders made(root, std::move(folders));
  if (status) return fail(osError(root, "make", status.value()));
  return made;
}

ScratchFolders::ScratchFolders(fs::path root, std::vector<fs::path> folders)
    : root_(std::move(root)), free_(std::move(folders)) {}

ScratchFolders::ScratchFolders(ScratchFolders&& other) noexcept
    : root_(std::exchange(other.root_, {})), free_(std::move(other.free_)) {}

ScratchFolders::~ScratchFolders() {
  std::error_code ignored;
  if (!root_.empty()) fs::remove_all(root_, ignored);
}

fs::path ScratchFolders::take() {
  std::unique_lock lock(mutex_);
  returned_.wait(lock, [&] { return !free_.empty(); });
  fs::path folder = std::move(free_.back());
  free_.pop_back();
  return folder;
}

void ScratchFolders::give(fs::path folder) {
  {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(folder));
  }
  returned_.notify_one();
}

}  // namespace strata
