#include "core/io/models/model_sink.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/io/os_error.h"

namespace strata {

DescriptorSink::DescriptorSink(int descriptor, std::string label)
    : descriptor_(descriptor), label_(std::move(label)) {}

Result<void> DescriptorSink::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE) {
      return fail(ErrorCode::Cancelled, label_ + ": the reader has gone");
    }
    if (written < 0) return fail(osError(label_, "write", errno));
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace strata
