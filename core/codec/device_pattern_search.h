#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/codec/pattern_search.h"
#include "kernels/device_engine.h"

namespace strata {

/// The search for patterns on a device, in place of PatternSearch and bit for bit as that. For one
/// thread.
///
/// Nothing here fails: once the device cannot go on, the CPU is to search, and fault() says why.
class DevicePatternSearch {
 public:
  /// Parts of fewer words are not worth the way to a device and back.
  static constexpr std::uint64_t kLeastWords = 1 << 16;

  /// Borrows the queue, whose input is lost.
  explicit DevicePatternSearch(kernels::DeviceQueue& queue) : queue_(queue) {}

  /// The best patterns of the runs of all blocks of `blockWords` values, block by block. Of each
  /// block the CPU searches some, too: a wrong pattern would cost bytes or quality and nobody would
  /// see it, so a difference is a fault.
  std::optional<std::vector<PatternMatch>> find(const PatternSet& set,
                                                std::span<const float> values,
                                                std::size_t blockWords);

  /// Why the device gave up; None if it did not.
  kernels::DeviceFault fault() const noexcept { return fault_; }

 private:
  kernels::DeviceQueue& queue_;
  kernels::DeviceFault fault_ = kernels::DeviceFault::None;
};

}  // namespace strata
