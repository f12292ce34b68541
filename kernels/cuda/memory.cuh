#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstring>

namespace strata::kernels {

/// Memory of the device or pinned memory of the host that grows; move-only by being neither.
template <cudaError_t (*kAllocate)(void**, std::size_t), cudaError_t (*kFree)(void*)>
class CudaMemory {
 public:
  CudaMemory() = default;
  ~CudaMemory() { kFree(bytes_); }
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;

  std::byte* data() const noexcept { return bytes_; }
  std::size_t size() const noexcept { return size_; }

  /// At least `size` bytes, with what the first `kept` of them held before: those only in pinned
  /// memory. What there is stays where there is not enough.
  cudaError_t reserve(std::size_t size, std::size_t kept = 0) {
    if (size_ >= size) return cudaSuccess;
    void* more = nullptr;
    if (kept == 0) {
      kFree(bytes_);
      bytes_ = nullptr;
      size_ = 0;
    }
    if (const cudaError_t error = kAllocate(&more, size); error != cudaSuccess) return error;
    if (kept != 0) {
      std::memcpy(more, bytes_, kept);
      kFree(bytes_);
    }
    bytes_ = static_cast<std::byte*>(more);
    size_ = size;
    return cudaSuccess;
  }

 private:
  std::byte* bytes_ = nullptr;
  std::size_t size_ = 0;
};

inline cudaError_t allocateDevice(void** out, std::size_t size) { return cudaMalloc(out, size); }
inline cudaError_t freeDevice(void* bytes) { return cudaFree(bytes); }
inline cudaError_t allocatePinned(void** out, std::size_t size) {
  return cudaHostAlloc(out, size, cudaHostAllocDefault);
}
inline cudaError_t freePinned(void* bytes) { return cudaFreeHost(bytes); }

using DeviceMemory = CudaMemory<allocateDevice, freeDevice>;
using PinnedMemory = CudaMemory<allocatePinned, freePinned>;

}  // namespace strata::kernels
