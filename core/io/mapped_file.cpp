#include "core/io/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "core/io/open_file.h"
#include "core/io/os_error.h"

namespace strata {
namespace {

std::int64_t nanoseconds(const timespec& time) noexcept {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

FileStamp stampOf(const struct stat& status) noexcept {
  return {.device = status.st_dev,
          .number = status.st_ino,
          .byteCount = static_cast<std::uint64_t>(status.st_size),
          .changedAt = nanoseconds(status.st_ctim),
          .writtenAt = nanoseconds(status.st_mtim),
          .mode = status.st_mode};
}

std::string difference(const FileStamp& before, const FileStamp& after) {
  if (after.device != before.device || after.number != before.number) {
    return "another file has its name";
  }
  if (after.byteCount != before.byteCount) {
    return fmt::format("it had {} bytes, now {}", before.byteCount, after.byteCount);
  }
  return after.writtenAt != before.writtenAt ? "it was written" : "its attributes were changed";
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  // Without waiting: a pipe of that name has no writer yet.
  const OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.descriptor < 0) return fail(osError(path, "open", errno));
  struct stat status {};
  if (::fstat(file.descriptor, &status) != 0) return fail(osError(path, "look at", errno));
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorCode::Io, path.string() + ": not a regular file");
  }
  MappedFile mapped;
  mapped.path_ = path;
  mapped.stamp_ = stampOf(status);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return mapped;
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.descriptor, 0);
  if (address == MAP_FAILED) return fail(osError(path, "map", errno));
  mapped.bytes_ = {static_cast<const std::byte*>(address), size};
  mapped.watched_ = &watchMapping(address, size);
  return mapped;
}

MappedFile::~MappedFile() {
  if (watched_ == nullptr) return;
  forgetMapping(*watched_);
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

MappedFile::MappedFile(MappedFile&& other) noexcept { *this = std::move(other); }

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(watched_, other.watched_);
  std::swap(path_, other.path_);
  std::swap(stamp_, other.stamp_);
  return *this;
}

Result<void> MappedFile::checkRead() const {
  if (!hasFailed()) return {};
  return fail(ErrorCode::Io, fmt::format("{}: {}", path_.string(), kUnreadable));
}

Result<void> MappedFile::checkUnchanged() const {
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) {
    if (errno != ENOENT) return fail(osError(path_, "look at", errno));
    return changedWhileRead(path_.string(), "it is gone");
  }
  const FileStamp now = stampOf(status);
  if (now != stamp_) return changedWhileRead(path_.string(), difference(stamp_, now));
  return checkRead();
}

tl::unexpected<Error> changedWhileRead(std::string_view path, std::string_view how) {
  return fail(ErrorCode::Io,
              fmt::format("{}: changed while it was read ({}); try again once no program writes "
                          "to it",
                          path, how));
}

}  // namespace strata
