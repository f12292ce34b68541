#include "core/io/owned/scratch_folders.h"

#include <unistd.h>

#include <string>
#include <string_view>

#include "core/io/free_space.h"
#include "core/io/os_error.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "strata-work";

/// Memory if `bytes` and half as much again fit there.
fs::path placeFor(std::uint64_t bytes) {
  const fs::path memory = "/dev/shm";
  std::error_code status;
  if (fs::is_directory(memory, status) && ::access(memory.c_str(), W_OK) == 0) {
    OwnedFolder::removeDead(memory, kPrefix);
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
    OwnedFolder::removeDead(place, kPrefix);
  }
  STRATA_TRY(checkFreeSpace(place, bytes));
  STRATA_TRY(OwnedFolder root, OwnedFolder::make(place, kPrefix));
  std::vector<fs::path> folders;
  std::error_code status;
  for (std::size_t i = 0; i < count && !status; ++i) {
    folders.push_back(root.path() / std::to_string(i));
    fs::create_directory(folders.back(), status);
  }
  if (status) return fail(osError(root.path(), "make", status.value()));
  return ScratchFolders(std::move(root), std::move(folders));
}

ScratchFolders::ScratchFolders(OwnedFolder root, std::vector<fs::path> folders)
    : root_(std::move(root)), free_(std::move(folders)) {}

ScratchFolders::ScratchFolders(ScratchFolders&& other) noexcept
    : root_(std::move(other.root_)), free_(std::move(other.free_)) {}

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
