#pragma once

#include "kernels/cpu_kernels.h"

namespace strata::kernels {

/// Needs AVX2, BMI1 and BMI2; call only where select.cpp found them.
const CpuKernels& avx2Kernels() noexcept;
/// Needs AVX-512 F, BW, VL and DQ as well; the decoders gain, the rest is avx2's.
const CpuKernels& avx512Kernels() noexcept;

}  // namespace strata::kernels
