#define STRATA_LOOPS host_loops

#include "tests/support/host_engine.h"

#include <atomic>
#include <mutex>
#include <string>

#include "core/float_environment.h"
#include "kernels/cuda/decode_warp.h"
#include "tests/support/host_warp.h"

namespace strata::test {
namespace {

using kernels::BlockState;
using kernels::DeviceBatch;
using kernels::DeviceBlock;
using kernels::DeviceCoding;
using kernels::DeviceFault;
using kernels::DevicePart;

/// What the queues of an engine share.
struct Shared {
  HostEngineOptions options;
  std::mutex mutex;  ///< guards the two below and what the options point to
  std::size_t runs = 0;

  explicit Shared(const HostEngineOptions& wanted) : options(wanted) {}
};

/// Memory that ends where it says, aligned as a GPU's is.
class ExactBytes {
 public:
  explicit ExactBytes(std::size_t size)
      : bytes_(static_cast<std::byte*>(::operator new(size, kAlignment))), size_(size) {}
  ~ExactBytes() { ::operator delete(bytes_, kAlignment); }
  ExactBytes(const ExactBytes&) = delete;
  ExactBytes& operator=(const ExactBytes&) = delete;

  std::byte* data() const { return bytes_; }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::align_val_t kAlignment{256};
  std::byte* bytes_;
  std::size_t size_;
};

BlockState decodeOne(DeviceCoding coding, const DeviceBatch& batch, const std::byte* input,
                     const DeviceBlock& block, bool backwards, std::byte* output) {
  const auto& part = reinterpret_cast<const DevicePart*>(input + batch.partsAt)[block.part];
  const auto& keys = *reinterpret_cast<const kernels::ChecksumKeys*>(input + batch.keysAt);
  HostWarp warp{backwards};
  const auto as = [&]<DeviceCoding kCoding>() {
    return kernels::host_loops::decodeBlock<kCoding>(warp, input, part, block, keys, output);
  };
  switch (coding) {
    case DeviceCoding::Copy:
      return as.operator()<DeviceCoding::Copy>();
    case DeviceCoding::Delta:
      return as.operator()<DeviceCoding::Delta>();
    case DeviceCoding::Planes:
      return as.operator()<DeviceCoding::Planes>();
    case DeviceCoding::Levels:
      return as.operator()<DeviceCoding::Levels>();
    case DeviceCoding::Patterns:
      break;
  }
  return as.operator()<DeviceCoding::Patterns>();
}

class HostQueue final : public kernels::DeviceQueue {
 public:
  explicit HostQueue(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

  std::byte* input(std::size_t bytes) override {
    if (bytes > shared_->options.mostInputBytes) return nullptr;
    if (input_.size() < bytes) input_.resize(bytes + bytes / 2);
    return input_.data();
  }

  DeviceFault run(const DeviceBatch& batch) override {
    if (!mayRun()) return DeviceFault::OutOfMemory;
    const DefaultFloatEnvironment environment;  // a GPU has its own
    // The upload: what lies beyond the batch is not there.
    const ExactBytes input(batch.inputBytes);
    std::memcpy(input.data(), input_.data(), batch.inputBytes);
    output_ = std::make_unique<ExactBytes>(batch.outputBytes);
    std::memset(output_->data(), 0xa5, output_->size());
    states_.assign(batch.steps.empty() ? 0 : batch.steps.back().endBlock, BlockState::BadStream);
    const auto* blocks = reinterpret_cast<const DeviceBlock*>(input.data() + batch.blocksAt);
    std::uint32_t number = 0;
    std::size_t decoded = 0;
    for (const kernels::DeviceStep& step : batch.steps) {
      for (; number < step.endBlock; ++number) {
        states_[number] = decodeOne(step.coding, batch, input.data(), blocks[number],
                                    shared_->options.backwards, output_->data());
        decoded += step.coding != DeviceCoding::Copy ? 1 : 0;
      }
    }
    if (shared_->options.isWrong && !states_.empty()) states_.back() = BlockState::BadChecksum;
    const std::lock_guard lock(shared_->mutex);
    if (shared_->options.decoded != nullptr) *shared_->options.decoded += decoded;
    return DeviceFault::None;
  }

  std::span<const std::byte> output() const noexcept override {
    return {output_->data(), output_->size()};
  }
  std::span<const BlockState> states() const noexcept override { return states_; }
  double kernelSeconds() const noexcept override { return 0; }

 private:
  bool mayRun() {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->runs == shared_->options.mostRuns) return false;
    ++shared_->runs;
    if (shared_->options.runs != nullptr) ++*shared_->options.runs;
    return true;
  }

  std::shared_ptr<Shared> shared_;
  std::vector<std::byte> input_;
  std::unique_ptr<ExactBytes> output_;
  std::vector<BlockState> states_;
};

class HostEngine final : public kernels::DeviceEngine {
 public:
  explicit HostEngine(const HostEngineOptions& options)
      : shared_(std::make_shared<Shared>(options)) {}

  const std::string& name() const noexcept override { return name_; }
  std::unique_ptr<kernels::DeviceQueue> makeQueue() override {
    return std::make_unique<HostQueue>(shared_);
  }

 private:
  std::string name_ = "the host's engine";
  std::shared_ptr<Shared> shared_;
};

}  // namespace

std::unique_ptr<kernels::DeviceEngine> hostEngine(const HostEngineOptions& options) {
  return std::make_unique<HostEngine>(options);
}

kernels::DeviceOpening hostOpening(const HostEngineOptions& options) {
  return {hostEngine(options), kernels::DeviceFault::None, {}};
}

}  // namespace strata::test
