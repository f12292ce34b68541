#define STRATA_LOOPS avx512_loops
#include "kernels/cpu/detail/avx512_decode.h"
#include "kernels/cpu/detail/avx512_encode.h"
#include "kernels/cpu/detail/avx512_levels.h"
#include "kernels/cpu/detail/avx512_words.h"
#include "kernels/cpu/detail/matrix_loops.h"
#include "kernels/cpu/detail/pattern_loops.h"
#include "kernels/cpu/detail/plain_kernels.h"
#include "kernels/cpu/detail/replay_loops.h"
#include "kernels/cpu/instruction_sets.h"

namespace strata::kernels {
namespace avx512_loops {
namespace {

constexpr CpuKernels makeKernels() noexcept {
  CpuKernels kernels = plainKernels("avx512");
  kernels.decodeDeltas = decodeDeltas32;
  kernels.decodeSymbols = decodeSymbols32;
  kernels.encodeDeltas = encodeDeltas32;
  kernels.encodeSymbols = encodeSymbols32;
  kernels.classify16 = classifyWords<std::uint16_t>;
  kernels.classify32 = classifyWords<std::uint32_t>;
  kernels.contexts16 = contextsOf<std::uint16_t>;
  kernels.contexts32 = contextsOf<std::uint32_t>;
  kernels.addLevels = addLevels16;
  return kernels;
}

constexpr LevelKernels makeLevelKernels() noexcept {
  LevelKernels kernels = plainLevelKernels();
  kernels.decodeLevels = decodeLevels32;
  kernels.rowContexts = rowContexts32;
  kernels.listNonZero = listNonZero16;
  return kernels;
}

}  // namespace
}  // namespace avx512_loops

const CpuKernels& avx512Kernels() noexcept {
  static constexpr CpuKernels kKernels = avx512_loops::makeKernels();
  return kKernels;
}

const LevelKernels& avx512LevelKernels() noexcept {
  static constexpr LevelKernels kKernels = avx512_loops::makeLevelKernels();
  return kKernels;
}

const MatrixKernels& avx512MatrixKernels() noexcept {
  static constexpr MatrixKernels kKernels = avx512_loops::plainMatrixKernels();
  return kKernels;
}

const PatternKernels& avx512PatternKernels() noexcept {
  static constexpr PatternKernels kKernels = avx512_loops::plainPatternKernels();
  return kKernels;
}

const ReplayKernels& avx512ReplayKernels() noexcept {
  static constexpr ReplayKernels kKernels = avx512_loops::plainReplayKernels();
  return kKernels;
}

}  // namespace strata::kernels
