#include "kernels/device_engine.h"

namespace strata::kernels {

DeviceOpening openCudaDevice() {
  return {nullptr, DeviceFault::NotBuilt, describe(DeviceFault::NotBuilt)};
}

}  // namespace strata::kernels
