#include "core/device/device.h"

#include <fmt/format.h>

namespace strata {
namespace {

using kernels::DeviceFault;

/// Machines without a GPU are no news.
bool isAbsent(DeviceFault fault) noexcept {
  return fault == DeviceFault::NotBuilt || fault == DeviceFault::NoDriver ||
         fault == DeviceFault::NoDevice;
}

std::string noteOf(std::string_view reason) {
  return fmt::format("the CPU did the work: {}", reason);
}

}  // namespace

std::optional<DeviceWish> deviceWishFromName(std::string_view name) noexcept {
  if (name == "auto") return DeviceWish::Auto;
  if (name == "cpu") return DeviceWish::Cpu;
  if (name == "cuda") return DeviceWish::Cuda;
  return std::nullopt;
}

Device::Device(DeviceWish wish, Opener opener, std::uint64_t worthwhileBytes)
    : wish_(wish), opener_(std::move(opener)), worthwhileBytes_(worthwhileBytes) {}

Result<kernels::DeviceEngine*> Device::engineFor(std::uint64_t workBytes) {
  if (wish_ == DeviceWish::Cpu) return nullptr;
  if (wish_ == DeviceWish::Auto && workBytes < worthwhileBytes_) return nullptr;
  const std::lock_guard lock(mutex_);
  if (!isOpened_) {
    opening_ = opener_();
    isOpened_ = true;
    const bool isNews = opening_.engine == nullptr && !isAbsent(opening_.fault);
    if (wish_ == DeviceWish::Auto && isNews) note_ = noteOf(opening_.reason);
  }
  if (opening_.engine == nullptr && wish_ == DeviceWish::Cuda) {
    return fail(ErrorCode::Device, fmt::format("--device cuda: {}", opening_.reason));
  }
  return isGivenUp_ ? nullptr : opening_.engine.get();
}

Result<void> Device::require() {
  if (wish_ == DeviceWish::Cuda) STRATA_TRY(engineFor(0));
  return {};
}

Result<void> Device::giveUp(std::string_view reason) {
  const std::lock_guard lock(mutex_);
  const std::string named = opening_.engine == nullptr
                                ? std::string(reason)
                                : fmt::format("{}: {}", opening_.engine->name(), reason);
  if (wish_ == DeviceWish::Cuda) {
    return fail(ErrorCode::Device, fmt::format("--device cuda: {}", named));
  }
  if (!isGivenUp_) note_ = noteOf(named);
  isGivenUp_ = true;
  return {};
}

bool Device::hasGivenUp() const {
  const std::lock_guard lock(mutex_);
  return isGivenUp_;
}

std::string Device::note() const {
  const std::lock_guard lock(mutex_);
  return note_;
}

}  // namespace strata
