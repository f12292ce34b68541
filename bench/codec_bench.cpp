// How fast each codec codes and decodes one tensor, on one core, beside memcpy and zstd.

#include <benchmark/benchmark.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include "core/codec/codec.h"
#include "core/codec/exact/delta_codec.h"
#include "core/codec/exact/plain_codecs.h"
#include "core/codec/exact/sized_codec.h"
#include "core/codec/lossy/lossy_codec.h"

namespace strata {
namespace {

constexpr std::uint64_t kRows = 4096;
constexpr std::uint64_t kColumns = 1024;

bool takesParent(CodecId codec) { return needsParent(codec) || isLossy(codec); }

/// A matrix and its fine-tune: weights with a spread of 0.04, changed by a spread of 0.0004.
struct Sample {
  PartShape shape;
  std::vector<std::byte> parent;
  std::vector<std::byte> words;

  EncodeInput input(CodecId codec) const {
    const std::span<const std::byte> noParent;
    return {.shape = shape, .words = words, .parent = takesParent(codec) ? parent : noParent};
  }
};

void append(std::vector<std::byte>& out, float value, ElementType type) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto rounded = static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
  const std::size_t end = out.size();
  if (type == ElementType::BF16) {
    out.resize(end + sizeof rounded);
    std::memcpy(out.data() + end, &rounded, sizeof rounded);
  } else {
    out.resize(end + sizeof bits);
    std::memcpy(out.data() + end, &bits, sizeof bits);
  }
}

Sample makeSample(ElementType type) {
  Sample sample{.shape = {.word = wordFormat(type), .rows = kRows, .columns = kColumns},
                .parent = {},
                .words = {}};
  std::mt19937 random(7);
  std::normal_distribution<float> weight(0.0F, 0.04F);
  std::normal_distribution<float> change(0.0F, 0.0004F);
  for (std::uint64_t i = 0; i < kRows * kColumns; ++i) {
    const float base = weight(random);
    append(sample.parent, base, type);
    append(sample.words, base + change(random), type);
  }
  return sample;
}

std::vector<std::byte> encodeExactly(CodecId codec, const Sample& sample) {
  const EncodeInput input = sample.input(codec);
  switch (codec) {
    case CodecId::Raw:
      return encodeRaw(input);
    case CodecId::Zstd:
      return encodeZstd(input, 3);
    case CodecId::ZstdView:
      return encodeZstdView(input, 3);
    case CodecId::Planes:
      return encodePlanes(input, PlanesOf::Words);
    case CodecId::Integer:
    case CodecId::Xor:
      return encodeDelta(input, planDelta(input, {}, codec), nullptr, 0);
    case CodecId::Sized:
      return encodeSized(input, planSized(input));
    default:
      return {};
  }
}

/// A payload and what it decodes to.
LossyPart encode(CodecId codec, const Sample& sample) {
  if (isLossy(codec)) return *encodeLossy(codec, sample.input(codec), {.step = 0.0008});
  return {.payload = encodeExactly(codec, sample), .restored = sample.words};
}

Result<void> decode(CodecId codec, const Sample& sample, std::span<const std::byte> payload,
                    std::span<std::byte> out) {
  STRATA_TRY(const auto decoder,
             openPart(codec, sample.shape, payload, takesParent(codec), SharedTables{}));
  const std::uint64_t blockBytes = decoder->blockWords() * sample.shape.word.bytes;
  const std::span<const std::byte> parent = sample.input(codec).parent;
  for (std::uint64_t i = 0; i * blockBytes < out.size(); ++i) {
    const std::uint64_t from = i * blockBytes;
    const std::uint64_t byteCount = std::min<std::uint64_t>(blockBytes, out.size() - from);
    STRATA_TRY(decoder->decodeBlock(i, parent.empty() ? parent : parent.subspan(from, byteCount),
                                    out.subspan(from, byteCount)));
  }
  return {};
}

void report(benchmark::State& state, std::size_t originalBytes, std::size_t payloadBytes) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * originalBytes));
  state.counters["percent"] =
      100.0 * static_cast<double>(payloadBytes) / static_cast<double>(originalBytes);
}

void encodeBench(benchmark::State& state, CodecId codec, ElementType type) {
  const Sample sample = makeSample(type);
  std::size_t payloadBytes = 0;
  for (auto _ : state) payloadBytes = encode(codec, sample).payload.size();
  report(state, sample.words.size(), payloadBytes);
}

void decodeBench(benchmark::State& state, CodecId codec, ElementType type) {
  const Sample sample = makeSample(type);
  const auto [payload, restored] = encode(codec, sample);
  std::vector<std::byte> out(sample.words.size());
  if (!decode(codec, sample, payload, out) || out != restored) {
    state.SkipWithError("does not restore what it said");
    return;
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(decode(codec, sample, payload, out));
  }
  report(state, out.size(), payload.size());
}

void copyBench(benchmark::State& state, std::size_t byteCount) {
  const std::vector<std::byte> from(byteCount);
  std::vector<std::byte> to(from.size());
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), from.size());
    benchmark::ClobberMemory();
  }
  report(state, from.size(), from.size());
}

void registerAll() {
  // As large as the words of a sample, and as a model is, whose words are in no cache.
  benchmark::RegisterBenchmark("memcpy/16MiB", copyBench, kRows * kColumns * 4);
  benchmark::RegisterBenchmark("memcpy/1GiB", copyBench, std::size_t{1} << 30);
  std::vector<CodecId> codecs(payloadCodecs().begin(), payloadCodecs().end());
  codecs.insert(codecs.end(), {CodecId::Levels, CodecId::Patterns});
  for (const CodecId codec : codecs) {
    for (const ElementType type : {ElementType::F32, ElementType::BF16}) {
      const std::string what = std::string(name(codec)) + "/" + std::string(name(type));
      benchmark::RegisterBenchmark(("encode/" + what).c_str(), encodeBench, codec, type);
      benchmark::RegisterBenchmark(("decode/" + what).c_str(), decodeBench, codec, type);
    }
  }
}

}  // namespace
}  // namespace strata

int main(int argc, char** argv) {
  strata::registerAll();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
