#include "core/io/temp_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <random>
#include <utility>

#include "core/io/os_error.h"
#include "core/io/placed_file.h"
#include "core/io/special_file.h"
#include "core/io/store_modes.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostPerWrite = std::size_t{1} << 30;

fs::path folderOf(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

/// Of a folder that is there and takes no files, as /proc, the reason would be that something is
/// missing.
Error createError(const fs::path& path, int reason) {
  const fs::path folder = folderOf(path);
  std::error_code status;
  if (reason != ENOENT || !fs::is_directory(folder, status)) {
    return osError(path, "create", reason);
  }
  return {ErrorCode::Io, folder.string() + ": takes no new files"};
}

}  // namespace

std::string randomName() {
  std::uint64_t value = 0;
  if (::getrandom(&value, sizeof value, 0) != sizeof value) {
    std::random_device device;
    value = std::uint64_t{device()} << 32 | device();
  }
  return fmt::format("{:016x}", value);
}

Result<void> writeAll(int descriptor, std::span<const std::byte> bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t written =
        ::write(descriptor, bytes.data(), std::min(bytes.size(), kMostPerWrite));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail(osError(path, "write", errno));
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> syncFolder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return fail(osError(folder, "open", errno));
  const int reason = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  // Some network file systems cannot sync a folder and need not.
  if (reason != 0 && reason != EINVAL) return fail(osError(folder, "sync", reason));
  return {};
}

Result<void> renameToNew(const fs::path& from, const fs::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return {};
  if (errno == EEXIST) return fail(ErrorCode::InvalidArgument, to.string() + ": already exists");
  if (errno != EINVAL && errno != ENOSYS) return fail(osError(to, "rename to", errno));
  // A file system without that flag: look first.
  std::error_code status;
  if (fs::exists(fs::symlink_status(to, status))) {
    return fail(ErrorCode::InvalidArgument, to.string() + ": already exists");
  }
  if (::rename(from.c_str(), to.c_str()) != 0) return fail(osError(to, "rename to", errno));
  return {};
}

Result<void> writeFileWhole(const fs::path& temporaryFolder, const fs::path& target,
                            std::string_view text) {
  STRATA_TRY(TempFile file, TempFile::createForStore(temporaryFolder, "small"));
  STRATA_TRY(file.append(std::as_bytes(std::span(text))));
  return file.moveTo(target);
}

Result<TempFile> TempFile::create(const fs::path& folder, std::string_view prefix,
                                  std::uint32_t mode) {
  return createAt(folder / fmt::format("{}-{}.tmp", prefix, randomName()), mode);
}

Result<TempFile> TempFile::createForStore(const fs::path& folder, std::string_view prefix) {
  const fs::path path = folder / fmt::format("{}-{}.tmp", prefix, randomName());
  const int descriptor = openStoreFile(path, O_WRONLY | O_EXCL | O_NOFOLLOW);
  if (descriptor < 0) return fail(osError(path, "create", errno));
  return TempFile(path, descriptor);
}

Result<TempFile> TempFile::createAt(const fs::path& path, std::uint32_t mode) {
  const int descriptor =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  if (descriptor < 0) return fail(createError(path, errno));
  return TempFile(path, descriptor);
}

TempFile::TempFile(fs::path path, int descriptor) noexcept
    : path_(std::move(path)), isTemporary_(true), descriptor_(descriptor) {}

TempFile::TempFile(TempFile&& other) noexcept
    : path_(std::move(other.path_)),
      isTemporary_(std::exchange(other.isTemporary_, false)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      byteCount_(other.byteCount_) {}

TempFile& TempFile::operator=(TempFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(isTemporary_, other.isTemporary_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(byteCount_, other.byteCount_);
  return *this;
}

TempFile::~TempFile() { discard(); }

void TempFile::discard() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  if (std::exchange(isTemporary_, false)) ::unlink(path_.c_str());
}

Result<void> TempFile::append(std::span<const std::byte> bytes) {
  STRATA_TRY(writeAll(descriptor_, bytes, path_));
  byteCount_ += bytes.size();
  return {};
}

Result<void> TempFile::sync() {
  if (::fsync(descriptor_) != 0) return fail(osError(path_, "sync", errno));
  return {};
}

Result<void> TempFile::makeReadOnly() {
  if (descriptor_ < 0) return strata::makeReadOnly(path_);
  return strata::makeReadOnly(descriptor_, path_);
}

Result<void> TempFile::close() {
  if (descriptor_ < 0) return {};
  STRATA_TRY(sync());
  // A late write error of a network file system shows here.
  if (::close(std::exchange(descriptor_, -1)) != 0) {
    const int reason = errno;
    discard();
    return fail(osError(path_, "close", reason));
  }
  return {};
}

Result<void> TempFile::keep() {
  STRATA_TRY(close());
  isTemporary_ = false;
  return {};
}

Result<void> TempFile::finish(const fs::path& target, bool replace) {
  STRATA_TRY(refuseSpecial(target));
  STRATA_TRY(keep());
  Result<void> renamed;
  if (!replace) {
    renamed = renameToNew(path_, target);
  } else if (::rename(path_.c_str(), target.c_str()) != 0) {
    renamed = fail(osError(target, "rename to", errno));
  }
  if (!renamed) {
    ::unlink(path_.c_str());
    return renamed;
  }
  if (replace) return syncPlaced(target);
  Result<void> synced = syncFolder(folderOf(target));
  if (!synced) ::unlink(target.c_str());
  return synced;
}

Result<void> TempFile::moveTo(const fs::path& target) { return finish(target, true); }

Result<void> TempFile::moveToNew(const fs::path& target) { return finish(target, false); }

}  // namespace strata
