// The bare kernels of each instruction set on one core: a block of 64 Ki words at a time, so that
// all lies in the second-level cache. Items are words. Beside them memcpy and OpenSSL's SHA-256.

#include <benchmark/benchmark.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "core/codec/entropy/frequency_table.h"
#include "core/codec/entropy/rans_block.h"
#include "core/codec/exact/table_set.h"
#include "core/digest.h"
#include "kernels/cpu_kernels.h"

namespace strata {
namespace {

using kernels::CpuKernels;
using kernels::DeltaFormat;

constexpr std::size_t kWords = 1 << 16;

/// Kernels and formats by word.
template <typename Word>
struct Sized;
template <>
struct Sized<std::uint16_t> {
  static constexpr DeltaFormat kFormat{7, true, false};
  static constexpr auto kClassify = &CpuKernels::classify16;
  static constexpr auto kContexts = &CpuKernels::contexts16;
  static constexpr auto kSizes = &CpuKernels::sizes16;
  static constexpr auto kApply = &CpuKernels::apply16;
  static constexpr std::size_t kAlphabet = 64;
  static constexpr int kRowTerm = 262;
};
template <>
struct Sized<std::uint32_t> {
  static constexpr DeltaFormat kFormat{23, true, false};
  static constexpr auto kClassify = &CpuKernels::classify32;
  static constexpr auto kContexts = &CpuKernels::contexts32;
  static constexpr auto kSizes = &CpuKernels::sizes32;
  static constexpr auto kApply = &CpuKernels::apply32;
  static constexpr std::size_t kAlphabet = 128;
  static constexpr int kRowTerm = 264;
};

/// A block of weights with a spread of 0.04 and its fine-tune, changed by a spread of 0.0004; how
/// the reference classifies the changes, and their coded form.
template <typename Word>
struct Block {
  std::vector<Word> parent;
  std::vector<Word> words;
  std::vector<std::uint8_t> contexts;
  std::vector<std::uint8_t> symbols;
  std::vector<std::uint32_t> raw;
  std::vector<kernels::RansEncoderEntry> entries;
  std::vector<std::uint32_t> slots;
  std::vector<std::byte> coded;
};

template <typename Word>
Word wordOf(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<Word>(sizeof(Word) == 4 ? bits : (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

template <typename Word>
const Block<Word>& block() {
  static const Block<Word> kBlock = [] {
    using S = Sized<Word>;
    Block<Word> b;
    std::mt19937 random(7);
    std::normal_distribution<float> weight(0.0F, 0.04F);
    std::normal_distribution<float> change(0.0F, 0.0004F);
    for (std::size_t i = 0; i < kWords; ++i) {
      const float base = weight(random);
      b.parent.push_back(wordOf<Word>(base));
      b.words.push_back(wordOf<Word>(base + change(random)));
    }
    b.contexts.resize(kWords);
    b.symbols.resize(kWords);
    b.raw.resize(kWords);
    const CpuKernels& plain = kernels::scalarKernels();
    std::array<std::uint8_t, kContexts> map{};
    for (std::size_t i = 0; i < map.size(); ++i) map[i] = static_cast<std::uint8_t>(i);
    // The term of rows with such changes: their size in half octaves, docs/FORMAT.md.
    const int term =
        8 + 254 +
        static_cast<int>(std::lround(
            2 * std::log2(0.0003 * std::ldexp(1.0, static_cast<int>(S::kFormat.mantissaBits)))));
    (plain.*S::kContexts)(b.parent.data(), nullptr, term, kWords, S::kFormat, map.data(),
                          b.contexts.data());
    (plain.*S::kClassify)(b.parent.data(), b.words.data(), kWords, S::kFormat,
                          {b.symbols.data(), b.raw.data()});
    ContextCounts counts(S::kAlphabet);
    ContextCounts other(S::kAlphabet);
    counts.count(b.contexts.data(), b.symbols.data(), kWords, other);
    counts.add(other);
    const TableSet tables = buildTableSet(counts);
    for (std::uint8_t& context : b.contexts) context = tables.map[context];
    b.entries = encoderTable(tables.tables);
    b.slots = decoderTable(tables.tables);
    RansScratch scratch;
    appendDeltaStream(b.entries, S::kAlphabet, b.contexts, {b.symbols.data(), b.raw.data()}, 32,
                      scratch, b.coded);
    return b;
  }();
  return kBlock;
}

void reportWords(benchmark::State& state, std::size_t wordBytes) {
  const auto words = static_cast<std::int64_t>(state.iterations() * kWords);
  state.SetItemsProcessed(words);
  state.SetBytesProcessed(words * static_cast<std::int64_t>(wordBytes));
}

template <typename Word>
void decodeDeltas(benchmark::State& state, const CpuKernels& set) {
  const Block<Word>& b = block<Word>();
  std::vector<std::uint32_t> out(kWords);
  for (auto _ : state) {
    auto decoder = *openRansStream(b.coded, 32);
    for (std::size_t at = 0; at < kWords; at += 4096) {
      set.decodeDeltas(decoder, b.slots.data(), b.contexts.data() + at, 4096, out.data());
    }
    if (!endedClean(decoder)) state.SkipWithError("does not end cleanly");
  }
  state.counters["bits"] = static_cast<double>(8 * b.coded.size()) / kWords;
  state.counters["tables"] = static_cast<double>(b.slots.size() / kernels::kProbabilityScale);
  reportWords(state, sizeof(Word));
}

template <typename Word>
void encodeDeltas(benchmark::State& state, const CpuKernels& set) {
  Block<Word> b = block<Word>();
  std::vector<std::uint16_t> words(3 * kWords + kernels::kEncoderSlackWords);
  for (auto _ : state) {
    std::uint32_t states[kernels::kMaxLanes];
    std::fill_n(states, kernels::kMaxLanes, kernels::kStateLow);
    benchmark::DoNotOptimize(set.encodeDeltas(b.entries.data(), Sized<Word>::kAlphabet,
                                              b.contexts.data(), {b.symbols.data(), b.raw.data()},
                                              kWords, 32, states, words.data() + words.size()));
  }
  reportWords(state, sizeof(Word));
}

template <typename Word>
void classify(benchmark::State& state, const CpuKernels& set) {
  const Block<Word>& b = block<Word>();
  std::vector<std::uint8_t> symbols(4096);
  std::vector<std::uint32_t> raw(4096);
  for (auto _ : state) {
    for (std::size_t at = 0; at < kWords; at += 4096) {
      (set.*Sized<Word>::kClassify)(b.parent.data() + at, b.words.data() + at, 4096,
                                    Sized<Word>::kFormat, {symbols.data(), raw.data()});
      benchmark::ClobberMemory();
    }
  }
  reportWords(state, sizeof(Word));
}

template <typename Word>
void contexts(benchmark::State& state, const CpuKernels& set) {
  const Block<Word>& b = block<Word>();
  const std::vector<std::int16_t> columns(kWords, 1);
  std::array<std::uint8_t, kContexts> map{};
  std::vector<std::uint8_t> out(4096);
  for (auto _ : state) {
    for (std::size_t at = 0; at < kWords; at += 4096) {
      (set.*Sized<Word>::kContexts)(b.parent.data() + at, columns.data(), Sized<Word>::kRowTerm,
                                    4096, Sized<Word>::kFormat, map.data(), out.data());
      benchmark::ClobberMemory();
    }
  }
  reportWords(state, sizeof(Word));
}

template <typename Word>
void sizes(benchmark::State& state, const CpuKernels& set) {
  const Block<Word>& b = block<Word>();
  for (auto _ : state) {
    for (std::size_t at = 0; at < kWords; at += 1024) {
      benchmark::DoNotOptimize((set.*Sized<Word>::kSizes)(b.parent.data() + at, b.words.data() + at,
                                                          1024, Sized<Word>::kFormat, 0, nullptr));
    }
  }
  reportWords(state, sizeof(Word));
}

template <typename Word>
void apply(benchmark::State& state, const CpuKernels& set) {
  const Block<Word>& b = block<Word>();
  std::vector<Word> out(kWords);
  for (auto _ : state) {
    (set.*Sized<Word>::kApply)(b.parent.data(), b.raw.data(), kWords, Sized<Word>::kFormat,
                               out.data());
    benchmark::ClobberMemory();
  }
  reportWords(state, sizeof(Word));
}

/// The byte that holds the exponent: what `planes` codes of a base.
void decodeSymbols(benchmark::State& state, const CpuKernels& set) {
  std::vector<std::uint8_t> symbols;
  std::array<std::uint32_t, 256> counts{};
  for (const std::uint32_t word : block<std::uint32_t>().parent) {
    symbols.push_back(static_cast<std::uint8_t>(word >> 23));
    ++counts[symbols.back()];
  }
  const FrequencyTable table = normalise(counts);
  RansScratch scratch;
  std::vector<std::byte> coded;
  appendSymbolStream(encoderTable({&table, 1}), symbols, 32, scratch, coded);
  const auto slots = decoderTable({&table, 1});
  std::vector<std::uint8_t> out(kWords);
  for (auto _ : state) {
    auto decoder = *openRansStream(coded, 32);
    set.decodeSymbols(decoder, slots.data(), kWords, out.data());
  }
  if (out != symbols) state.SkipWithError("does not restore its input");
  reportWords(state, 1);
}

void xxh3Bench(benchmark::State& state, const CpuKernels& set) {
  const auto bytes = std::as_bytes(std::span(block<std::uint32_t>().words));
  for (auto _ : state) benchmark::DoNotOptimize(set.xxh3(bytes.data(), bytes.size()));
  reportWords(state, 4);
}

void sha256Bench(benchmark::State& state) {
  const auto bytes = std::as_bytes(std::span(block<std::uint32_t>().words));
  for (auto _ : state) benchmark::DoNotOptimize(sha256(bytes));
  reportWords(state, 4);
}

void memcpyBench(benchmark::State& state) {
  const auto& from = block<std::uint32_t>().words;
  std::vector<std::uint32_t> to(kWords);
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), kWords * sizeof(std::uint32_t));
    benchmark::ClobberMemory();
  }
  reportWords(state, 4);
}

using KernelBench = void (*)(benchmark::State&, const CpuKernels&);
struct NamedBench {
  const char* name;
  KernelBench run;
};
constexpr NamedBench kBenches[] = {
    {"BM_DecodeDeltas/bf16", decodeDeltas<std::uint16_t>},
    {"BM_DecodeDeltas/f32", decodeDeltas<std::uint32_t>},
    {"BM_EncodeDeltas/bf16", encodeDeltas<std::uint16_t>},
    {"BM_EncodeDeltas/f32", encodeDeltas<std::uint32_t>},
    {"BM_DecodeSymbols", decodeSymbols},
    {"BM_Classify/bf16", classify<std::uint16_t>},
    {"BM_Classify/f32", classify<std::uint32_t>},
    {"BM_Contexts/bf16", contexts<std::uint16_t>},
    {"BM_Contexts/f32", contexts<std::uint32_t>},
    {"BM_Sizes/bf16", sizes<std::uint16_t>},
    {"BM_Sizes/f32", sizes<std::uint32_t>},
    {"BM_Apply/bf16", apply<std::uint16_t>},
    {"BM_Apply/f32", apply<std::uint32_t>},
    {"BM_Xxh3", xxh3Bench},
};

void registerAll() {
  benchmark::RegisterBenchmark("BM_Memcpy", memcpyBench);
  benchmark::RegisterBenchmark("BM_Sha256", sha256Bench);
  for (const NamedBench& bench : kBenches) {
    for (const CpuKernels* set : kernels::usableKernels()) {
      const std::string name = std::string(bench.name) + "/" + set->name;
      benchmark::RegisterBenchmark(name.c_str(), bench.run, *set);
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
