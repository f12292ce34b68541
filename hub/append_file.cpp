#include "hub/append_blocks.h"

#include <algorithm>

namespace strata::hub {

Result<void> appendBlocks(std::span<const std::byte> bytes, std::uint64_t firstByte,
                          ObjectSink& sink, const std::stop_token& stop,
                          const TransferMeter& meter) {
  constexpr std::size_t kBlockBytes = std::size_t{1} << 20U;
  for (std::size_t offset = firstByte; offset < bytes.size(); offset += kBlockBytes) {
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    const auto block = bytes.subspan(offset, std::min(kBlockBytes, bytes.size() - offset));
    STRATA_TRY(sink.append(block));
    if (meter) meter(static_cast<std::int64_t>(block.size()));
  }
  return {};
}

}  // namespace strata::hub
