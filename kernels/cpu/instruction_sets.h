#pragma once

#include "kernels/cpu_kernels.h"

namespace strata::kernels {

/// Needs AVX2, BMI2 and F16C; call only where select.cpp found them.
const CpuKernels& avx2Kernels() noexcept;

}  // namespace strata::kernels
