#include "core/codec/published/sign_codec.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/checked_math.h"
#include "core/codec/entropy/block_index.h"
#include "core/codec/entropy/byte_stream.h"
#include "core/codec/entropy/frequency_table.h"
#include "core/codec/entropy/rans_block.h"
#include "core/codec/lossy/lossy_words.h"
#include "core/codec/predict/predictor.h"
#include "core/codec/words/bfloat.h"

namespace strata {
namespace {

constexpr unsigned kRowScales = 1;
constexpr unsigned kCodedSigns = 2;

tl::unexpected<Error> damaged(std::string_view what) {
  return fail(ErrorCode::CorruptData, fmt::format("{} of a sign payload is damaged", what));
}

/// The step of each row; one entry serves all rows.
struct Scales {
  std::vector<float> rows;
  std::uint64_t columns = 0;

  /// values[i] = plus or minus the step of word first + i. Bit i of `signs` is set for plus.
  void apply(std::uint64_t first, const std::uint8_t* signs, std::size_t count,
             float* values) const noexcept {
    std::uint64_t row = first / columns;
    std::uint64_t column = first % columns;
    for (std::size_t i = 0; i < count; ++row, column = 0) {
      const auto end =
          static_cast<std::size_t>(std::min<std::uint64_t>(count, i + (columns - column)));
      const auto step = std::bit_cast<std::uint32_t>(rows.size() == 1 ? rows[0] : rows[row]);
      for (; i < end; ++i) {
        const std::uint32_t isMinus = ~(std::uint32_t{signs[i / 8]} >> (i % 8)) & 1;
        values[i] = std::bit_cast<float>(step | isMinus << 31);
      }
    }
  }
};

Scales measureScales(const PartShape& shape, std::span<const float> differences, bool byRow) {
  Scales scales{{}, shape.columns};
  double total = 0;
  for (std::uint64_t r = 0; r < shape.rows; ++r) {
    double sum = 0;
    for (const float d : differences.subspan(r * shape.columns, shape.columns)) sum += std::abs(d);
    total += sum;
    if (!byRow) continue;
    scales.rows.push_back(roundToBfloat(static_cast<float>(sum / double(shape.columns))));
  }
  if (!byRow) scales.rows.push_back(static_cast<float>(total / double(shape.wordCount())));
  return scales;
}

void writeScales(ByteWriter& out, const Scales& scales, bool byRow) {
  if (!byRow) return out.fixed(scales.rows[0]);
  std::vector<std::uint8_t> low;
  std::vector<std::uint8_t> high;
  for (const float step : scales.rows) {
    const auto bits = std::bit_cast<std::uint32_t>(step);
    low.push_back(static_cast<std::uint8_t>(bits >> 16));
    high.push_back(static_cast<std::uint8_t>(bits >> 24));
  }
  writeByteStream(out, low);
  writeByteStream(out, high);
}

Result<Scales> readScales(ByteReader& in, const PartShape& shape, bool byRow) {
  Scales scales{{}, shape.columns};
  if (byRow) {
    const auto low = readByteStream(in, shape.rows);
    if (!low) return damaged("list of steps");
    const auto high = readByteStream(in, shape.rows);
    if (!high) return damaged("list of steps");
    for (std::size_t r = 0; r < low->size(); ++r) {
      const std::uint32_t bits = std::uint32_t{(*low)[r]} << 16 | std::uint32_t{(*high)[r]} << 24;
      scales.rows.push_back(std::bit_cast<float>(bits));
    }
  } else {
    scales.rows.push_back(in.fixed<float>());
    if (in.failed()) return damaged("step");
  }
  for (const float step : scales.rows) {
    if (!std::isfinite(step) || std::signbit(step)) return damaged("step");
  }
  return scales;
}

class SignDecoder final : public PartDecoder {
 public:
  SignDecoder(kernels::FloatKind kind, Scales scales, std::vector<std::uint32_t> slots,
              BlockIndex index)
      : kind_(kind),
        scales_(std::move(scales)),
        slots_(std::move(slots)),
        index_(std::move(index)) {}

  std::uint64_t blockWords() const noexcept override { return index_.blockWords(); }

  Result<void> decodeBlock(std::uint64_t index, const BlockSources& sources,
                           std::span<std::byte> out) const override {
    const auto count = static_cast<std::size_t>(index_.wordsIn(index));
    std::vector<std::uint8_t> signs(ceilDivide(count, std::size_t{8}));
    if (!readSigns(index_.block(index), signs)) return damaged(fmt::format("block {}", index));
    if (count % 8 != 0 && signs.back() >> (count % 8) != 0) return damaged("last byte of signs");
    const std::uint64_t first = index * index_.blockWords();
    const std::size_t wordBytes = out.size() / count;
    float values[kLossyChunkWords];
    for (std::size_t at = 0; at < count; at += kLossyChunkWords) {
      const std::size_t n = std::min(kLossyChunkWords, count - at);
      scales_.apply(first + at, signs.data() + at / 8, n, values);
      addToParent(kind_, sources.parent.subspan(at * wordBytes), {values, n},
                  out.subspan(at * wordBytes, n * wordBytes));
    }
    return index_.check(index, out);
  }

 private:
  bool readSigns(std::span<const std::byte> block, std::vector<std::uint8_t>& signs) const {
    if (slots_.empty()) {
      if (block.size() != signs.size()) return false;
      std::memcpy(signs.data(), block.data(), signs.size());
      return true;
    }
    auto decoder = openRansStream(block, lanesFor(signs.size()));
    if (!decoder) return false;
    kernels::bestKernels().decodeSymbols(*decoder, slots_.data(), signs.size(), signs.data());
    return endedClean(*decoder);
  }

  kernels::FloatKind kind_;
  Scales scales_;
  std::vector<std::uint32_t> slots_;  ///< empty: signs are not coded
  BlockIndex index_;
};

std::vector<std::uint8_t> packSigns(std::span<const float> differences) {
  std::vector<std::uint8_t> signs(ceilDivide(differences.size(), std::size_t{8}));
  for (std::size_t i = 0; i < differences.size(); ++i) {
    signs[i / 8] = static_cast<std::uint8_t>(signs[i / 8] | (differences[i] >= 0) << (i % 8));
  }
  return signs;
}

/// The table of the bytes, where coding them saves a percent; else nothing.
std::optional<FrequencyTable> tableOf(std::span<const std::uint8_t> signs) {
  std::array<std::uint32_t, kMaxAlphabet> counts{};
  for (const std::uint8_t byte : signs) ++counts[byte];
  FrequencyTable table = normalise(counts);
  ByteWriter written;
  writeTables(written, {&table, 1});
  const double bytes = codedBits(counts, table) / 8 + static_cast<double>(written.size()) + 256;
  if (bytes >= 0.99 * static_cast<double>(signs.size())) return std::nullopt;
  return table;
}

void writeBlocks(ByteWriter& out, const PartShape& shape, std::span<const std::uint8_t> signs,
                 const FrequencyTable* table, std::span<const std::byte> restored) {
  std::vector<kernels::RansEncoderEntry> entries;
  if (table != nullptr) entries = encoderTable({table, 1});
  // Blocks are whole bytes of signs: all but the last have 2^16 words or more.
  const unsigned log2 = goodBlockLog2(1);
  BlockIndexWriter index(log2);
  RansScratch scratch;
  const std::size_t step = std::size_t{1} << log2;
  for (std::size_t at = 0; at < shape.wordCount(); at += step) {
    const std::size_t n = std::min<std::size_t>(step, shape.wordCount() - at);
    const auto bytes = signs.subspan(at / 8, ceilDivide(n, std::size_t{8}));
    if (table != nullptr) {
      appendSymbolStream(entries, bytes, lanesFor(bytes.size()), scratch, index.blocks());
    } else {
      const auto raw = std::as_bytes(bytes);
      index.blocks().insert(index.blocks().end(), raw.begin(), raw.end());
    }
    index.endBlock(restored.subspan(at * shape.word.bytes, n * shape.word.bytes));
  }
  index.write(out);
}

}  // namespace

Result<LossyPart> encodeSign(const EncodeInput& input, const LossySettings& settings) {
  STRATA_TRY(const PartValues values, loadValues(input));
  STRATA_TRY(const auto differences, differencesOf(values));
  const bool byRow = settings.rowScales;
  const Scales scales = measureScales(input.shape, differences, byRow);
  const auto signs = packSigns(differences);
  std::vector<float> steps(differences.size());
  scales.apply(0, signs.data(), steps.size(), steps.data());
  LossyPart part;
  part.restored.resize(input.words.size());
  addToParent(values.kind, input.parent, steps, part.restored);
  STRATA_TRY(requireFinite(input.shape, part.restored));
  const auto table = tableOf(signs);
  ByteWriter out;
  out.byte(static_cast<std::uint8_t>((byRow ? kRowScales : 0) | (table ? kCodedSigns : 0)));
  writeScales(out, scales, byRow);
  if (table) writeTables(out, {&*table, 1});
  writeBlocks(out, input.shape, signs, table ? &*table : nullptr, part.restored);
  part.payload = out.take();
  return part;
}

Result<std::unique_ptr<PartDecoder>> openSign(const PartShape& shape,
                                              std::span<const std::byte> payload) {
  const auto kind = predictableKind(shape.word);
  if (!kind) return damaged("kind of words");
  ByteReader in(payload);
  const unsigned flags = in.byte();
  if (in.failed() || flags > (kRowScales | kCodedSigns)) return damaged("flag byte");
  STRATA_TRY(Scales scales, readScales(in, shape, (flags & kRowScales) != 0));
  std::vector<std::uint32_t> slots;
  if ((flags & kCodedSigns) != 0) {
    const auto tables = readTables(in, 1, kMaxAlphabet);
    if (!tables) return damaged("frequency table");
    slots = decoderTable(*tables);
  }
  STRATA_TRY(BlockIndex index, BlockIndex::read(in, shape));
  return std::make_unique<SignDecoder>(*kind, std::move(scales), std::move(slots),
                                       std::move(index));
}

}  // namespace strata
