#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace strata::kernels {
class DeviceEngine;
struct DeviceOpening;
}  // namespace strata::kernels

namespace strata {

/// Where the coding is to run: `--device`.
enum class DeviceWish {
  Auto,  ///< on a GPU where one is usable and the work is worth it, else on the CPU
  Cpu,
  Cuda,  ///< on a GPU, or fail with the reason
};
std::optional<DeviceWish> deviceWishFromName(std::string_view name) noexcept;

/// The one place that decides whether a GPU does the work. A GPU is looked for when the first work
/// is offered, not before. Safe to use from any thread.
class Device {
 public:
  using Opener = std::function<kernels::DeviceOpening()>;

  /// Opening a GPU takes some tenths of a second: unless one is insisted on, less work than this is
  /// left to the CPU.
  static constexpr std::uint64_t kWorthwhileBytes = std::uint64_t{256} << 20;

  explicit Device(DeviceWish wish);
  /// With something else that opens a GPU, for tests.
  Device(DeviceWish wish, Opener opener, std::uint64_t worthwhileBytes = kWorthwhileBytes);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// The GPU for work on so many bytes of models; null: the CPU does it.
  /// Fails with Device, naming the reason, where a GPU was insisted on and there is none.
  Result<kernels::DeviceEngine*> engineFor(std::uint64_t workBytes);

  /// Looks for a GPU where one is insisted on; fails as engineFor().
  Result<void> require();

  /// Says that the GPU failed: the CPU does the rest. Fails with Device where it was insisted on.
  Result<void> giveUp(std::string_view reason);

  bool hasGivenUp() const;

  /// Why the CPU did work that a GPU should have done; empty if it did not, and on machines that
  /// have none.
  std::string note() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace strata
