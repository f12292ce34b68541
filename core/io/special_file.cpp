#include "core/io/special_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "core/io/os_error.h"

namespace strata {

namespace fs = std::filesystem;
namespace {

constexpr std::string_view kFifo = "a fifo";

}  // namespace

std::string_view specialKind(const fs::path& path) {
  std::error_code status;
  switch (fs::status(path, status).type()) {
    case fs::file_type::fifo:
      return kFifo;
    case fs::file_type::character:
      return "a character device";
    case fs::file_type::block:
      return "a block device";
    case fs::file_type::socket:
      return "a socket";
    default:
      return {};
  }
}

Result<void> refuseSpecial(const fs::path& path) {
  const std::string_view kind = specialKind(path);
  if (kind.empty()) return {};
  return fail(ErrorCode::Unsupported,
              fmt::format("{}: is {}, expected a file", path.string(), kind));
}

bool isOpenFile(const fs::path& path) {
  const std::string name = path.lexically_normal().string();
  return name == "/dev/stdout" || name == "/dev/stderr" || name.starts_with("/dev/fd/") ||
         name.starts_with("/proc/");
}

Result<StreamSink> StreamSink::open(const fs::path& path, const std::stop_token& stop) {
  // Appending matters for an open file only: what it holds already stays. A fifo without a reader
  // would keep a signal waiting, too: such an open starts again.
  constexpr int kFlags = O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC | O_NONBLOCK;
  constexpr std::chrono::milliseconds kBetweenLooks(20);
  for (;;) {
    const int descriptor = ::open(path.c_str(), kFlags);
    if (descriptor >= 0) {
      StreamSink sink(descriptor, path.string());
      const int flags = ::fcntl(descriptor, F_GETFL);
      const bool waits = flags >= 0 && ::fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK) == 0;
      return waits ? Result<StreamSink>(std::move(sink)) : fail(osError(path, "open", errno));
    }
    const bool lacksReader = errno == ENXIO && specialKind(path) == kFifo;
    if (errno != EINTR && !lacksReader) return fail(osError(path, "open", errno));
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    if (lacksReader) std::this_thread::sleep_for(kBetweenLooks);
  }
}

StreamSink::StreamSink(int descriptor, std::string label)
    : descriptor_(descriptor), sink_(descriptor, label), label_(std::move(label)) {}

StreamSink::StreamSink(StreamSink&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      sink_(std::move(other.sink_)),
      label_(std::move(other.label_)) {}

StreamSink::~StreamSink() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> StreamSink::append(std::span<const std::byte> bytes) { return sink_.append(bytes); }

Result<void> StreamSink::finish() {
  // A fifo has nothing to sync.
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP) {
    return fail(osError(label_, "sync", errno));
  }
  if (::close(std::exchange(descriptor_, -1)) != 0) return fail(osError(label_, "close", errno));
  return {};
}

}  // namespace strata
