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

std::string describeOwner(int descriptor) {
  const auto owner = readOwner(descriptor);
  return owner ? owner->describe() : "another process";
}

Result<void> writeOwner(int descriptor, const fs::path& file, std::string_view purpose) {
  const std::string text =
      fmt::format("{}\n{}\n{}\n{} {}\n", ::getpid(), hostName(), now(), programName(), purpose);
  if (::ftruncate(descriptor, 0) != 0) return fail(osError(file, "write", errno));
  STRATA_TRY(writeAll(descriptor, std::as_bytes(std::span(text)), file));
  if (::fsync(descriptor) != 0) return fail(osError(file, "sync", errno));
  return {};
}

}  // namespace

std::string LockOwner::describe() const {
  const std::string where = host == hostName() ? "" : " on " + host;
  return fmt::format("PID {} ({}){} since {}", processId, command, where, wordDate(startedAt));
}

Result<StoreLock> StoreLock::acquire(const fs::path& file, std::string_view purpose,
                                     const LockWait& wait, const std::stop_token& stop) {
  const int descriptor = openStoreFile(file, O_RDWR);
  if (descriptor < 0) return fail(osError(file, "open", errno));
  StoreLock lock(descriptor);
  lock.leavesMark_ = true;  // until it is ours
  struct stat info {};
  if (::fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode) || info.st_nlink != 1) {
    return fail(ErrorCode::CorruptData,
                file.string() + ": is no file of the store's own; what is in it would be lost");
  }
  const auto begin = std::chrono::steady_clock::now();
  bool hasTold = false;
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return fail(osError(file, "lock", errno));
    const std::string owner = describeOwner(descriptor);
    if (std::chrono::steady_clock::now() - begin >= wait.longest) {
      return fail(ErrorCode::StoreLocked,
                  fmt::format("{}: locked by {}", file.parent_path().string(), owner));
    }
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    if (!std::exchange(hasTold, true) && wait.onWait) wait.onWait(owner);
    std::this_thread::sleep_for(kLockPause);
  }
  lock.previousOwnerDied_ = readOwner(descriptor).has_value();
  STRATA_TRY(writeOwner(descriptor, file, purpose));
  lock.leavesMark_ = false;
  return lock;
}

StoreLock::StoreLock(StoreLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      previousOwnerDied_(other.previousOwnerDied_),
      leavesMark_(other.leavesMark_) {}

StoreLock& StoreLock::operator=(StoreLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(previousOwnerDied_, other.previousOwnerDied_);
  std::swap(leavesMark_, other.leavesMark_);
  return *this;
}

StoreLock::~StoreLock() {
  if (descriptor_ < 0) return;
  // If the text stays, the next writer only looks for leftovers once more.
  if (!leavesMark_ && ::ftruncate(descriptor_, 0) != 0) errno = 0;
  ::close(descriptor_);
}

LockState readLock(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {};
  LockState state{.owner = readOwner(descriptor), .held = false};
  // A shared lock conflicts with a writer's only, and is gone again at once.
  state.held = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(descriptor);
  return state;
}

}  // namespace strata
