#include "core/device/device_queues.h"

namespace strata {

using kernels::DeviceFault;

void DeviceQueues::Return::operator()(kernels::DeviceQueue* queue) const {
  const std::lock_guard lock(queues->mutex_);
  queues->free_.emplace_back(queue);
}

Result<void> DeviceQueues::open(Device* device, std::uint64_t workBytes) {
  device_ = device;
  if (device != nullptr) {
    STRATA_TRY(engine_, device->engineFor(workBytes));
  }
  return {};
}

Result<DeviceQueues::Loan> DeviceQueues::lend() {
  Loan loan(nullptr, Return{this});
  if (engine_ == nullptr || device_->hasGivenUp()) return loan;
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      loan.reset(free_.back().release());
      free_.pop_back();
      return loan;
    }
  }
  loan.reset(engine_->makeQueue().release());
  if (loan == nullptr) STRATA_TRY(giveUp(kernels::describe(DeviceFault::OutOfMemory)));
  return loan;
}

}  // namespace strata
