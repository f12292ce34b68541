#pragma once

// The kernels: warps of a GPU that run the bodies of the other headers here, and their launches.

#define STRATA_LOOPS cuda_loops

#include <cuda_runtime.h>

#include <algorithm>

#include "kernels/cuda/decode_warp.h"
#include "kernels/cuda/encode_warp.h"
#include "kernels/cuda/quantize_warp.h"
#include "kernels/cuda/search_warp.h"
#include "kernels/device_engine.h"

namespace strata::kernels {
namespace {

constexpr unsigned kWarpLanes = 32;
constexpr unsigned kWarpsPerGroup = 4;
/// Words that one warp counts: its group adds a table of counts to all others' in the end.
constexpr std::uint32_t kCountedWords = 1 << 14;

/// The lanes of a warp as the bodies see them (rans_warp.h).
struct DeviceWarp {
  template <typename T>
  struct Of {
    T value;
    __device__ T& operator[](unsigned) { return value; }
    __device__ const T& operator[](unsigned) const { return value; }
  };

  unsigned lane;

  template <typename F>
  __device__ void each(F&& f) const {
    f(lane);
    __syncwarp();
  }
  template <typename F>
  __device__ std::uint32_t ballot(F&& f) const {
    return __ballot_sync(~0U, f(lane));
  }
  template <typename T>
  __device__ Of<T> exchanged(const Of<T>& v, unsigned distance) const {
    return {__shfl_xor_sync(~0U, v.value, static_cast<int>(distance))};
  }
  __device__ void increment(std::uint32_t& number) const { atomicAdd(&number, 1U); }
  template <typename T>
  __device__ T first(const Of<T>& v) const {
    return __shfl_sync(~0U, v.value, 0);
  }
};

/// The arrays of a batch on the device.
struct BatchMemory {
  const std::byte* input;
  const ChecksumKeys* keys;
  const DevicePart* parts;
  const DeviceBlock* blocks;
  std::byte* output;
  BlockState* states;
};

/// Decodes blocks [first, end), all of one coding, a warp each.
template <DeviceCoding kCoding>
__global__ void __launch_bounds__(kWarpLanes* kWarpsPerGroup)
    decodeBlocks(BatchMemory batch, std::uint32_t first, std::uint32_t end) {
  const std::uint32_t number = first + blockIdx.x * kWarpsPerGroup + threadIdx.x / kWarpLanes;
  if (number >= end) return;
  // Copies: what is written to the output could else be a part of them.
  const DeviceBlock block = batch.blocks[number];
  const DevicePart part = batch.parts[block.part];
  DeviceWarp warp{threadIdx.x % kWarpLanes};
  const BlockState state =
      cuda_loops::decodeBlock<kCoding>(warp, batch.input, part, block, *batch.keys, batch.output);
  if (warp.lane == 0) batch.states[number] = state;
}

/// Adds the counts of the symbols of all words to `counts`.
template <typename Stored>
__global__ void __launch_bounds__(kWarpLanes* kWarpsPerGroup)
    countWords(const std::byte* input, const __grid_constant__ DeviceEncoding work,
               std::uint32_t* counts) {
  __shared__ std::uint32_t own[kDeviceContexts * (sizeof(Stored) == 4 ? 128 : 64)];
  const std::uint32_t size = kDeviceContexts * work.alphabet;
  for (std::uint32_t i = threadIdx.x; i < size; i += blockDim.x) own[i] = 0;
  __syncthreads();
  DeviceWarp warp{threadIdx.x % kWarpLanes};
  const std::uint32_t number = blockIdx.x * kWarpsPerGroup + threadIdx.x / kWarpLanes;
  const std::uint32_t first = min(number * kCountedWords, work.wordCount);
  const std::uint32_t end = min(first + kCountedWords, work.wordCount);
  cuda_loops::countDeltas<Stored>(warp, input, work, first, end, own);
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < size; i += blockDim.x) {
    if (own[i] != 0) atomicAdd(counts + i, own[i]);
  }
}

/// Encodes all blocks, a warp each; block i's stream ends where slot i does.
template <typename Stored>
__global__ void __launch_bounds__(kWarpLanes* kWarpsPerGroup)
    encodeBlocks(const std::byte* input, const __grid_constant__ DeviceEncoding work,
                 std::byte* slots, std::uint64_t slotBytes, std::uint32_t* streamBytes) {
  const std::uint32_t block = blockIdx.x * kWarpsPerGroup + threadIdx.x / kWarpLanes;
  if (block >= work.blockCount()) return;
  DeviceWarp warp{threadIdx.x % kWarpLanes};
  const std::uint32_t bytes = cuda_loops::encodeDeltaBlock<Stored>(warp, input, work, block,
                                                                   slots + (block + 1) * slotBytes);
  if (warp.lane == 0) streamBytes[block] = bytes;
}

/// Finds the best patterns of all runs, a warp each.
__global__ void __launch_bounds__(kWarpLanes* kWarpsPerGroup)
    searchRuns(const std::byte* input, const __grid_constant__ DeviceSearch work,
               PatternMatch* matches) {
  extern __shared__ __align__(16) std::byte memory[];
  const std::uint32_t warpInGroup = threadIdx.x / kWarpLanes;
  const std::uint32_t run = blockIdx.x * (blockDim.x / kWarpLanes) + warpInGroup;
  if (run >= work.runCount()) return;
  DeviceWarp warp{threadIdx.x % kWarpLanes};
  const PatternMatch match = cuda_loops::searchRun(warp, input, work, run,
                                                   memory + warpInGroup * searchScratchBytes(work));
  if (warp.lane == 0) matches[run] = match;
}

constexpr unsigned kSketchWarps = 16;
/// Values that one warp counts in a sketch, or finds levels for.
constexpr std::uint32_t kSketchedValues = 1 << 12;
constexpr std::uint32_t kAssignedValues = 1 << 10;

/// Adds the sketch of all values to `counts`. A group keeps all its slots in shared memory.
__global__ void __launch_bounds__(kWarpLanes* kSketchWarps)
    sketchAll(const std::byte* input, const __grid_constant__ DeviceSketch work,
              std::uint32_t* counts) {
  extern __shared__ __align__(16) std::uint32_t slots[];
  for (std::uint32_t i = threadIdx.x; i < work.slotCount; i += blockDim.x) slots[i] = 0;
  __syncthreads();
  DeviceWarp warp{threadIdx.x % kWarpLanes};
  const std::uint32_t number = blockIdx.x * kSketchWarps + threadIdx.x / kWarpLanes;
  const std::uint32_t first = min(number * kSketchedValues, work.valueCount);
  const std::uint32_t end = min(first + kSketchedValues, work.valueCount);
  cuda_loops::sketchValues(warp, input, work, first, end, slots);
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < work.slotCount; i += blockDim.x) {
    if (slots[i] != 0) atomicAdd(counts + i, slots[i]);
  }
}

/// Fits the centres by one warp.
__global__ void __launch_bounds__(kWarpLanes)
    fitAll(const std::byte* input, const __grid_constant__ DeviceCentres work, std::byte* scratch,
           double* centres) {
  DeviceWarp warp{threadIdx.x};
  cuda_loops::fitCentres(warp, input, work, scratch, centres);
}

/// Finds the nearest levels of all values.
__global__ void __launch_bounds__(kWarpLanes* kWarpsPerGroup)
    assignAll(const std::byte* input, const __grid_constant__ DeviceNearest work,
              std::uint8_t* levels) {
  DeviceWarp warp{threadIdx.x % kWarpLanes};
  const std::uint32_t number = blockIdx.x * kWarpsPerGroup + threadIdx.x / kWarpLanes;
  const std::uint32_t first = min(number * kAssignedValues, work.valueCount);
  const std::uint32_t end = min(first + kAssignedValues, work.valueCount);
  cuda_loops::nearestLevels(warp, input, work, first, end, levels);
}

inline dim3 groupsFor(std::uint32_t warps) {
  return dim3((warps + kWarpsPerGroup - 1) / kWarpsPerGroup);
}

inline void launch(DeviceCoding coding, const BatchMemory& batch, std::uint32_t first,
                   std::uint32_t end, cudaStream_t stream) {
  const dim3 groups = groupsFor(end - first);
  const dim3 threads(kWarpLanes * kWarpsPerGroup);
  switch (coding) {
    case DeviceCoding::Copy:
      decodeBlocks<DeviceCoding::Copy><<<groups, threads, 0, stream>>>(batch, first, end);
      break;
    case DeviceCoding::Delta:
      decodeBlocks<DeviceCoding::Delta><<<groups, threads, 0, stream>>>(batch, first, end);
      break;
    case DeviceCoding::Planes:
      decodeBlocks<DeviceCoding::Planes><<<groups, threads, 0, stream>>>(batch, first, end);
      break;
    case DeviceCoding::Levels:
      decodeBlocks<DeviceCoding::Levels><<<groups, threads, 0, stream>>>(batch, first, end);
      break;
    case DeviceCoding::Patterns:
      decodeBlocks<DeviceCoding::Patterns><<<groups, threads, 0, stream>>>(batch, first, end);
      break;
  }
}

inline void launchCount(const DeviceEncoding& work, const std::byte* input, std::uint32_t* counts,
                        cudaStream_t stream) {
  const dim3 groups = groupsFor((work.wordCount + kCountedWords - 1) / kCountedWords);
  const dim3 threads(kWarpLanes * kWarpsPerGroup);
  switch (work.part.wordBytes) {
    case 1:
      return countWords<std::uint8_t><<<groups, threads, 0, stream>>>(input, work, counts);
    case 2:
      return countWords<std::uint16_t><<<groups, threads, 0, stream>>>(input, work, counts);
    default:
      return countWords<std::uint32_t><<<groups, threads, 0, stream>>>(input, work, counts);
  }
}

inline void launchEncode(const DeviceEncoding& work, const std::byte* input, std::byte* slots,
                         std::uint32_t* bytes, cudaStream_t stream) {
  const dim3 groups = groupsFor(work.blockCount());
  const dim3 threads(kWarpLanes * kWarpsPerGroup);
  const std::uint64_t slot = mostStreamBytes(work);
  switch (work.part.wordBytes) {
    case 1:
      return encodeBlocks<std::uint8_t>
          <<<groups, threads, 0, stream>>>(input, work, slots, slot, bytes);
    case 2:
      return encodeBlocks<std::uint16_t>
          <<<groups, threads, 0, stream>>>(input, work, slots, slot, bytes);
    default:
      return encodeBlocks<std::uint32_t>
          <<<groups, threads, 0, stream>>>(input, work, slots, slot, bytes);
  }
}

inline void launchSearch(const DeviceSearch& work, const std::byte* input, PatternMatch* matches,
                         cudaStream_t stream) {
  constexpr std::size_t kSharedBytes = std::size_t{48} << 10;  // what every group may have
  const std::size_t scratch = searchScratchBytes(work);
  const auto warps =
      static_cast<unsigned>(std::clamp<std::size_t>(kSharedBytes / scratch, 1, kWarpsPerGroup));
  const dim3 groups((work.runCount() + warps - 1) / warps);
  searchRuns<<<groups, dim3(kWarpLanes * warps), warps * scratch, stream>>>(input, work, matches);
}

/// Slots of a sketch are more than what every group may have of shared memory: it is asked for.
inline cudaError_t launchSketch(const DeviceSketch& work, const std::byte* input,
                                std::uint32_t* counts, cudaStream_t stream) {
  const std::size_t bytes = work.slotCount * sizeof(std::uint32_t);
  const cudaError_t error = cudaFuncSetAttribute(
      sketchAll, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
  if (error != cudaSuccess) return error;
  constexpr std::uint32_t kOfGroup = kSketchedValues * kSketchWarps;
  const dim3 groups((work.valueCount + kOfGroup - 1) / kOfGroup);
  sketchAll<<<groups, dim3(kWarpLanes * kSketchWarps), bytes, stream>>>(input, work, counts);
  return cudaSuccess;
}

inline void launchFit(const DeviceCentres& work, const std::byte* input, std::byte* scratch,
                      double* centres, cudaStream_t stream) {
  fitAll<<<dim3(1), dim3(kWarpLanes), 0, stream>>>(input, work, scratch, centres);
}

inline void launchNearest(const DeviceNearest& work, const std::byte* input, std::uint8_t* levels,
                          cudaStream_t stream) {
  const dim3 groups = groupsFor((work.valueCount + kAssignedValues - 1) / kAssignedValues);
  assignAll<<<groups, dim3(kWarpLanes * kWarpsPerGroup), 0, stream>>>(input, work, levels);
}

}  // namespace
}  // namespace strata::kernels
