#include "core/io/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/io/os_error.h"

namespace strata {
namespace {

/// Closes a file descriptor at the end of its scope.
struct Descriptor {
  int value;
  ~Descriptor() {
    if (value >= 0) ::close(value);
  }
};

}  // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  // Without waiting: a pipe of that name has no writer yet.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.value < 0) return fail(osError(path, "open", errno));
  struct stat status {};
  if (::fstat(file.value, &status) != 0 || !S_ISREG(status.st_mode)) {
    return fail(ErrorCode::Io, path.string() + ": not a regular file");
  }
  MappedFile mapped;
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return mapped;
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.value, 0);
  if (address == MAP_FAILED) return fail(osError(path, "map", errno));
  mapped.bytes_ = {static_cast<const std::byte*>(address), size};
  return mapped;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace strata
