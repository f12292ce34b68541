#define STRATA_LOOPS host_loops

#include "tests/support/host_engine.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>

#include "core/float_environment.h"
#include "kernels/cuda/decode_warp.h"
#include "kernels/cuda/encode_warp.h"
#include "kernels/cuda/quantize_warp.h"
#include "kernels/cuda/search_warp.h"
#include "tests/support/host_warp.h"

namespace strata::test {
namespace {

using kernels::BlockState;
using kernels::DeviceBatch;
using kernels::DeviceBlock;
using kernels::DeviceCoding;
using kernels::DeviceEncoding;
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

/// Words that one warp counts: few, so that small parts take several.
constexpr std::uint32_t kCountedWords = 1000;

void countWords(HostWarp& warp, const std::byte* input, const DeviceEncoding& work,
                std::uint32_t first, std::uint32_t* counts) {
  const std::uint32_t end = std::min(first + kCountedWords, work.wordCount);
  if (work.part.wordBytes == 1) {
    kernels::host_loops::countDeltas<std::uint8_t>(warp, input, work, first, end, counts);
  } else if (work.part.wordBytes == 2) {
    kernels::host_loops::countDeltas<std::uint16_t>(warp, input, work, first, end, counts);
  } else {
    kernels::host_loops::countDeltas<std::uint32_t>(warp, input, work, first, end, counts);
  }
}

std::uint32_t encodeBlock(HostWarp& warp, const std::byte* input, const DeviceEncoding& work,
                          std::uint32_t block, std::byte* end) {
  if (work.part.wordBytes == 1) {
    return kernels::host_loops::encodeDeltaBlock<std::uint8_t>(warp, input, work, block, end);
  }
  if (work.part.wordBytes == 2) {
    return kernels::host_loops::encodeDeltaBlock<std::uint16_t>(warp, input, work, block, end);
  }
  return kernels::host_loops::encodeDeltaBlock<std::uint32_t>(warp, input, work, block, end);
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
    upload(batch.inputBytes, 0);
    const std::byte* const input = uploaded_->data();
    output_ = std::make_unique<ExactBytes>(batch.outputBytes);
    std::memset(output_->data(), 0xa5, output_->size());
    states_.assign(batch.stages.empty() ? 0 : batch.stages.back().endBlock, BlockState::BadStream);
    const auto* blocks = reinterpret_cast<const DeviceBlock*>(input + batch.blocksAt);
    std::uint32_t number = 0;
    std::size_t decoded = 0;
    for (const kernels::DeviceStage& stage : batch.stages) {
      for (; number < stage.endBlock; ++number) {
        states_[number] = decodeOne(stage.coding, batch, input, blocks[number],
                                    shared_->options.backwards, output_->data());
        decoded += stage.coding != DeviceCoding::Copy ? 1 : 0;
      }
    }
    if (shared_->options.isWrong && !states_.empty()) states_.back() = BlockState::BadChecksum;
    const std::lock_guard lock(shared_->mutex);
    if (shared_->options.decoded != nullptr) *shared_->options.decoded += decoded;
    return DeviceFault::None;
  }

  DeviceFault count(const DeviceEncoding& work) override {
    if (!mayRun()) return DeviceFault::OutOfMemory;
    const DefaultFloatEnvironment environment;
    upload(work.inputBytes, work.keptBytes);
    std::vector<std::uint32_t> counts(kernels::kDeviceContexts * work.alphabet);
    HostWarp warp{shared_->options.backwards};
    for (std::uint32_t first = 0; first < work.wordCount; first += kCountedWords) {
      countWords(warp, uploaded_->data(), work, first, counts.data());
    }
    if (shared_->options.isWrong) counts.back() ^= 1;
    output_ = std::make_unique<ExactBytes>(counts.size() * sizeof(std::uint32_t));
    std::memcpy(output_->data(), counts.data(), output_->size());
    return DeviceFault::None;
  }

  DeviceFault encode(const DeviceEncoding& work) override {
    if (!mayRun()) return DeviceFault::OutOfMemory;
    const DefaultFloatEnvironment environment;
    upload(work.inputBytes, work.keptBytes);
    const ExactBytes slot(kernels::mostStreamBytes(work));
    HostWarp warp{shared_->options.backwards};
    std::vector<std::byte> streams;
    streamBytes_.clear();
    for (std::uint32_t block = 0; block < work.blockCount(); ++block) {
      std::byte* const end = slot.data() + slot.size();
      const std::uint32_t bytes = encodeBlock(warp, uploaded_->data(), work, block, end);
      streamBytes_.push_back(bytes);
      streams.insert(streams.end(), end - bytes, end);
    }
    if (shared_->options.isWrong && !streams.empty()) streams.back() ^= std::byte{1};
    output_ = std::make_unique<ExactBytes>(streams.size());
    std::copy(streams.begin(), streams.end(), output_->data());
    const std::lock_guard lock(shared_->mutex);
    if (shared_->options.encoded != nullptr) *shared_->options.encoded += streamBytes_.size();
    return DeviceFault::None;
  }

  DeviceFault search(const kernels::DeviceSearch& work) override {
    if (!mayRun()) return DeviceFault::OutOfMemory;
    const DefaultFloatEnvironment environment;
    upload(work.inputBytes, work.keptBytes);
    output_ = std::make_unique<ExactBytes>(work.runCount() * sizeof(kernels::PatternMatch));
    auto* const matches = reinterpret_cast<kernels::PatternMatch*>(output_->data());
    HostWarp warp{shared_->options.backwards};
    for (std::uint32_t run = 0; run < work.runCount(); ++run) {
      const ExactBytes scratch(kernels::searchScratchBytes(work));
      matches[run] =
          kernels::host_loops::searchRun(warp, uploaded_->data(), work, run, scratch.data());
    }
    if (shared_->options.isWrong && work.runCount() != 0) matches[0].number ^= 1;
    const std::lock_guard lock(shared_->mutex);
    if (shared_->options.searched != nullptr) *shared_->options.searched += work.runCount();
    return DeviceFault::None;
  }

  DeviceFault sketch(const kernels::DeviceSketch& work) override {
    return quantize(work, work.slotCount * sizeof(std::uint32_t), [&](HostWarp& warp) {
      auto* const counts = reinterpret_cast<std::uint32_t*>(output_->data());
      std::fill_n(counts, work.slotCount, 0U);
      forRuns(work.valueCount, [&](std::uint32_t first, std::uint32_t end) {
        kernels::host_loops::sketchValues(warp, uploaded_->data(), work, first, end, counts);
      });
    });
  }

  DeviceFault fit(const kernels::DeviceCentres& work) override {
    return quantize(work, work.centreCount * sizeof(double), [&](HostWarp& warp) {
      const ExactBytes scratch(kernels::centresScratchBytes(work));
      kernels::host_loops::fitCentres(warp, uploaded_->data(), work, scratch.data(),
                                      reinterpret_cast<double*>(output_->data()));
    });
  }

  DeviceFault nearest(const kernels::DeviceNearest& work) override {
    return quantize(work, work.valueCount, [&](HostWarp& warp) {
      auto* const levels = reinterpret_cast<std::uint8_t*>(output_->data());
      forRuns(work.valueCount, [&](std::uint32_t first, std::uint32_t end) {
        kernels::host_loops::nearestLevels(warp, uploaded_->data(), work, first, end, levels);
      });
    });
  }

  std::span<const std::byte> output() const noexcept override {
    return {output_->data(), output_->size()};
  }
  std::span<const BlockState> states() const noexcept override { return states_; }
  std::span<const std::uint32_t> streamBytes() const noexcept override { return streamBytes_; }
  double kernelSeconds() const noexcept override { return 0; }

 private:
  /// One step of quantizing, which writes `outputBytes` bytes.
  template <typename Work, typename Step>
  DeviceFault quantize(const Work& work, std::size_t outputBytes, Step&& step) {
    if (!mayRun()) return DeviceFault::OutOfMemory;
    const DefaultFloatEnvironment environment;
    upload(work.inputBytes, work.keptBytes);
    output_ = std::make_unique<ExactBytes>(outputBytes);
    HostWarp warp{shared_->options.backwards};
    step(warp);
    if (shared_->options.isWrong && outputBytes != 0) {
      output_->data()[outputBytes - 1] ^= std::byte{0x80};
    }
    const std::lock_guard lock(shared_->mutex);
    if (shared_->options.quantized != nullptr) ++*shared_->options.quantized;
    return DeviceFault::None;
  }

  /// Calls f(first, end) for runs of items as warps take them.
  template <typename F>
  static void forRuns(std::uint32_t count, F&& f) {
    for (std::uint32_t first = 0; first < count; first += kCountedWords) {
      f(first, std::min(first + kCountedWords, count));
    }
  }

  /// What lies beyond the input is not there, and what is kept is what was there.
  void upload(std::size_t bytes, std::size_t kept) {
    auto fresh = std::make_unique<ExactBytes>(bytes);
    if (kept != 0) std::memcpy(fresh->data(), uploaded_->data(), kept);
    if (bytes != kept) std::memcpy(fresh->data() + kept, input_.data() + kept, bytes - kept);
    uploaded_ = std::move(fresh);
  }

  bool mayRun() {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->runs == shared_->options.mostRuns) return false;
    ++shared_->runs;
    if (shared_->options.runs != nullptr) ++*shared_->options.runs;
    return true;
  }

  std::shared_ptr<Shared> shared_;
  std::vector<std::byte> input_;
  std::unique_ptr<ExactBytes> uploaded_;
  std::unique_ptr<ExactBytes> output_;
  std::vector<BlockState> states_;
  std::vector<std::uint32_t> streamBytes_;
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
