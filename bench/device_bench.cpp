// How fast a GPU decodes parts of a model into its own memory and to the host, how fast it counts
// and encodes differences and takes the steps of quantizing, beside its memcpy: markdown tables.
// Everything is compared with the words that were coded, or with what the CPU makes of them, before
// it is timed. Exits 77 where there is no GPU.

#include <cuda_runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <random>

#include "core/archive/read/device_plan.h"
#include "core/codec/device/device_encoder.h"
#include "core/codec/entropy/block_index.h"
#include "core/codec/exact/delta_codec.h"
#include "core/codec/exact/plain_codecs.h"
#include "core/codec/lossy/lossy_codec.h"
#include "core/codec/lossy/lossy_words.h"
#include "core/codec/lossy/quantizing_steps.h"

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

double rateOf(double seconds) { return static_cast<double>(kTotalBytes) / seconds / 1e9; }

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
  if (hasParent) part->sources.emplace_back();
  sample.layers.push_back(std::move(part));
}

struct Sides {
  std::vector<std::byte> parent;
  std::vector<std::byte> words;
};

/// Weights with a spread of 0.04, changed by a spread of 0.0004.
Sides makeSides(const PartShape& shape) {
  std::mt19937 random(7);
  std::normal_distribution<float> weight(0.0F, 0.04F);
  std::normal_distribution<float> change(0.0F, 0.0004F);
  std::vector<float> base(shape.wordCount());
  std::vector<float> tuned(shape.wordCount());
  for (std::size_t i = 0; i < base.size(); ++i) {
    base[i] = weight(random);
    tuned[i] = base[i] + change(random);
  }
  return {words(shape, base), words(shape, tuned)};
}

/// Only the base for codec `planes`.
Sample makeSample(CodecId codec, ElementType type) {
  const PartShape shape{wordFormat(type), kRows, kColumns};
  auto [parent, tuned] = makeSides(shape);
  Sample sample;
  sample.payloads.reserve(2);  // decoders borrow them
  addLayer(sample, CodecId::Planes, shape, false,
           encodePlanes({shape, parent, {}}, PlanesOf::Words));
  sample.words = parent;
  if (codec == CodecId::Planes) return sample;
  sample.words = std::move(tuned);
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
  return Rates{rateOf(median(kernels)), rateOf(median(device)), rateOf(median(host))};
}

/// A run of numbers, again and again.
template <typename T>
std::vector<T> repeated(const std::vector<T>& once, std::uint64_t times) {
  std::vector<T> all;
  all.reserve(once.size() * times);
  for (std::uint64_t i = 0; i < times; ++i) all.insert(all.end(), once.begin(), once.end());
  return all;
}

/// Rates in GB/s of words to be coded.
struct EncodingRates {
  double count = 0;   ///< kernel alone
  double encode = 0;  ///< kernel alone
  double whole = 0;   ///< both passes from words on the host to a payload there
};

/// Nothing where the device makes anything else of the words than the CPU.
std::optional<EncodingRates> measureEncoding(kernels::DeviceQueue& queue, ElementType type) {
  const PartShape shape{wordFormat(type), kRows, kColumns};
  const Sides sides = makeSides(shape);
  const EncodeInput once{shape, sides.words, sides.parent};
  const PlannedDelta known = planAndEncodeDelta(once, {}, CodecId::Integer);
  DeviceEncoder checked(queue, once);
  const PlannedDelta found = planAndEncodeDelta(once, {}, CodecId::Integer, &checked);
  if (checked.fault() != kernels::DeviceFault::None || found.payload != known.payload) return {};

  const std::uint64_t times = kTotalBytes / shape.byteCount();
  const Sides all{repeated(sides.parent, times), repeated(sides.words, times)};
  const EncodeInput input{{shape.word, shape.rows * times, shape.columns}, all.words, all.parent};
  ScaleTerms terms = known.plan.terms;
  terms.rows = repeated(terms.rows, times);
  const DeltaForm form{known.plan.codec, known.plan.shift, known.plan.predictor, terms};
  std::vector<double> count;
  std::vector<double> encode;
  std::vector<double> whole;
  for (int i = 0; i < kRepeats; ++i) {
    bool isGood = true;
    whole.push_back(timed([&] {
      DeviceEncoder device(queue, input);
      isGood = device.count(form).has_value();
      count.push_back(queue.kernelSeconds());
      BlockIndexWriter index(kMinBlockLog2);
      isGood = device.encode(form, known.plan.tables, kMinBlockLog2, index) && isGood;
      encode.push_back(queue.kernelSeconds());
    }));
    if (!isGood) return std::nullopt;
  }
  return EncodingRates{rateOf(median(count)), rateOf(median(encode)), rateOf(median(whole))};
}

int printEncoding(kernels::DeviceQueue& queue) {
  fmt::print(
      "\nEncoding 512 MiB of words of codec integer, GB/s of words; the checksums of blocks are "
      "the "
      "CPU's\n\n| words | counting | encoding | both, from and to the host |\n|---|---|---|---|\n");
  for (const ElementType type : {ElementType::BF16, ElementType::F16, ElementType::F32}) {
    const auto rates = measureEncoding(queue, type);
    if (!rates) {
      fmt::print(stderr, "device_bench: {}: encoded wrongly, or not at all\n", name(type));
      return 1;
    }
    fmt::print("| {} | {:.1f} | {:.1f} | {:.1f} |\n", name(type), rates->count, rates->encode,
               rates->whole);
  }
  return 0;
}

/// Changes of a tuned part, `times` times.
std::vector<float> makeChanges(std::uint64_t times) {
  const PartShape shape{wordFormat(ElementType::F32), kRows, kColumns};
  const auto [parent, tuned] = makeSides(shape);
  std::vector<float> once = valuesOf(shape, tuned);
  const std::vector<float> base = valuesOf(shape, parent);
  for (std::size_t i = 0; i < once.size(); ++i) once[i] -= base[i];
  return repeated(once, times);
}

/// Prints seconds of one step, by the median of runs: of the kernel alone, from values on the host
/// to a result there with the CPU's checks, and of one core of the CPU. False where it failed.
bool printStep(kernels::DeviceQueue& queue, std::string_view name, auto&& onDevice, auto&& onCpu) {
  std::vector<double> kernel;
  std::vector<double> whole;
  for (int i = 0; i < kRepeats; ++i) {
    DeviceQuantizer device(queue);
    bool isGood = true;
    whole.push_back(timed([&] { isGood = onDevice(device); }));
    kernel.push_back(queue.kernelSeconds());
    if (isGood) continue;
    fmt::print(stderr, "device_bench: {}: {}\n", name, kernels::describe(device.fault()));
    return false;
  }
  fmt::print("| {} | {:.3f} | {:.3f} | {:.3f} |\n", name, median(kernel) * 1e3, median(whole) * 1e3,
             timed(onCpu) * 1e3);
  return true;
}

/// The steps of quantizing that a device takes: patterns as profiles begin with, and 16 levels.
int printQuantizing(kernels::DeviceQueue& queue) {
  constexpr std::size_t kBlockWords = std::size_t{1} << 20;
  const std::vector<float> values = makeChanges(16);
  const PatternSet set{.length = 256, .basesLog2 = 6};
  const auto buckets = sketchOf(values).buckets();
  const CentreSearch search = centreSearch(buckets, {.levelCount = 16});
  const std::vector<float> edges = levelEdges(fitLevels(buckets, {.levelCount = 16}));
  std::vector<std::uint8_t> levels(values.size());
  fmt::print(
      "\nSteps of quantizing {} Mi values, ms\n\n| step | kernel | from the host, with the CPU's "
      "checks | one core of the CPU |\n|---|---|---|---|\n",
      values.size() >> 20);
  const bool isGood =
      printStep(
          queue, "patterns of 256 words",
          [&](DeviceQuantizer& device) {
            return device.patterns(set, values, kBlockWords).has_value();
          },
          [&] { bestPatterns(set, values, kBlockWords, nullptr); }) &&
      printStep(
          queue, "sketch",
          [&](DeviceQuantizer& device) { return device.sketch(values).has_value(); },
          [&] { sketchOf(values); }) &&
      printStep(
          queue, "sketch, then 16 centres by k-means",
          [&](DeviceQuantizer& device) {
            return device.sketch(values).has_value() && device.centres(search).has_value();
          },
          [&] {
            sketchOf(values);
            centresOf(search);
          }) &&
      printStep(
          queue, "nearest of 16 levels",
          [&](DeviceQuantizer& device) { return device.nearest(values, edges, levels.data()); },
          [&] { nearestLevels(values, edges, nullptr, levels.data()); });
  return isGood ? 0 : 1;
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
  const int encoded = printEncoding(*queue);
  return encoded != 0 ? encoded : printQuantizing(*queue);
}

}  // namespace
}  // namespace strata

int main() { return strata::run(); }
