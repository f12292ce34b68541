#pragma once

#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "core/device/device.h"
#include "kernels/device_engine.h"

namespace strata {

/// The queues of a GPU for threads that take turns: as many as are in use at a time. Safe to use
/// from any thread.
class DeviceQueues {
  struct Return {
    DeviceQueues* queues;
    void operator()(kernels::DeviceQueue* queue) const;
  };

 public:
  /// A queue that is given back in the end; null: the CPU does the work. Not to outlive the queues.
  using Loan = std::unique_ptr<kernels::DeviceQueue, Return>;

  /// For work on so many bytes of models; before any loan. `device` is borrowed; null: the CPU.
  /// Fails with Device, naming the reason, where a GPU was insisted on and there is none.
  Result<void> open(Device* device, std::uint64_t workBytes);

  /// Fails with Device where a GPU was insisted on and its memory does not suffice.
  Result<Loan> lend();

  /// See Device::giveUp(): nothing is lent from then on.
  Result<void> giveUp(std::string_view reason) { return device_->giveUp(reason); }

 private:
  Device* device_ = nullptr;
  kernels::DeviceEngine* engine_ = nullptr;  ///< null: the CPU
  std::mutex mutex_;                         ///< guards what follows
  std::vector<std::unique_ptr<kernels::DeviceQueue>> free_;
};

}  // namespace strata
