#include "core/codec/published/exponent_codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "core/codec/entropy/huffman.h"
#include "core/codec/entropy/symbol_blocks.h"
#include "core/codec/lossy/lossy_words.h"
#include "core/codec/predict/predictor.h"

namespace strata {
namespace {

constexpr unsigned kMostBits = 8;
/// A difference by its top nine bits, sign and exponent.
constexpr unsigned kKeyShift = 23;
constexpr std::size_t kKeys = 512;
constexpr std::size_t kSignKey = 256;

/// Subnormals share the lowest exponent.
std::size_t keyOf(float difference) noexcept {
  const std::size_t key = std::bit_cast<std::uint32_t>(difference) >> kKeyShift;
  return key % kSignKey == 0 ? key + 1 : key;
}

struct KeyStats {
  std::uint32_t count = 0;
  float least = 0;
  float most = 0;
};

std::array<KeyStats, kKeys> statsOf(std::span<const float> differences) {
  std::array<KeyStats, kKeys> stats;
  for (const float d : differences) {
    if (d == 0) continue;
    KeyStats& s = stats[keyOf(d)];
    if (s.count++ == 0) s.least = s.most = d;
    s.least = std::min(s.least, d);
    s.most = std::max(s.most, d);
  }
  return stats;
}

/// The keys to keep, first those of largest exponent, then those with more entries.
std::vector<std::size_t> promoted(const std::array<KeyStats, kKeys>& stats, std::size_t most) {
  std::vector<std::size_t> keys;
  for (std::size_t key = 0; key < kKeys; ++key) {
    if (stats[key].count != 0) keys.push_back(key);
  }
  std::stable_sort(keys.begin(), keys.end(), [&](std::size_t a, std::size_t b) {
    if (a % kSignKey != b % kSignKey) return a % kSignKey > b % kSignKey;
    return stats[a].count > stats[b].count;
  });
  if (keys.size() > most) keys.resize(most);
  return keys;
}

class ExponentDecoder final : public PartDecoder {
 public:
  ExponentDecoder(kernels::FloatKind kind, std::vector<float> values, SymbolBlocks blocks)
      : kind_(kind), values_(std::move(values)), blocks_(std::move(blocks)) {}

  std::uint64_t blockWords() const noexcept override { return blocks_.index().blockWords(); }

  Result<void> decodeBlock(std::uint64_t index, const BlockSources& sources,
                           std::span<std::byte> out) const override {
    const std::size_t wordBytes = kind_ == kernels::FloatKind::F32 ? 4 : 2;
    STRATA_TRY(blocks_.decode(index, [&](std::size_t first, std::span<const std::uint8_t> run) {
      float values[SymbolBlocks::kChunkSymbols];
      for (std::size_t i = 0; i < run.size(); ++i) values[i] = values_[run[i]];
      addToParent(kind_, sources.parent.subspan(first * wordBytes), {values, run.size()},
                  out.subspan(first * wordBytes, run.size() * wordBytes));
    }));
    return blocks_.index().check(index, out);
  }

 private:
  kernels::FloatKind kind_;
  std::vector<float> values_;
  SymbolBlocks blocks_;
};

tl::unexpected<Error> damagedCode(std::string_view what) {
  return fail(ErrorCode::CorruptData, fmt::format("{} of a huffman payload is damaged", what));
}

/// Words by the code words of their buckets.
class CodeWordDecoder final : public PartDecoder {
 public:
  CodeWordDecoder(kernels::FloatKind kind, std::vector<float> values, PrefixCode code,
                  BlockIndex index)
      : kind_(kind), values_(std::move(values)), code_(std::move(code)), index_(std::move(index)) {}

  std::uint64_t blockWords() const noexcept override { return index_.blockWords(); }

  Result<void> decodeBlock(std::uint64_t index, const BlockSources& sources,
                           std::span<std::byte> out) const override {
    CodeReader reader(index_.block(index));
    const std::size_t wordBytes = kind_ == kernels::FloatKind::F32 ? 4 : 2;
    const auto count = static_cast<std::size_t>(index_.wordsIn(index));
    float values[kLossyChunkWords];
    for (std::size_t at = 0; at < count; at += kLossyChunkWords) {
      const std::size_t n = std::min(kLossyChunkWords, count - at);
      for (std::size_t i = 0; i < n; ++i) {
        values[i] = values_[static_cast<std::size_t>(reader.take(code_))];
      }
      addToParent(kind_, sources.parent.subspan(at * wordBytes), {values, n},
                  out.subspan(at * wordBytes, n * wordBytes));
    }
    if (!reader.endedClean()) return damagedCode("end of a block");
    return index_.check(index, out);
  }

 private:
  kernels::FloatKind kind_;
  std::vector<float> values_;
  PrefixCode code_;
  BlockIndex index_;
};

/// The code of the buckets that occur.
PrefixCode codeOf(std::span<const std::uint32_t> counts) {
  const auto lengths = huffmanLengths(counts);
  std::vector<CodeSymbol> symbols;
  for (std::size_t b = 0; b < counts.size(); ++b) {
    if (counts[b] != 0) symbols.push_back({static_cast<std::int32_t>(b), lengths[b]});
  }
  return PrefixCode::make(std::move(symbols)).value_or(PrefixCode{});
}

/// Values of buckets; that of the first one is 0 and not stored.
void writeValues(ByteWriter& out, std::span<const float> values) {
  out.byte(static_cast<std::uint8_t>(values.size() - 1));
  for (const float value : values.subspan(1)) out.fixed(value);
}

Result<std::vector<float>> readValues(ByteReader& in) {
  std::vector<float> values(1 + in.byte());
  for (std::size_t b = 1; b < values.size(); ++b) {
    values[b] = in.fixed<float>();
    if (in.failed() || !std::isfinite(values[b])) {
      return fail(ErrorCode::CorruptData, fmt::format("value of exponent bucket {} is damaged", b));
    }
  }
  return values;
}

std::vector<std::byte> restore(const EncodeInput& input, kernels::FloatKind kind,
                               const ExponentBuckets& found) {
  std::vector<float> values(found.buckets.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = found.values[found.buckets[i]];
  std::vector<std::byte> restored(input.words.size());
  addToParent(kind, input.parent, values, restored);
  return restored;
}

}  // namespace

Result<ExponentBuckets> findExponentBuckets(const EncodeInput& input, unsigned bits) {
  if (bits < 1 || bits > kMostBits) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("bits of exponent buckets are {}, expected 1 to {}", bits, kMostBits));
  }
  STRATA_TRY(const PartValues values, loadValues(input));
  STRATA_TRY(const auto buffer, differencesOf(values));
  const std::span<const float> differences = buffer;
  const auto stats = statsOf(differences);
  const auto keys = promoted(stats, (std::size_t{1} << bits) - 1);
  ExponentBuckets found{{0}, std::vector<std::uint8_t>(differences.size()), {}};
  std::array<std::uint8_t, kKeys> bucketOf{};
  for (const std::size_t key : keys) {
    bucketOf[key] = static_cast<std::uint8_t>(found.values.size());
    found.values.push_back(stats[key].least * 0.5F + stats[key].most * 0.5F);
  }
  found.counts.resize(found.values.size());
  for (std::size_t i = 0; i < differences.size(); ++i) {
    const std::uint8_t bucket = differences[i] == 0 ? 0 : bucketOf[keyOf(differences[i])];
    found.buckets[i] = bucket;
    ++found.counts[bucket];
  }
  return found;
}

Result<LossyPart> encodeExponent(const EncodeInput& input, const LossySettings& settings) {
  STRATA_TRY(const ExponentBuckets found, findExponentBuckets(input, settings.bits));
  LossyPart part;
  part.restored = restore(input, *predictableKind(input.shape.word), found);
  STRATA_TRY(requireFinite(input.shape, part.restored));
  ByteWriter out;
  writeValues(out, found.values);
  writeSymbolBlocks(out, input.shape, found.values.size(), found.buckets, part.restored);
  part.payload = out.take();
  return part;
}

Result<std::unique_ptr<PartDecoder>> openExponent(const PartShape& shape,
                                                  std::span<const std::byte> payload) {
  const auto kind = predictableKind(shape.word);
  if (!kind) return fail(ErrorCode::CorruptData, "exponent payload of words that are no floats");
  ByteReader in(payload);
  STRATA_TRY(std::vector<float> values, readValues(in));
  STRATA_TRY(SymbolBlocks blocks, SymbolBlocks::read(in, shape, values.size()));
  return std::make_unique<ExponentDecoder>(*kind, std::move(values), std::move(blocks));
}

Result<LossyPart> encodeExponentHuffman(const EncodeInput& input, const LossySettings& settings) {
  STRATA_TRY(const ExponentBuckets found, findExponentBuckets(input, settings.bits));
  LossyPart part;
  part.restored = restore(input, *predictableKind(input.shape.word), found);
  STRATA_TRY(requireFinite(input.shape, part.restored));
  ByteWriter out;
  writeValues(out, found.values);
  const PrefixCode code = codeOf(found.counts);
  code.write(out);
  const unsigned log2 = goodBlockLog2(settings.bits);
  BlockIndexWriter index(log2);
  const std::size_t step = std::size_t{1} << log2;
  const std::span<const std::byte> restored = part.restored;
  for (std::size_t at = 0; at < found.buckets.size(); at += step) {
    const std::size_t n = std::min(step, found.buckets.size() - at);
    CodeWriter writer(index.blocks());
    for (const std::uint8_t b : std::span(found.buckets).subspan(at, n)) writer.put(code, b);
    writer.finish();
    index.endBlock(restored.subspan(at * input.shape.word.bytes, n * input.shape.word.bytes));
  }
  index.write(out);
  part.payload = out.take();
  return part;
}

Result<std::unique_ptr<PartDecoder>> openExponentHuffman(const PartShape& shape,
                                                         std::span<const std::byte> payload) {
  const auto kind = predictableKind(shape.word);
  if (!kind) return damagedCode("kind of words");
  ByteReader in(payload);
  STRATA_TRY(std::vector<float> values, readValues(in));
  auto code = PrefixCode::read(in);
  if (!code || code->isEmpty() || !code->areBelow(values.size())) return damagedCode("code");
  STRATA_TRY(BlockIndex index, BlockIndex::read(in, shape));
  return std::make_unique<CodeWordDecoder>(*kind, std::move(values), *std::move(code),
                                           std::move(index));
}

}  // namespace strata
