#define STRATA_LOOPS scalar_loops
#include "kernels/cpu/detail/plain_kernels.h"

namespace strata::kernels {

const CpuKernels& scalarKernels() noexcept {
  static constexpr CpuKernels kKernels = scalar_loops::plainKernels("scalar");
  return kKernels;
}

const LevelKernels& scalarLevelKernels() noexcept {
  static constexpr LevelKernels kKernels = scalar_loops::plainLevelKernels();
  return kKernels;
}

}  // namespace strata::kernels
