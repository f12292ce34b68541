#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "core/archive/read/part_cache.h"
#include "core/codec/device/device_input.h"
#include "core/result.h"

namespace strata {

/// The decoding of a range of a version's bytes as a batch for a device.
///
/// Words are decoded where they end: first those of the oldest version, then each child's over its
/// parent's. A block's *level* is one above that of the words it lies on; what the CPU gives has
/// level 0.
class DevicePlan {
 public:
  /// `queue` is borrowed; what its input held is lost.
  explicit DevicePlan(kernels::DeviceQueue& queue);

  /// Whether any word is to be decoded on the device.
  bool hasDecoding() const noexcept { return !parts_.empty(); }
  /// Whether the queue's memory is exhausted; the plan is then of no use.
  bool failed() const noexcept { return input_.failed(); }

  /// Bytes that the CPU gives: `fill` puts them where they are told to go.
  Result<void> addBytes(std::uint64_t outputAt, std::uint64_t byteCount,
                        const std::function<Result<void>(std::span<std::byte>)>& fill);

  /// Blocks [first, end) of a part whose decoder has a form for devices; the first one's words go
  /// to `outputAt`. The plan keeps the part open.
  void addBlocks(unsigned level, const std::shared_ptr<const OpenPart>& part, std::uint64_t first,
                 std::uint64_t end, std::uint64_t outputAt);

  /// Puts the blocks into the input, too. The batch is valid as long as the plan. Once.
  kernels::DeviceBatch finish(std::size_t outputBytes);

 private:
  struct Known {
    std::shared_ptr<const OpenPart> part;  ///< keeps its address taken
    std::uint32_t number;
  };
  struct Stage {
    unsigned level;
    kernels::DeviceCoding coding;
    auto operator<=>(const Stage&) const = default;
  };

  std::uint32_t numberOf(const std::shared_ptr<const OpenPart>& part);

  DeviceInput input_;
  std::uint64_t keysAt_ = 0;
  std::map<const OpenPart*, Known> known_;
  std::vector<kernels::DevicePart> parts_;
  std::map<Stage, std::vector<kernels::DeviceBlock>> blocks_;
  std::vector<kernels::DeviceStage> stages_;
};

}  // namespace strata
