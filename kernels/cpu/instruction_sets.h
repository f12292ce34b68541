#pragma once

#include "kernels/level_kernels.h"
#include "kernels/matrix_kernels.h"
#include "kernels/pattern_kernels.h"
#include "kernels/replay_kernels.h"

namespace strata::kernels {

const LevelKernels& scalarLevelKernels() noexcept;
const MatrixKernels& scalarMatrixKernels() noexcept;
const PatternKernels& scalarPatternKernels() noexcept;
const ReplayKernels& scalarReplayKernels() noexcept;
/// Needs AVX2, BMI1, BMI2, LZCNT, POPCNT and F16C; call only where select.cpp found them.
const CpuKernels& avx2Kernels() noexcept;
const LevelKernels& avx2LevelKernels() noexcept;
const MatrixKernels& avx2MatrixKernels() noexcept;
const PatternKernels& avx2PatternKernels() noexcept;
const ReplayKernels& avx2ReplayKernels() noexcept;
/// Needs AVX-512 F, BW, VL, DQ and CD as well.
const CpuKernels& avx512Kernels() noexcept;
const LevelKernels& avx512LevelKernels() noexcept;
const MatrixKernels& avx512MatrixKernels() noexcept;
const PatternKernels& avx512PatternKernels() noexcept;
const ReplayKernels& avx512ReplayKernels() noexcept;

}  // namespace strata::kernels
