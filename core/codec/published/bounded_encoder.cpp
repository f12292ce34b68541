#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/codec/entropy/block_index.h"
#include "core/codec/entropy/rans_block.h"
#include "core/codec/lossy/lossy_words.h"
#include "core/codec/published/bounded_numbers.h"
#include "core/codec/published/bounded_quantizer.h"
#include "core/codec/published/dct.h"

namespace strata {
namespace {

/// Chunks that schemes and terms are compared on: one in this many, but all of a small part.
constexpr std::size_t kSampleShare = 16;
constexpr std::size_t kLeastSampledChunks = 4;
/// Uniform steps in units of twice the bound. Below 1 rounding to 16-bit kinds breaks the bound for
/// fewer words, at more bits for all.
constexpr double kUniformSteps[] = {1.0, 0.95, 0.8, 0.6};
/// Steps of coefficients in units of the bound: the errors of 64 coefficients add up.
constexpr double kDctSteps[] = {0.9, 1.2, 1.6, 0.7};
/// Steps of a method are no longer tried once one takes so many times the bits of the best.
constexpr double kHopeless = 1.2;

constexpr WordFormat kNumberFormat{.bytes = 4, .isSigned = true};

/// Classes of numbers.
struct Symbols {
  std::uint8_t symbols[kLossyChunkWords];
  std::uint32_t raw[kLossyChunkWords];
};

void classify(const std::int32_t* numbers, std::size_t count, Symbols& out) {
  static constexpr std::uint32_t kZeros[kLossyChunkWords] = {};
  std::uint32_t words[kLossyChunkWords];
  std::memcpy(words, numbers, count * sizeof(std::int32_t));
  DeltaWords<std::uint32_t>({kNumberFormat, 1, count}, 0, false)
      .classify(kZeros, words, count, {out.symbols, out.raw});
}

double rawBits(std::span<const std::uint8_t> symbols) {
  double bits = 0;
  for (const std::uint8_t s : symbols) bits += s < 8 ? 0 : (s >> 2) - 1;
  return bits;
}

constexpr std::array<std::uint8_t, kContexts> identity() {
  std::array<std::uint8_t, kContexts> map{};
  for (std::size_t i = 0; i < kContexts; ++i) map[i] = static_cast<std::uint8_t>(i);
  return map;
}

/// About what the symbols take with their tables, whose contexts are either all apart or all one:
/// merging them as buildTableSet does is too slow to be done for each choice.
double estimatedBits(const ContextCounts& counts) {
  constexpr double kBitsPerFrequency = 7;
  std::vector<std::uint32_t> pooled(counts.alphabet());
  double frequencies = 0;
  for (std::size_t c = 0; c < kContexts; ++c) {
    const auto own = counts.of(c);
    for (std::size_t s = 0; s < own.size(); ++s) {
      pooled[s] += own[s];
      frequencies += own[s] != 0 ? 1 : 0;
    }
  }
  const auto used = pooled.size() - static_cast<std::size_t>(std::ranges::count(pooled, 0U));
  return std::min(counts.bits() + kBitsPerFrequency * frequencies,
                  entropyBits(pooled) + kBitsPerFrequency * static_cast<double>(used));
}

/// Numbers of chunks between the ones that are looked at.
std::size_t sampleStride(std::size_t words) {
  const std::size_t chunks = words / kLossyChunkWords;
  return std::clamp<std::size_t>(chunks / kLeastSampledChunks, 1, kSampleShare);
}

/// Bits of the sampled chunks under a scheme without terms.
double sampledBits(const BoundedQuantizer& quantizer, const PartShape& shape,
                   const BoundedScheme& scheme) {
  ContextCounts counts(kBoundedAlphabet);
  ContextCounts other(kBoundedAlphabet);
  BoundedChunk chunk;
  Symbols symbols;
  std::vector<std::byte> restored(kLossyChunkWords * quantizer.wordBytes());
  double bits = 0;
  const std::size_t step = kLossyChunkWords * sampleStride(quantizer.count());
  for (std::size_t at = 0; at < quantizer.count(); at += step) {
    const std::size_t n = std::min(kLossyChunkWords, quantizer.count() - at);
    quantizer.quantizeChunk(scheme, at, chunk,
                            std::span(restored).first(n * quantizer.wordBytes()));
    classify(chunk.numbers, n, symbols);
    std::uint8_t contexts[kLossyChunkWords];
    scheme.contexts(shape, identity(), at, n, contexts);
    counts.count(contexts, symbols.symbols, n, other);
    bits += rawBits({symbols.symbols, n});
    bits += static_cast<double>(chunk.exact.size() * 8 * (1 + quantizer.wordBytes()));
  }
  counts.add(other);
  return bits + estimatedBits(counts);
}

BoundedScheme chooseScheme(const BoundedQuantizer& quantizer, const PartShape& shape, double bound,
                           std::optional<BoundedMethod> wish) {
  BoundedScheme best;
  double bestBits = std::numeric_limits<double>::infinity();
  // Whether the method is so far behind that other steps will not help it.
  const auto fallsBehind = [&](BoundedMethod method, double scale) {
    BoundedScheme scheme{method, static_cast<float>(scale), {}};
    if (!(scheme.scale > 0) || !std::isfinite(scheme.scale)) return true;
    const double bits = sampledBits(quantizer, shape, scheme);
    const bool isFar = bits > kHopeless * bestBits;
    if (bits < bestBits) {
      bestBits = bits;
      best = std::move(scheme);
    }
    return isFar;
  };
  if (wish != BoundedMethod::Dct) {
    for (const double step : kUniformSteps) {
      if (fallsBehind(BoundedMethod::Uniform, 2 * bound * step)) break;
    }
  }
  if (wish != BoundedMethod::Uniform) {
    for (const double step : kDctSteps) {
      const double scale = std::ldexp(bound * step, -static_cast<int>(kDctShift));
      if (fallsBehind(BoundedMethod::Dct, scale)) break;
    }
  }
  return best;
}

/// All numbers of a part and the words that go as they are.
struct Numbers {
  WordBuffer<std::int32_t> numbers;
  std::vector<std::uint32_t> exact;
  std::vector<std::byte> restored;

  std::span<const std::int32_t> from(std::size_t at, std::size_t n) const {
    return std::span<const std::int32_t>(numbers).subspan(at, n);
  }
};

Numbers encodeAll(const BoundedQuantizer& quantizer, const BoundedScheme& scheme) {
  Numbers all{WordBuffer<std::int32_t>(quantizer.count()), {}, {}};
  all.restored.resize(quantizer.count() * quantizer.wordBytes());
  BoundedChunk chunk;
  for (std::size_t at = 0; at < quantizer.count(); at += kLossyChunkWords) {
    const std::size_t n = std::min(kLossyChunkWords, quantizer.count() - at);
    quantizer.quantizeChunk(
        scheme, at, chunk,
        std::span(all.restored).subspan(at * quantizer.wordBytes(), n * quantizer.wordBytes()));
    std::copy_n(chunk.numbers, n, all.numbers.data() + at);
    for (const std::uint32_t i : chunk.exact) {
      all.exact.push_back(static_cast<std::uint32_t>(at + i));
    }
  }
  return all;
}

ContextCounts countNumbers(const PartShape& shape, const BoundedScheme& scheme, const Numbers& all,
                           std::size_t stride) {
  ContextCounts counts(kBoundedAlphabet);
  ContextCounts other(kBoundedAlphabet);
  Symbols symbols;
  std::uint8_t contexts[kLossyChunkWords];
  const std::size_t words = all.numbers.size();
  for (std::size_t at = 0; at < words; at += kLossyChunkWords * stride) {
    const std::size_t n = std::min(kLossyChunkWords, words - at);
    classify(all.from(at, n).data(), n, symbols);
    scheme.contexts(shape, identity(), at, n, contexts);
    counts.count(contexts, symbols.symbols, n, other);
  }
  counts.add(other);
  return counts;
}

/// Of both, rows, columns and none the terms that pay.
void chooseTerms(const PartShape& shape, const Numbers& all, BoundedScheme& scheme) {
  const std::size_t words = all.numbers.size();
  std::vector<std::uint32_t> numbers(words);
  std::memcpy(numbers.data(), all.numbers.data(), words * sizeof(std::uint32_t));
  const std::vector<std::uint32_t> zeros(words);
  const PartShape numberShape{kNumberFormat, shape.rows, shape.columns};
  const ScaleTerms full =
      measureTerms<std::uint32_t>(numberShape, zeros, numbers, {0, false, false});
  const std::size_t stride = sampleStride(words);
  double bestBits = std::numeric_limits<double>::infinity();
  ScaleTerms best;
  for (ScaleTerms terms :
       {withoutRows(withoutColumns(full)), withoutRows(full), withoutColumns(full), full}) {
    ByteWriter written;
    writeTerms(written, terms);
    scheme.terms = std::move(terms);
    const ContextCounts counts = countNumbers(shape, scheme, all, stride);
    const double bits = estimatedBits(counts) * static_cast<double>(stride) +
                        8.0 * static_cast<double>(written.size());
    if (bits >= bestBits) continue;
    bestBits = bits;
    best = scheme.terms;
  }
  scheme.terms = std::move(best);
}

/// Appends the words of [first, first + count) that go as they are.
void appendExact(const EncodeInput& input, std::span<const std::uint32_t> exact, std::size_t first,
                 std::vector<std::byte>& out) {
  ByteWriter words;
  const std::size_t wordBytes = input.shape.word.bytes;
  std::size_t next = first;
  for (const std::uint32_t at : exact) {
    words.varint(at - next);
    words.bytes(input.words.subspan(at * wordBytes, wordBytes));
    next = at + std::size_t{1};
  }
  ByteWriter sized;
  sized.varint(words.size());
  sized.bytes(words.view());
  out.insert(out.end(), sized.view().begin(), sized.view().end());
}

void writeBlocks(ByteWriter& out, const EncodeInput& input, const BoundedScheme& scheme,
                 const TableSet& tables, const Numbers& all, unsigned log2) {
  const auto entries = encoderTable(tables.tables);
  BlockIndexWriter index(log2);
  RansScratch scratch;
  const std::size_t step = std::min<std::size_t>(std::size_t{1} << log2, all.numbers.size());
  std::vector<std::uint8_t> contexts(step);
  std::vector<std::uint8_t> symbols(step);
  std::vector<std::uint32_t> raw(step);
  auto exact = all.exact.begin();
  Symbols classes;
  for (std::size_t at = 0; at < all.numbers.size(); at += step) {
    const std::size_t n = std::min(step, all.numbers.size() - at);
    for (std::size_t i = 0; i < n; i += kLossyChunkWords) {
      const std::size_t m = std::min(kLossyChunkWords, n - i);
      classify(all.from(at + i, m).data(), m, classes);
      std::copy_n(classes.symbols, m, symbols.data() + i);
      std::copy_n(classes.raw, m, raw.data() + i);
      scheme.contexts(input.shape, tables.map, at + i, m, contexts.data() + i);
    }
    const auto end = std::lower_bound(exact, all.exact.end(), at + n);
    appendExact(input, {exact, end}, at, index.blocks());
    exact = end;
    appendDeltaStream(entries, kBoundedAlphabet, std::span(contexts).first(n),
                      {symbols.data(), raw.data()}, lanesFor(n), scratch, index.blocks());
    index.endBlock(
        std::span(all.restored).subspan(at * input.shape.word.bytes, n * input.shape.word.bytes));
  }
  index.write(out);
}

unsigned blockLog2For(const TableSet& tables, const ContextCounts& counts, const Numbers& all,
                      std::size_t wordBytes) {
  const auto words = static_cast<double>(std::max<std::size_t>(1, all.numbers.size()));
  const auto exactBits = static_cast<double>(all.exact.size() * 8 * (1 + wordBytes));
  return goodBlockLog2((tables.codedBits(counts) + exactBits) / words);
}

}  // namespace

Result<LossyPart> encodeBounded(const EncodeInput& input, const LossySettings& settings,
                                std::optional<BoundedMethod> wish) {
  const double bound = settings.maxError;
  if (!(bound > 0) || !(bound <= std::numeric_limits<float>::max())) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("error bound is {}, expected a number above 0", bound));
  }
  STRATA_TRY(const PartValues values, loadValues(input));
  STRATA_TRY(const auto differences, differencesOf(values));
  const BoundedQuantizer quantizer(input, values, differences, bound);
  BoundedScheme scheme = chooseScheme(quantizer, input.shape, bound, wish);
  if (scheme.scale == 0) {
    return fail(ErrorCode::InvalidArgument, fmt::format("error bound {} is too small", bound));
  }
  Numbers all = encodeAll(quantizer, scheme);
  if (scheme.method == BoundedMethod::Uniform) chooseTerms(input.shape, all, scheme);
  const ContextCounts counts = countNumbers(input.shape, scheme, all, 1);
  const TableSet tables = buildTableSet(counts);
  ByteWriter out;
  const bool isDct = scheme.method == BoundedMethod::Dct;
  const unsigned flags =
      isDct ? 4U : (scheme.terms.rows.empty() ? 0U : 1U) | (scheme.terms.columns.empty() ? 0U : 2U);
  out.byte(static_cast<std::uint8_t>(flags));
  out.fixed(scheme.scale);
  if (!isDct) writeTerms(out, scheme.terms);
  writeTableSet(out, tables);
  writeBlocks(out, input, scheme, tables, all,
              blockLog2For(tables, counts, all, quantizer.wordBytes()));
  return LossyPart{out.take(), std::move(all.restored)};
}

}  // namespace strata
