#define STRATA_LOOPS scalar_loops
#include "kernels/cpu/detail/matrix_loops.h"
#include "kernels/cpu/detail/pattern_loops.h"
#include "kernels/cpu/detail/plain_kernels.h"
#include "kernels/cpu/detail/replay_loops.h"
#include "kernels/cpu/instruction_sets.h"

namespace strata::kernels {

const CpuKernels& scalarKernels() noexcept {
  static constexpr CpuKernels kKernels = scalar_loops::plainKernels("scalar");
  return kKernels;
}

const LevelKernels& scalarLevelKernels() noexcept {
  static constexpr LevelKernels kKernels = scalar_loops::plainLevelKernels();
  return kKernels;
}

const MatrixKernels& scalarMatrixKernels() noexcept {
  static constexpr MatrixKernels kKernels = scalar_loops::plainMatrixKernels();
  return kKernels;
}

const PatternKernels& scalarPatternKernels() noexcept {
  static constexpr PatternKernels kKernels = scalar_loops::plainPatternKernels();
  return kKernels;
}

const ReplayKernels& scalarReplayKernels() noexcept {
  static constexpr ReplayKernels kKernels = scalar_loops::plainReplayKernels();
  return kKernels;
}

}  // namespace strata::kernels
