#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/codec/device/device_input.h"
#include "core/codec/lossy/level_fit.h"
#include "core/codec/lossy/level_sketch.h"
#include "core/codec/lossy/pattern_search.h"
#include "kernels/device_engine.h"

namespace strata {

/// The steps of quantizing a part on a device, bit for bit as the CPU takes them. For one thread.
///
/// Nothing here fails: where the device cannot go on, or there are fewer than `leastValues`, there
/// is no result and the CPU is to take the step (core/codec/lossy/quantizing_steps.h).
/// A wrong result would cost bytes or quality and nobody would see it, so the CPU takes some of
/// each step, too; a difference is a fault.
///
/// Values that two calls in a row are given go up once: they must not change in between.
class DeviceQuantizer {
 public:
  /// Fewer values are not worth the way to a device and back.
  static constexpr std::size_t kLeastValues = 1 << 16;

  /// Borrows the queue, whose input is lost.
  explicit DeviceQuantizer(kernels::DeviceQueue& queue, std::size_t leastValues = kLeastValues)
      : queue_(queue), leastValues_(leastValues), arrays_(queue) {}

  std::optional<LevelSketch> sketch(std::span<const float> values);
  std::optional<std::vector<double>> centres(const CentreSearch& search);
  /// False without a result.
  [[nodiscard]] bool nearest(std::span<const float> values, std::span<const float> edges,
                             std::uint8_t* out);
  std::optional<std::vector<PatternMatch>> patterns(const PatternSet& set,
                                                    std::span<const float> values,
                                                    std::size_t blockWords);

  /// Why the device gave up; None if it did not.
  kernels::DeviceFault fault() const noexcept { return fault_; }

 private:
  /// Makes `values` the ones that the input holds. False where there can be no result.
  bool hold(std::span<const float> values);
  /// Runs a pass over what is held and what was added behind it.
  template <typename Work>
  bool run(kernels::DeviceFault (kernels::DeviceQueue::*pass)(const Work&), Work& work);

  /// Notes a wrong result.
  bool isRight(bool agrees) noexcept;

  kernels::DeviceQueue& queue_;
  std::size_t leastValues_;
  DeviceInput arrays_;  ///< the values held, then what one pass needs
  std::span<const float> held_;
  std::size_t uploadedBytes_ = 0;  ///< of those on the device
  kernels::DeviceFault fault_ = kernels::DeviceFault::None;
};

}  // namespace strata
