#include "tests/support/recorded_names.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <mutex>
#include <string>
#include <utility>

namespace strata::test {
namespace {

namespace fs = std::filesystem;

std::mutex mutex;  // guards what follows
bool isRecording = false;
std::set<fs::path> folders;
std::set<fs::path> foldersAtLink;
std::size_t syncs = 0;
WorseDisk* disk = nullptr;
bool isLinked = false;

void noteName(const char* path, bool isLink = false) {
  const std::lock_guard lock(mutex);
  if (!isRecording || fs::path(path).extension() == ".tmp") return;
  std::error_code status;
  if (isLink) foldersAtLink = folders;
  folders.insert(fs::weakly_canonical(fs::absolute(path, status).parent_path(), status));
}

void noteSync(int descriptor) {
  const std::lock_guard lock(mutex);
  if (!isRecording) return;
  ++syncs;
  std::error_code status;
  folders.erase(fs::read_symlink("/proc/self/fd/" + std::to_string(descriptor), status));
}

/// All that the test writes is on one file system.
void noteWholeSync() {
  const std::lock_guard lock(mutex);
  if (!isRecording) return;
  ++syncs;
  folders.clear();
}

std::set<fs::path> below(const std::set<fs::path>& all, const fs::path& root) {
  std::error_code status;
  const std::string start = fs::canonical(root, status).string();
  std::set<fs::path> found;
  std::copy_if(all.begin(), all.end(), std::inserter(found, found.end()),
               [&](const fs::path& one) { return one.string().starts_with(start); });
  return found;
}

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

WorseDisk::WorseDisk() {
  disk = this;
  isLinked = false;
}

WorseDisk::~WorseDisk() { disk = nullptr; }

RecordedNames::RecordedNames() {
  const std::lock_guard lock(mutex);
  isRecording = true;
  folders.clear();
  foldersAtLink.clear();
  syncs = 0;
}

RecordedNames::~RecordedNames() {
  const std::lock_guard lock(mutex);
  isRecording = false;
}

std::set<fs::path> RecordedNames::unsynced(const fs::path& root) const {
  const std::lock_guard lock(mutex);
  return below(folders, root);
}

std::set<fs::path> RecordedNames::unsyncedAtLink(const fs::path& root) const {
  const std::lock_guard lock(mutex);
  return below(foldersAtLink, root);
}

std::size_t RecordedNames::syncCount() const {
  const std::lock_guard lock(mutex);
  return syncs;
}

}  // namespace strata::test

// These stand before those of the C library for the whole program.
extern "C" {

int mkdir(const char* path, mode_t mode) noexcept {
  static auto* const real = strata::test::next<int(const char*, mode_t)>("mkdir");
  const int made = real(path, mode);
  if (made == 0) strata::test::noteName(path);
  return made;
}

int rename(const char* from, const char* to) noexcept {
  static auto* const real = strata::test::next<int(const char*, const char*)>("rename");
  if (strata::test::disk && strata::test::disk->beforeRename) {
    strata::test::disk->beforeRename(from);
  }
  const int moved = real(from, to);
  if (moved == 0) strata::test::noteName(to);
  if (moved == 0 && strata::test::disk && strata::test::disk->afterRename) {
    std::exchange(strata::test::disk->afterRename, {})(to);
  }
  return moved;
}

int renameat2(int fromFolder, const char* from, int toFolder, const char* to,
              unsigned int flags) noexcept {
  if (flags != 0 && strata::test::disk && strata::test::disk->hasNoLinks) {
    errno = EINVAL;
    return -1;
  }
  using Rename = int(int, const char*, int, const char*, unsigned int);
  static auto* const real = strata::test::next<Rename>("renameat2");
  const int moved = real(fromFolder, from, toFolder, to, flags);
  if (moved == 0) strata::test::noteName(to);
  return moved;
}

int link(const char* from, const char* to) noexcept {
  if (strata::test::disk && strata::test::disk->hasNoLinks) {
    errno = EPERM;
    return -1;
  }
  static auto* const real = strata::test::next<int(const char*, const char*)>("link");
  const int made = real(from, to);
  strata::test::isLinked = made == 0 && std::filesystem::path(to).extension() != ".tmp";
  if (made == 0) strata::test::noteName(to, true);
  return made;
}

int fsync(int descriptor) {
  if (strata::test::isLinked && strata::test::disk && strata::test::disk->failsNextSync) {
    strata::test::disk->failsNextSync = false;
    errno = EIO;
    return -1;
  }
  static auto* const real = strata::test::next<int(int)>("fsync");
  const int synced = real(descriptor);
  if (synced == 0) strata::test::noteSync(descriptor);
  return synced;
}

int syncfs(int descriptor) noexcept {
  static auto* const real = strata::test::next<int(int)>("syncfs");
  const int synced = real(descriptor);
  if (synced == 0) strata::test::noteWholeSync();
  return synced;
}
}
