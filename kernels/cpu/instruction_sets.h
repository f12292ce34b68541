#pragma once

#include "kernels/cpu_kernels.h"

namespace strata::kernels {

/// Needs AVX2, BMI1, BMI2, LZCNT, POPCNT and F16C; call only where select.cpp found them.
const CpuKernels& avx2Kernels() noexcept;
/// Needs AVX-512 F, BW, VL, DQ and CD as well.
const CpuKernels& avx512Kernels() noexcept;

}  // namespace strata::kernels
