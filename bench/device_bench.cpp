// How fast a GPU decodes parts of a model into its own memory and to the host, beside its memcpy:
// one markdown table. Every batch is compared with the words that were coded before it is timed.
// Exits 77 where there is no GPU.

#include <cuda_runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <random>

#include "core/archive/device_plan.h"
#include "core/codec/block_index.h"
#include "core/codec/delta_codec.h"
#include "core/codec/lossy_codec.h"
#include "core/codec/lossy_words.h"
#include "core/codec/plain_codecs.h"

namespace strata {
namespace {

constexpr std::uint64_t kRows = 1024;
constexpr std::uint64_t kColumns = 1024;  // a part of 1 Mi words, as `add` cuts them
constexpr std::uint64_t kTotalBytes = std::uint64_t{512} << 20;
constexpr int kRepeats = 7;

double median(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

double timed(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// A part, its base's part below it, and what they decode to.
struct Sample {
  std::vector<std::vector<std::byte>> payloads;
  std::vector<std::shared_ptr<const OpenPart>> layers;  ///< the base's first
  std::vector<std::byte> words;
};

std::vector<std::byte> words(const PartShape& shape, std::span<const float> values) {
  std::vector<std::byte> out(shape.byteCount());
  narrowWords(*predictableKind(shape.word), values, out);
  return out;
}

void addLayer(Sample& sample, CodecId codec, const PartShape& shape, bool hasParent,
              std::vector<std::byte> payload) {
  sample.payloads.push_back(std::move(payload));
  auto part = std::make_shared<OpenPart>();
  part->shape = shape;
  part->codec = codec;
  part->decoder = *openPart(codec, shape, sample.payloads.back(), hasParent, {});
  part->hasView = hasParent;
  sample.layers.push_back(std::move(part));
}

/// Weights with a spread of 0.04, changed by a spread of 0.0004; only the base for codec `planes`.
Sample makeSample(CodecId codec, ElementType type) {
  const PartShape shape{wordFormat(type), kRows, kColumns};
  std::mt19937 random(7);
  std::normal_distribution<float> weight(0.0F, 0.04F);
  std::normal_distribution<float> change(0.0F, 0.0004F);
  std::vector<float> base(shape.wordCount());
  std::vector<float> tuned(shape.wordCount());
  for (std::size_t i = 0; i < base.size(); ++i) {
    base[i] = weight(random);
    tuned[i] = base[i] + change(random);
  }
  Sample sample;
  sample.payloads.reserve(2);  // decoders borrow them
  const auto parent = words(shape, base);
  addLayer(sample, CodecId::Planes, shape, false,
           encodePlanes({shape, parent, {}}, PlanesOf::Words));
  sample.words = parent;
  if (codec == CodecId::Planes) return sample;
  sample.words = words(shape, tuned);
  const EncodeInput input{shape, sample.words, parent};
  if (codec == CodecId::Integer) {
    addLayer(sample, codec, shape, true, planAndEncodeDelta(input, {}, codec).payload);
  } else {
    LossyPart lossy = *encodeLossy(codec, input, {.step = 0.0008});
    sample.words = std::move(lossy.restored);
    addLayer(sample, codec, shape, true, std::move(lossy.payload));
  }
  return sample;
}

/// Rates in GB/s of restored bytes.
struct Rates {
  double kernels = 0;
  double intoDevice = 0;  ///< with the upload of what is coded
  double toHost = 0;      ///< and the download
};

/// Nothing where the device gives other words.
std::optional<Rates> measure(kernels::DeviceQueue& queue, const Sample& sample) {
  DevicePlan plan(queue);
  const std::uint64_t partBytes = sample.words.size();
  for (std::uint64_t at = 0; at < kTotalBytes; at += partBytes) {
    for (unsigned level = 0; level < sample.layers.size(); ++level) {
      const auto& part = sample.layers[level];
      plan.addBlocks(level, part, 0, part->decoder->deviceBlocks()->blockCount(), at);
    }
  }
  kernels::DeviceBatch batch = plan.finish(kTotalBytes);
  if (plan.failed() || queue.run(batch) != kernels::DeviceFault::None) return std::nullopt;
  for (std::uint64_t at = 0; at < kTotalBytes; at += partBytes) {
    if (std::memcmp(queue.output().data() + at, sample.words.data(), partBytes) != 0) return {};
  }
  const auto rate = [](double seconds) { return static_cast<double>(kTotalBytes) / seconds / 1e9; };
  std::vector<double> kernels;
  std::vector<double> device;
  std::vector<double> host;
  for (int i = 0; i < kRepeats; ++i) {
    batch.isDownloaded = false;
    device.push_back(timed([&] { queue.run(batch); }));
    kernels.push_back(queue.kernelSeconds());
    batch.isDownloaded = true;
    host.push_back(timed([&] { queue.run(batch); }));
  }
  return Rates{rate(median(kernels)), rate(median(device)), rate(median(host))};
}

/// The device's own copies of as many bytes, in GB/s.
double copyRate(cudaMemcpyKind kind) {
  void* from = nullptr;
  void* to = nullptr;
  const bool toHost = kind == cudaMemcpyDeviceToHost;
  cudaMalloc(&from, kTotalBytes);
  toHost ? cudaMallocHost(&to, kTotalBytes) : cudaMalloc(&to, kTotalBytes);
  std::vector<double> seconds;
  for (int i = 0; i < kRepeats; ++i) {
    seconds.push_back(timed([&] {
      cudaMemcpy(to, from, kTotalBytes, kind);
      cudaDeviceSynchronize();
    }));
  }
  cudaFree(from);
  toHost ? cudaFreeHost(to) : cudaFree(to);
  return static_cast<double>(kTotalBytes) / median(seconds) / 1e9;
}

int run() {
  const kernels::DeviceOpening opening = kernels::openCudaDevice();
  if (opening.engine == nullptr) {
    fmt::print(stderr, "device_bench: SKIPPED: {}\n", opening.reason);
    return 77;
  }
  fmt::print(
      "{}, 512 MiB of restored words in parts of 1 Mi words, median of {} runs, GB/s of restored "
      "bytes\n\n",
      opening.engine->name(), kRepeats);
  fmt::print("| codec | words | kernels | with upload | to the host |\n|---|---|---|---|---|\n");
  const auto queue = opening.engine->makeQueue();
  for (const CodecId codec : {CodecId::Planes, CodecId::Integer, CodecId::Levels}) {
    for (const ElementType type : {ElementType::BF16, ElementType::F32}) {
      const auto rates = measure(*queue, makeSample(codec, type));
      if (!rates) {
        fmt::print(stderr, "device_bench: {} of {}: wrong words\n", name(codec), name(type));
        return 1;
      }
      fmt::print("| {}{} | {} | {:.1f} | {:.1f} | {:.1f} |\n",
                 codec == CodecId::Planes ? "" : "planes + ", name(codec), name(type),
                 rates->kernels, rates->intoDevice, rates->toHost);
    }
  }
  fmt::print("| memcpy on the device | | {:.1f} | | |\n", copyRate(cudaMemcpyDeviceToDevice));
  fmt::print("| memcpy to pinned memory | | | | {:.1f} |\n", copyRate(cudaMemcpyDeviceToHost));
  return 0;
}

}  // namespace
}  // namespace strata

int main() { return strata::run(); }
