#include "hub/append_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "core/io/open_file.h"
#include "core/io/os_error.h"

namespace strata::hub {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20U;

}  // namespace

Result<void> appendFile(const std::filesystem::path& file, std::uint64_t firstByte,
                        std::uint64_t endByte, ObjectSink& sink, const std::stop_token& stop,
                        const TransferMeter& meter) {
  const OpenFile open(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (open.descriptor < 0) return fail(osError(file, "open", errno));
  std::vector<std::byte> block(std::min<std::uint64_t>(kBlockBytes, endByte - firstByte));
  for (std::uint64_t offset = firstByte; offset < endByte;) {
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    const std::size_t wanted = std::min<std::uint64_t>(block.size(), endByte - offset);
    const ssize_t got = ::pread(open.descriptor, block.data(), wanted, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(osError(file, "read", errno));
    if (got == 0) {
      return fail(ErrorCode::CorruptData, fmt::format("{}: ends after {} bytes, expected {}",
                                                      file.string(), offset, endByte));
    }
    STRATA_TRY(sink.append(std::span(block).first(static_cast<std::size_t>(got))));
    offset += static_cast<std::uint64_t>(got);
    if (meter) meter(got);
  }
  return {};
}

}  // namespace strata::hub
