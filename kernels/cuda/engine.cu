#include <cuda_runtime.h>

#include <algorithm>
#include <utility>

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/memory.cuh"
#include "kernels/device_engine.h"

namespace strata::kernels {
namespace {

/// Pinned memory is slow to get: the first piece should not grow into it step by step.
constexpr std::size_t kLeastInput = std::size_t{16} << 20;

DeviceFault faultOf(cudaError_t error) noexcept {
  switch (error) {
    case cudaSuccess:
      return DeviceFault::None;
    case cudaErrorMemoryAllocation:
      return DeviceFault::OutOfMemory;
    case cudaErrorInsufficientDriver:
      return DeviceFault::NoDriver;
    case cudaErrorNoDevice:
      return DeviceFault::NoDevice;
    case cudaErrorDevicesUnavailable:
      return DeviceFault::Busy;
    default:
      return DeviceFault::Failed;
  }
}

/// Keeps the first failure of a row of calls.
class Calls {
 public:
  void operator()(cudaError_t error) noexcept {
    if (first_ == cudaSuccess) first_ = error;
  }
  bool good() const noexcept { return first_ == cudaSuccess; }
  DeviceFault fault() const noexcept { return faultOf(first_); }

 private:
  cudaError_t first_ = cudaSuccess;
};

class CudaQueue final : public DeviceQueue {
 public:
  CudaQueue() {
    opened_(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    opened_(cudaEventCreate(&begin_));
    opened_(cudaEventCreate(&end_));
  }
  ~CudaQueue() override {
    if (stream_ != nullptr) cudaStreamSynchronize(stream_);
    if (begin_ != nullptr) cudaEventDestroy(begin_);
    if (end_ != nullptr) cudaEventDestroy(end_);
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }

  bool good() const noexcept { return opened_.good(); }

  std::byte* input(std::size_t bytes) override {
    if (input_.size() >= bytes) return input_.data();
    const std::size_t wanted = std::max({bytes, input_.size() + input_.size() / 2, kLeastInput});
    return input_.reserve(wanted, input_.size()) == cudaSuccess ? input_.data() : nullptr;
  }

  DeviceFault run(const DeviceBatch& batch) override {
    forget();
    blockCount_ = batch.stages.empty() ? 0 : batch.stages.back().endBlock;
    Calls calls;
    calls(d_output_.reserve(batch.outputBytes));
    calls(d_states_.reserve(blockCount_ * sizeof(BlockState)));
    calls(states_.reserve(blockCount_ * sizeof(BlockState)));
    if (batch.isDownloaded) calls(output_.reserve(batch.outputBytes));
    upload(batch.inputBytes, 0, calls);
    if (!calls.good()) return forgotten(calls.fault());
    calls(cudaEventRecord(begin_, stream_));
    runSteps(batch);
    calls(cudaGetLastError());
    calls(cudaEventRecord(end_, stream_));
    calls(cudaMemcpyAsync(states_.data(), d_states_.data(), blockCount_ * sizeof(BlockState),
                          cudaMemcpyDeviceToHost, stream_));
    if (batch.isDownloaded) {
      calls(cudaMemcpyAsync(output_.data(), d_output_.data(), batch.outputBytes,
                            cudaMemcpyDeviceToHost, stream_));
    }
    calls(cudaStreamSynchronize(stream_));
    if (!calls.good()) return forgotten(calls.fault());
    if (batch.isDownloaded) outputBytes_ = batch.outputBytes;
    return DeviceFault::None;
  }

  DeviceFault count(const DeviceEncoding& work) override {
    const std::size_t bytes = sizeof(std::uint32_t) * kDeviceContexts * work.alphabet;
    return compute(work.inputBytes, work.keptBytes, bytes, [&](Calls& calls) {
      calls(cudaMemsetAsync(d_output_.data(), 0, bytes, stream_));
      auto* const counts = reinterpret_cast<std::uint32_t*>(d_output_.data());
      if (work.wordCount != 0) launchCount(work, d_input_.data(), counts, stream_);
    });
  }

  DeviceFault encode(const DeviceEncoding& work) override {
    forget();
    const std::uint32_t blocks = work.blockCount();
    const std::size_t sizeBytes = blocks * sizeof(std::uint32_t);
    Calls calls;
    calls(d_output_.reserve(blocks * mostStreamBytes(work)));
    calls(d_states_.reserve(sizeBytes));
    calls(states_.reserve(sizeBytes));
    upload(work.inputBytes, work.keptBytes, calls);
    if (!calls.good()) return forgotten(calls.fault());
    auto* const d_sizes = reinterpret_cast<std::uint32_t*>(d_states_.data());
    calls(cudaEventRecord(begin_, stream_));
    if (blocks != 0) launchEncode(work, d_input_.data(), d_output_.data(), d_sizes, stream_);
    calls(cudaGetLastError());
    calls(cudaEventRecord(end_, stream_));
    calls(cudaMemcpyAsync(states_.data(), d_sizes, sizeBytes, cudaMemcpyDeviceToHost, stream_));
    calls(cudaStreamSynchronize(stream_));
    if (!calls.good()) return forgotten(calls.fault());
    streamCount_ = blocks;
    return downloadStreams(mostStreamBytes(work));
  }

  DeviceFault search(const DeviceSearch& work) override {
    const std::size_t bytes = work.runCount() * sizeof(PatternMatch);
    return compute(work.inputBytes, work.keptBytes, bytes, [&](Calls&) {
      auto* const matches = reinterpret_cast<PatternMatch*>(d_output_.data());
      if (work.runCount() != 0) launchSearch(work, d_input_.data(), matches, stream_);
    });
  }

  DeviceFault sketch(const DeviceSketch& work) override {
    const std::size_t bytes = work.slotCount * sizeof(std::uint32_t);
    return compute(work.inputBytes, work.keptBytes, bytes, [&](Calls& calls) {
      calls(cudaMemsetAsync(d_output_.data(), 0, bytes, stream_));
      auto* const counts = reinterpret_cast<std::uint32_t*>(d_output_.data());
      if (work.valueCount != 0) calls(launchSketch(work, d_input_.data(), counts, stream_));
    });
  }

  DeviceFault fit(const DeviceCentres& work) override {
    const std::size_t bytes = work.centreCount * sizeof(double);
    return compute(work.inputBytes, work.keptBytes, bytes, [&](Calls& calls) {
      calls(d_states_.reserve(centresScratchBytes(work)));
      if (!calls.good()) return;
      auto* const centres = reinterpret_cast<double*>(d_output_.data());
      launchFit(work, d_input_.data(), d_states_.data(), centres, stream_);
    });
  }

  DeviceFault nearest(const DeviceNearest& work) override {
    return compute(work.inputBytes, work.keptBytes, work.valueCount, [&](Calls&) {
      auto* const levels = reinterpret_cast<std::uint8_t*>(d_output_.data());
      if (work.valueCount != 0) launchNearest(work, d_input_.data(), levels, stream_);
    });
  }

  std::span<const std::byte> output() const noexcept override {
    return {output_.data(), outputBytes_};
  }
  std::span<const BlockState> states() const noexcept override {
    return {reinterpret_cast<const BlockState*>(states_.data()), blockCount_};
  }
  std::span<const std::uint32_t> streamBytes() const noexcept override {
    return {reinterpret_cast<const std::uint32_t*>(states_.data()), streamCount_};
  }
  double kernelSeconds() const noexcept override {
    float milliseconds = 0;
    return cudaEventElapsedTime(&milliseconds, begin_, end_) == cudaSuccess
               ? static_cast<double>(milliseconds) * 1e-3
               : 0;
  }

 private:
  /// What the last run left is no longer there.
  void forget() noexcept {
    outputBytes_ = 0;
    blockCount_ = 0;
    streamCount_ = 0;
  }

  /// The input from byte `kept` on; all of it into new memory, which grows as the host's does.
  void upload(std::size_t bytes, std::size_t kept, Calls& calls) {
    if (d_input_.size() < input_.size()) kept = 0;
    calls(d_input_.reserve(input_.size()));
    if (!calls.good()) return;
    calls(cudaMemcpyAsync(d_input_.data() + kept, input_.data() + kept, bytes - kept,
                          cudaMemcpyHostToDevice, stream_));
  }

  /// Uploads the input, calls `launch(calls)` and downloads the first `bytes` bytes of the output.
  template <typename Launch>
  DeviceFault compute(std::size_t inputBytes, std::size_t keptBytes, std::size_t bytes,
                      Launch&& launch) {
    forget();
    Calls calls;
    calls(d_output_.reserve(bytes));
    calls(output_.reserve(bytes));
    upload(inputBytes, keptBytes, calls);
    if (!calls.good()) return forgotten(calls.fault());
    calls(cudaEventRecord(begin_, stream_));
    launch(calls);
    calls(cudaGetLastError());
    calls(cudaEventRecord(end_, stream_));
    calls(
        cudaMemcpyAsync(output_.data(), d_output_.data(), bytes, cudaMemcpyDeviceToHost, stream_));
    calls(cudaStreamSynchronize(stream_));
    if (!calls.good()) return forgotten(calls.fault());
    outputBytes_ = bytes;
    return DeviceFault::None;
  }

  /// The end of each slot, one after the other: most of a slot is empty.
  DeviceFault downloadStreams(std::uint64_t slotBytes) {
    std::size_t total = 0;
    for (const std::uint32_t bytes : streamBytes()) total += bytes;
    Calls calls;
    calls(output_.reserve(total));
    if (!calls.good()) return forgotten(calls.fault());
    const std::byte* d_end = d_output_.data();
    std::byte* to = output_.data();
    for (const std::uint32_t bytes : streamBytes()) {
      d_end += slotBytes;
      calls(cudaMemcpyAsync(to, d_end - bytes, bytes, cudaMemcpyDeviceToHost, stream_));
      to += bytes;
    }
    calls(cudaStreamSynchronize(stream_));
    if (!calls.good()) return forgotten(calls.fault());
    outputBytes_ = total;
    return DeviceFault::None;
  }

  void runSteps(const DeviceBatch& batch) {
    const std::byte* input = d_input_.data();
    const BatchMemory memory{input,
                             reinterpret_cast<const ChecksumKeys*>(input + batch.keysAt),
                             reinterpret_cast<const DevicePart*>(input + batch.partsAt),
                             reinterpret_cast<const DeviceBlock*>(input + batch.blocksAt),
                             d_output_.data(),
                             reinterpret_cast<BlockState*>(d_states_.data())};
    std::uint32_t first = 0;
    for (const DeviceStage& stage : batch.stages) {
      if (stage.endBlock != first) launch(stage.coding, memory, first, stage.endBlock, stream_);
      first = stage.endBlock;
    }
  }

  /// The runtime remembers failures until they are asked for.
  DeviceFault forgotten(DeviceFault fault) noexcept {
    cudaGetLastError();
    forget();
    return fault;
  }

  Calls opened_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
  PinnedMemory input_;
  PinnedMemory output_;
  PinnedMemory states_;  ///< of blocks, or the sizes of their streams
  DeviceMemory d_input_;
  DeviceMemory d_output_;
  DeviceMemory d_states_;  ///< or what a fit works in
  std::size_t outputBytes_ = 0;
  std::size_t blockCount_ = 0;   ///< decoded
  std::size_t streamCount_ = 0;  ///< encoded
};

class CudaEngine final : public DeviceEngine {
 public:
  explicit CudaEngine(std::string name) : name_(std::move(name)) {}

  const std::string& name() const noexcept override { return name_; }
  std::unique_ptr<DeviceQueue> makeQueue() override {
    auto queue = std::make_unique<CudaQueue>();
    if (!queue->good()) return nullptr;
    return queue;
  }

 private:
  std::string name_;
};

std::string versionText(int version, int unit) {
  return std::to_string(version / unit) + "." + std::to_string(version % unit / (unit / 10));
}

DeviceOpening refusal(DeviceFault fault, std::string reason) {
  cudaGetLastError();
  return {nullptr, fault, std::move(reason)};
}

}  // namespace

DeviceOpening openCudaDevice() {
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
    return refusal(DeviceFault::NoDriver, "no CUDA driver is installed");
  }
  int count = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess) {
    const DeviceFault fault = faultOf(error);
    if (fault == DeviceFault::NoDriver) {
      return refusal(fault, "the driver knows CUDA " + versionText(driver, 1000) +
                                ", this program needs " + versionText(CUDART_VERSION, 1000));
    }
    return refusal(fault, cudaGetErrorString(error));
  }
  if (count == 0) return refusal(DeviceFault::NoDevice, describe(DeviceFault::NoDevice));
  cudaDeviceProp device{};
  if (const cudaError_t error = cudaGetDeviceProperties(&device, 0); error != cudaSuccess) {
    return refusal(faultOf(error), cudaGetErrorString(error));
  }
  const int capability = device.major * 10 + device.minor;
  if (capability < kLeastCapability) {
    return refusal(DeviceFault::TooOld, std::string(device.name) + " has compute capability " +
                                            versionText(capability, 10) + ", expected at least " +
                                            versionText(kLeastCapability, 10));
  }
  // The first call that needs a context makes it.
  if (const cudaError_t error = cudaFree(nullptr); error != cudaSuccess) {
    const DeviceFault fault = faultOf(error);
    return refusal(
        fault, std::string(device.name) + ": " +
                   (fault == DeviceFault::Failed ? cudaGetErrorString(error) : describe(fault)));
  }
  return {std::make_unique<CudaEngine>(device.name), DeviceFault::None, {}};
}

}  // namespace strata::kernels
