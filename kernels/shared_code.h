#pragma once

/// Marks what CPU and GPU both run: under nvcc it is compiled for the device, elsewhere for the
/// CPU, so that tests without a GPU run the same lines.
#ifdef __CUDACC__
#define STRATA_SHARED __device__
#else
#define STRATA_SHARED
#endif

/// Marks what the kernels and the code that launches them both call.
#ifdef __CUDACC__
#define STRATA_ANYWHERE __host__ __device__
#else
#define STRATA_ANYWHERE
#endif
