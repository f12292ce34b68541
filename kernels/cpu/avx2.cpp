#define STRATA_LOOPS avx2_loops
#include "kernels/cpu/detail/avx2_decode.h"
#include "kernels/cpu/detail/avx2_encode.h"
#include "kernels/cpu/detail/avx2_levels.h"
#include "kernels/cpu/detail/avx2_words.h"
#include "kernels/cpu/detail/matrix_loops.h"
#include "kernels/cpu/detail/pattern_loops.h"
#include "kernels/cpu/detail/plain_kernels.h"
#include "kernels/cpu/detail/replay_loops.h"
#include "kernels/cpu/instruction_sets.h"

namespace strata::kernels {
namespace avx2_loops {
namespace {

constexpr CpuKernels makeKernels() noexcept {
  CpuKernels kernels = plainKernels("avx2");
  kernels.decodeDeltas = decodeDeltas32;
  kernels.decodeSymbols = decodeSymbols32;
  kernels.encodeDeltas = encodeDeltas32;
  kernels.encodeSymbols = encodeSymbols32;
  kernels.contexts16 = contexts32at<std::uint16_t>;
  kernels.contexts32 = contexts32at<std::uint32_t>;
  kernels.addLevels = addLevels8;
  return kernels;
}

constexpr LevelKernels makeLevelKernels() noexcept {
  LevelKernels kernels = plainLevelKernels();
  kernels.decodeLevels = decodeLevels32;
  kernels.rowContexts = rowContexts32;
  kernels.listNonZero = listNonZero8;
  return kernels;
}

}  // namespace
}  // namespace avx2_loops

const CpuKernels& avx2Kernels() noexcept {
  static constexpr CpuKernels kKernels = avx2_loops::makeKernels();
  return kKernels;
}

const LevelKernels& avx2LevelKernels() noexcept {
  static constexpr LevelKernels kKernels = avx2_loops::makeLevelKernels();
  return kKernels;
}

const MatrixKernels& avx2MatrixKernels() noexcept {
  static constexpr MatrixKernels kKernels = avx2_loops::plainMatrixKernels();
  return kKernels;
}

const PatternKernels& avx2PatternKernels() noexcept {
  static constexpr PatternKernels kKernels = avx2_loops::plainPatternKernels();
  return kKernels;
}

const ReplayKernels& avx2ReplayKernels() noexcept {
  static constexpr ReplayKernels kKernels = avx2_loops::plainReplayKernels();
  return kKernels;
}

}  // namespace strata::kernels
