#include "core/device/device.h"

#include <fmt/format.h>

#include <mutex>

#include "kernels/device_engine.h"

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

struct Device::State {
  DeviceWish wish;
  Opener opener;
  std::uint64_t worthwhileBytes;
  std::mutex mutex;  ///< guards what follows
  bool isOpened = false;
  bool isGivenUp = false;
  kernels::DeviceOpening opening;
  std::string note;

  State(DeviceWish asked, Opener how, std::uint64_t bytes)
      : wish(asked), opener(std::move(how)), worthwhileBytes(bytes) {}
};

Device::Device(DeviceWish wish) : Device(wish, kernels::openCudaDevice) {}

Device::Device(DeviceWish wish, Opener opener, std::uint64_t worthwhileBytes)
    : state_(std::make_unique<State>(wish, std::move(opener), worthwhileBytes)) {}

Device::~Device() = default;

Result<kernels::DeviceEngine*> Device::engineFor(std::uint64_t workBytes) {
  if (state_->wish == DeviceWish::Cpu) return nullptr;
  if (state_->wish == DeviceWish::Auto && workBytes < state_->worthwhileBytes) return nullptr;
  const std::lock_guard lock(state_->mutex);
  if (!state_->isOpened) {
    state_->opening = state_->opener();
    state_->isOpened = true;
    const bool isNews = state_->opening.engine == nullptr && !isAbsent(state_->opening.fault);
    if (state_->wish == DeviceWish::Auto && isNews) state_->note = noteOf(state_->opening.reason);
  }
  if (state_->opening.engine == nullptr && state_->wish == DeviceWish::Cuda) {
    return fail(ErrorCode::Device, fmt::format("--device cuda: {}", state_->opening.reason));
  }
  return state_->isGivenUp ? nullptr : state_->opening.engine.get();
}

Result<void> Device::require() {
  if (state_->wish == DeviceWish::Cuda) STRATA_TRY(engineFor(0));
  return {};
}

Result<void> Device::giveUp(std::string_view reason) {
  const std::lock_guard lock(state_->mutex);
  const std::string named = state_->opening.engine == nullptr
                                ? std::string(reason)
                                : fmt::format("{}: {}", state_->opening.engine->name(), reason);
  if (state_->wish == DeviceWish::Cuda) {
    return fail(ErrorCode::Device, fmt::format("--device cuda: {}", named));
  }
  if (!state_->isGivenUp) state_->note = noteOf(named);
  state_->isGivenUp = true;
  return {};
}

bool Device::hasGivenUp() const {
  const std::lock_guard lock(state_->mutex);
  return state_->isGivenUp;
}

std::string Device::note() const {
  const std::lock_guard lock(state_->mutex);
  return state_->note;
}

}  // namespace strata
