#include "hub/http/file_sink.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/io/os_error.h"
#include "core/io/store_modes.h"
#include "core/io/temp_file.h"

namespace strata::hub {

FileSink::FileSink(FileSink&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      byteCount_(other.byteCount_) {}

FileSink::~FileSink() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<FileSink> FileSink::open(const std::filesystem::path& path, std::uint64_t mostBytes) {
  const int descriptor = openStoreFile(path, O_RDWR | O_NOFOLLOW);
  if (descriptor < 0) return fail(osError(path, "create", errno));
  FileSink sink(path, descriptor);
  const off_t end = ::lseek(descriptor, 0, SEEK_END);
  if (end < 0) return fail(osError(path, "read", errno));
  sink.byteCount_ = static_cast<std::uint64_t>(end);
  if (sink.byteCount_ > mostBytes) STRATA_TRY(sink.restart());
  return sink;
}

Result<void> FileSink::append(std::span<const std::byte> bytes) {
  STRATA_TRY(writeAll(descriptor_, bytes, path_));
  byteCount_ += bytes.size();
  return {};
}

Result<void> FileSink::restart() {
  if (::ftruncate(descriptor_, 0) != 0 || ::lseek(descriptor_, 0, SEEK_SET) != 0) {
    return fail(osError(path_, "empty", errno));
  }
  byteCount_ = 0;
  return {};
}

Result<void> FileSink::close() {
  if (::fsync(descriptor_) != 0) return fail(osError(path_, "sync", errno));
  ::close(std::exchange(descriptor_, -1));
  return {};
}

}  // namespace strata::hub
