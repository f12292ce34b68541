#include "core/store/store_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <fstream>
#include <thread>
#include <utility>

#include "core/io/open_file.h"
#include "core/io/os_error.h"
#include "core/io/store_modes.h"
#include "core/io/temp_file.h"
#include "core/text/wording.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

/// Between two tries for a lock that another writer has.
constexpr std::chrono::milliseconds kLockPause{20};

std::string hostName() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

/// The program's name without its arguments, which may hold what nobody else should read.
std::string programName() {
  std::ifstream file("/proc/self/comm");
  std::string name;
  return std::getline(file, name) ? name : "strata";
}

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::int64_t parseInteger(std::string_view digits) {
  std::int64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

/// Four lines: process, host, start, command. Nothing for an empty text.
std::optional<LockOwner> parseOwner(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto line = [&] {
    const std::size_t end = text.find('\n');
    const std::string_view first = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    return first;
  };
  LockOwner owner;
  owner.processId = parseInteger(line());
  owner.host = line();
  owner.startedAt = parseInteger(line());
  owner.command = line();
  return owner;
}

std::optional<LockOwner> readOwner(int descriptor) {
  std::array<char, 1024> text{};
  const ssize_t count = ::pread(descriptor, text.data(), text.size(), 0);
  return parseOwner({text.data(), count > 0 ? static_cast<std::size_t>(count) : 0});
}

/// Whether the lock of an open file is ours now.
Result<bool> tryLock(int descriptor, const fs::path& path) {
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) return fail(osError(path, "lock", errno));
  }
  return true;
}

Result<void> writeOwner(int descriptor, const fs::path& file, std::string_view purpose) {
  const std::string text =
      fmt::format("{}\n{}\n{}\n{} {}\n", ::getpid(), hostName(), now(), programName(), purpose);
  // Over what is there: a text that cannot be written never takes away that a writer died.
  STRATA_TRY(writeAll(descriptor, std::as_bytes(std::span(text)), file));
  if (::ftruncate(descriptor, static_cast<off_t>(text.size())) != 0) {
    return fail(osError(file, "write", errno));
  }
  if (::fsync(descriptor) != 0) return fail(osError(file, "sync", errno));
  return {};
}

}  // namespace

std::string LockOwner::describe() const {
  const std::string where = host == hostName() ? "" : " on " + host;
  return fmt::format("PID {} ({}){} since {}", processId, command, where, wordDate(startedAt));
}

Result<StoreLock> StoreLock::acquire(const fs::path& file, std::string_view purpose,
                                     const LockWait& wait, const std::stop_token& stop,
                                     const std::function<void()>& onHeld) {
  StoreLock lock(file);
  const bool wasMissing = !fs::exists(fs::symlink_status(file));
  const auto begin = std::chrono::steady_clock::now();
  bool hasTold = false;
  for (;;) {
    STRATA_TRY(const bool isOurs, lock.tryOnce());
    if (isOurs) break;
    const std::string owner = lock.describeOther();
    // Whoever has the folder alone leaves no mark if it dies, so this file keeps one.
    if (lock.folder_ >= 0) STRATA_TRY(writeOwner(lock.descriptor_, file, purpose));
    if (std::chrono::steady_clock::now() - begin >= wait.longest) {
      return fail(ErrorCode::StoreLocked,
                  fmt::format("{}: locked by {}", file.parent_path().string(), owner));
    }
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    if (!std::exchange(hasTold, true) && wait.onWait) wait.onWait(owner);
    std::this_thread::sleep_for(kLockPause);
  }
  lock.previousOwnerDied_ = wasMissing || readOwner(lock.descriptor_).has_value();
  if (onHeld) onHeld();
  STRATA_TRY(writeOwner(lock.descriptor_, file, purpose));
  lock.leavesMark_ = false;
  return lock;
}

Result<bool> StoreLock::tryOnce() {
  close();
  leavesMark_ = true;  // until it is ours
  descriptor_ = openStoreFile(file_, O_RDWR);
  if (descriptor_ < 0) return fail(osError(file_, "open", errno));
  struct stat info {};
  const bool isKnown = ::fstat(descriptor_, &info) == 0 && S_ISREG(info.st_mode);
  // A copy of the store by hard links shares the file; only a lock's text may be written over.
  const bool isShared = isKnown && info.st_nlink > 1 && info.st_size > 0;
  const auto owner = isShared ? readOwner(descriptor_) : std::nullopt;
  if (!isKnown || (isShared && !(owner && owner->processId > 0 && owner->startedAt > 0))) {
    return fail(ErrorCode::CorruptData,
                file_.string() + ": is no file of the store's own; what is in it would be lost");
  }
  STRATA_TRY(const bool hasFile, tryLock(descriptor_, file_));
  if (!hasFile) return false;
  const fs::path refs = file_.parent_path() / "refs";
  folder_ = ::open(refs.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  // A file system that cannot lock folders has the file alone.
  const auto hasFolder = folder_ < 0 ? true : tryLock(folder_, refs).value_or(true);
  return hasFolder && check().has_value();
}

/// Of the one that kept the last try from the lock.
std::string StoreLock::describeOther() const {
  const auto owner = readOwner(descriptor_);
  if (folder_ < 0 && owner) return owner->describe();
  return folder_ < 0 ? "another process" : "another process, whose lock file was removed";
}

Result<void> StoreLock::check() const {
  if (isStillNamed(descriptor_, file_)) return {};
  return fail(ErrorCode::StoreLocked,
              file_.string() +
                  ": was removed or replaced while this command had the lock, so that "
                  "another writer may be at work; not done, try again");
}

StoreLock::StoreLock(StoreLock&& other) noexcept
    : file_(std::move(other.file_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      folder_(std::exchange(other.folder_, -1)),
      previousOwnerDied_(other.previousOwnerDied_),
      leavesMark_(other.leavesMark_) {}

StoreLock& StoreLock::operator=(StoreLock&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(folder_, other.folder_);
  std::swap(previousOwnerDied_, other.previousOwnerDied_);
  std::swap(leavesMark_, other.leavesMark_);
  return *this;
}

StoreLock::~StoreLock() {
  // If the text stays, the next writer only looks for leftovers once more.
  const bool isEmptied = descriptor_ >= 0 && !leavesMark_;
  if (isEmptied && ::ftruncate(descriptor_, 0) != 0) errno = 0;
  close();
}

void StoreLock::close() noexcept {
  // The file last: who gets it finds the folder free.
  for (int* const one : {&folder_, &descriptor_}) {
    if (*one >= 0) ::close(std::exchange(*one, -1));
  }
}

namespace {

/// Whether a writer has an open file. A shared lock conflicts with a writer's only, and is gone
/// again at once.
bool isHeld(int descriptor) noexcept {
  return ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace

LockState readLock(const fs::path& file) {
  LockState state;
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor >= 0) {
    state = {.owner = readOwner(descriptor), .held = isHeld(descriptor)};
    ::close(descriptor);
  }
  const bool isAnothers = descriptor < 0 || state.owner;
  if (state.held || !isAnothers) return state;
  const fs::path refs = file.parent_path() / "refs";
  const int folder = ::open(refs.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder >= 0) {
    state.held = isHeld(folder);
    ::close(folder);
  }
  return state;
}

}  // namespace strata
