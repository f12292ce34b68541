#include "core/codec/lossy/levels_codec.h"

#include <fmt/format.h>

#include <bit>
#include <cassert>
#include <cmath>

#include "core/codec/device/device_form.h"
#include "core/codec/entropy/block_index.h"
#include "core/codec/lossy/coarse_factors.h"
#include "core/codec/lossy/level_quantizer.h"
#include "core/codec/lossy/level_stream.h"
#include "core/codec/lossy/lossy_words.h"
#include "core/codec/lossy/reconstruction.h"
#include "core/codec/lossy/short_levels.h"
#include "core/codec/words/bfloat.h"

namespace strata {
namespace {

constexpr unsigned kBlockLog2 = 20;
constexpr std::size_t kPieceWords = 4096;
constexpr std::uint32_t kMostTableLevels = 127;
/// Steps whose inverse and square are floats.
constexpr double kLeastStep = 0x1p-120;
constexpr double kMostStep = 0x1p60;

constexpr unsigned kHasFactors = 1;
constexpr unsigned kHasRowTerms = 2;
constexpr unsigned kHasColumnTerms = 4;
constexpr unsigned kIsUniform = 8;
constexpr unsigned kAllFlags = 15;

tl::unexpected<Error> damaged(std::string_view what) {
  return fail(ErrorCode::CorruptData, fmt::format("{} of a level payload is damaged", what));
}

struct Header {
  LowRankFactors factors;
  LevelTable table;
  ScaleTerms terms;
  TableSet tables;
};

std::uint16_t bf16Word(float value) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16);
}

/// A uniform table holds its positive half and the step, any other all of its values.
void writeLevelTable(ByteWriter& out, const LevelTable& table) {
  const std::uint32_t most = table.most();
  out.byte(static_cast<std::uint8_t>(most));
  const std::size_t first = table.isUniform ? most + 1 : 0;
  for (std::size_t i = first; i < table.values.size(); ++i) {
    out.fixed(bf16Word(table.values[i]));
  }
  if (table.isUniform) out.fixed(bf16Word(table.step));
}

std::optional<LevelTable> readLevelTable(ByteReader& in, bool isUniform) {
  LevelTable table;
  table.isUniform = isUniform;
  const std::uint32_t most = in.byte();
  if (in.failed() || most > kMostTableLevels) return std::nullopt;
  table.values.assign(std::size_t{2} * most + 1, 0.0F);
  for (std::size_t i = isUniform ? most + 1 : 0; i < table.values.size(); ++i) {
    table.values[i] = floatOfBfloat(in.fixed<std::uint16_t>());
    if (isUniform) table.values[2 * most - i] = -table.values[i];
  }
  if (isUniform) table.step = floatOfBfloat(in.fixed<std::uint16_t>());
  for (const float value : table.values) {
    if (!std::isfinite(value)) return std::nullopt;
  }
  if (in.failed() || !std::isfinite(table.step)) return std::nullopt;
  return table;
}

Result<Header> readHeader(ByteReader& in, const PartShape& shape) {
  Header header;
  const std::uint8_t flags = in.byte();
  if (in.failed() || flags > kAllFlags) return damaged("flag byte");
  if ((flags & kHasFactors) != 0) {
    const auto factors = readCoarseFactors(in, shape);
    if (!factors) return damaged("list of factors");
    header.factors = widened(*factors, shape);
  }
  auto table = readLevelTable(in, (flags & kIsUniform) != 0);
  if (!table) return damaged("level table");
  header.table = std::move(*table);
  auto terms = readTerms(in, shape, {(flags & kHasRowTerms) != 0, (flags & kHasColumnTerms) != 0});
  if (!terms) return damaged("list of scale terms");
  header.terms = std::move(*terms);
  STRATA_TRY(header.tables, readTableSet(in, kLevelAlphabet));
  return header;
}

class LevelsDecoder final : public PartDecoder {
 public:
  LevelsDecoder(const PartShape& shape, bool hasParent, Header header, BlockIndex index)
      : shape_(shape),
        hasParent_(hasParent),
        kind_(*predictableKind(shape.word)),
        header_(std::move(header)),
        index_(std::move(index)) {}

  std::uint64_t blockWords() const noexcept override { return index_.blockWords(); }

  Result<void> decodeBlock(std::uint64_t index, const BlockSources& sources,
                           std::span<std::byte> out) const override {
    const auto count = static_cast<std::size_t>(index_.wordsIn(index));
    auto stream = openRansStream(index_.block(index), lanesFor(count));
    if (!stream) return damaged("size of a block");
    const std::uint64_t first = index * index_.blockWords();
    const std::size_t wordBytes = shape_.word.bytes;
    BlockChecksum checksum;
    for (std::size_t at = 0; at < count; at += kPieceWords) {
      const std::size_t n = std::min(kPieceWords, count - at);
      const auto words = [&](auto bytes) { return bytes.subspan(at * wordBytes, n * wordBytes); };
      decodePiece(*stream, first + at,
                  sources.parent.empty() ? sources.parent : words(sources.parent), words(out), n);
      checksum.add(words(out));
    }
    if (!endedClean(*stream)) return damaged("end of a block");
    return index_.check(index, checksum);
  }

  const BlockIndex* deviceBlocks() const noexcept override { return &index_; }

  kernels::DevicePart deviceForm(DeviceInput& input) const override {
    kernels::DevicePart part = deviceFormOf(shape_, kernels::DeviceCoding::Levels, hasParent_);
    describeSymbols(header_.tables, header_.terms, input, part);
    describeFactors(header_.factors, input, part);
    part.levels.valuesAt = input.add(std::span(header_.table.values));
    part.levels.most = static_cast<std::int32_t>(header_.table.most());
    part.levels.isUniform = header_.table.isUniform;
    part.levels.step = header_.table.step;
    return part;
  }

 private:
  void decodePiece(kernels::RansDecoder& stream, std::uint64_t first,
                   std::span<const std::byte> parent, std::span<std::byte> out,
                   std::size_t count) const {
    alignas(64) float values[kPieceWords];
    alignas(64) std::uint8_t contexts[kPieceWords];
    const std::span<float> piece(values, count);
    if (parent.empty()) std::fill(piece.begin(), piece.end(), 0.0F);
    widenWords(kind_, parent, values);
    addFactors(header_.factors, shape_, first, piece);
    levelContexts(shape_, header_.terms, first, header_.tables.map, {contexts, count});
    kernels::bestLevelKernels().decodeLevels(stream, header_.tables.slots.data(), contexts,
                                             header_.table.view(), count, values);
    narrowWords(kind_, piece, out);
  }

  PartShape shape_;
  bool hasParent_;
  kernels::FloatKind kind_;
  Header header_;
  BlockIndex index_;
};

/// The rANS streams of a part's levels.
class LevelBlockEncoder {
 public:
  LevelBlockEncoder(const PartShape& shape, const QuantizedLevels& q, const TableSet& tables)
      : shape_(shape), q_(q), tables_(tables), entries_(encoderTable(tables.tables)) {}

  /// Appends the stream of levels [first, first + count).
  void append(std::size_t first, std::size_t count, std::vector<std::byte>& out) {
    DeltaStreamEncoder stream(count, lanesFor(count), scratch_);
    for (std::size_t end = count; end > 0;) {
      const std::size_t at = (end - 1) / kPieceWords * kPieceWords;
      encodePiece(first + at, end - at, stream);
      end = at;
    }
    stream.appendTo(out);
  }

 private:
  void encodePiece(std::size_t first, std::size_t count, DeltaStreamEncoder& stream) {
    static constexpr std::uint32_t kZeros[kPieceWords] = {};
    alignas(64) std::uint8_t contexts[kPieceWords];
    alignas(64) std::int32_t levels[kPieceWords];
    alignas(64) std::uint8_t symbols[kPieceWords];
    alignas(64) std::uint32_t raw[kPieceWords];
    levelContexts(shape_, q_.terms, first, tables_.map, {contexts, count});
    q_.nonZero.write(first, {levels, count});
    kernels::bestKernels().classify32(kZeros, reinterpret_cast<const std::uint32_t*>(levels), count,
                                      {0, false, false}, {symbols, raw});
    [[maybe_unused]] const bool coded =
        stream.prepend(entries_, kLevelAlphabet, {contexts, count}, {symbols, raw});
    assert(coded);
  }

  PartShape shape_;
  const QuantizedLevels& q_;
  const TableSet& tables_;
  std::vector<kernels::RansEncoderEntry> entries_;
  RansScratch scratch_;
};

/// What a part's levels restore to.
class LevelRestorer {
 public:
  LevelRestorer(const EncodeInput& input, LowRankFactors factors, const QuantizedLevels& q)
      : input_(input),
        kind_(*predictableKind(input.shape.word)),
        factors_(std::move(factors)),
        q_(q) {}

  /// Writes words [first, first + count) of `restored`, the whole part, and gives their checksum.
  /// Fails with InvalidArgument if one is no finite number.
  Result<std::uint32_t> restore(std::size_t first, std::size_t count,
                                std::span<std::byte> restored) const {
    BlockChecksum checksum;
    for (std::size_t at = first; at < first + count; at += kPieceWords) {
      const auto piece = restorePiece(at, std::min(kPieceWords, first + count - at), restored);
      if (!requireFinite(input_.shape, piece)) {
        return tl::unexpected(
            requireFinite(input_.shape, restored.first(wordsEnd(piece, restored))).error());
      }
      checksum.add(piece);
    }
    return checksum.value();
  }

 private:
  static std::size_t wordsEnd(std::span<std::byte> piece, std::span<std::byte> whole) {
    return static_cast<std::size_t>(piece.data() - whole.data()) + piece.size();
  }

  std::span<std::byte> restorePiece(std::size_t first, std::size_t count,
                                    std::span<std::byte> restored) const {
    alignas(64) float values[kPieceWords];
    const std::span<float> piece(values, count);
    const std::size_t wordBytes = input_.shape.word.bytes;
    if (input_.parent.empty()) {
      std::fill(piece.begin(), piece.end(), 0.0F);
    } else {
      widenWords(kind_, input_.parent.subspan(first * wordBytes, count * wordBytes), values);
    }
    addFactors(factors_, input_.shape, first, piece);
    alignas(64) std::int32_t levels[kPieceWords];
    q_.nonZero.write(first, {levels, count});
    kernels::bestKernels().addLevels(values, reinterpret_cast<const std::uint32_t*>(levels),
                                     q_.table.view(), count);
    const auto out = restored.subspan(first * wordBytes, count * wordBytes);
    narrowWords(kind_, piece, out);
    return out;
  }

  EncodeInput input_;
  kernels::FloatKind kind_;
  LowRankFactors factors_;
  const QuantizedLevels& q_;
};

Result<void> checkSettings(const LossySettings& settings) {
  if (settings.levelCount > kMostTableLevels) {
    return fail(ErrorCode::InvalidArgument, fmt::format("{} levels, expected {} at most",
                                                        settings.levelCount, kMostTableLevels));
  }
  if (settings.levelCount == 0 && !std::isfinite(settings.step)) {
    return fail(ErrorCode::InvalidArgument,
                "holds infinities or values that are no numbers, so that no step fits");
  }
  if (settings.levelCount == 0 && !(settings.step >= kLeastStep && settings.step <= kMostStep)) {
    return fail(ErrorCode::InvalidArgument, fmt::format("step is {}, expected {:g} to {:g}",
                                                        settings.step, kLeastStep, kMostStep));
  }
  return {};
}

}  // namespace

Result<LossyPart> encodeLevels(const EncodeInput& input, const LossySettings& settings,
                               DeviceQuantizer* device) {
  const PartShape& shape = input.shape;
  LentBuffer<float> buffer;
  // First, since steps that are a share of words which are not finite are none.
  STRATA_TRY(const std::span<float> rest, differencesOf(input, *buffer));
  STRATA_TRY(checkSettings(settings));
  const CoarseFactors factors = takeCoarseFactors(shape, rest, settings);
  STRATA_TRY(const QuantizedLevels q, quantizeLevels(shape, rest, settings, device));
  const TableSet tables = buildTableSet(q.counts);
  ByteWriter out;
  out.byte(static_cast<std::uint8_t>(
      (factors.rank() != 0 ? kHasFactors : 0) | (q.terms.rows.empty() ? 0 : kHasRowTerms) |
      (q.terms.columns.empty() ? 0 : kHasColumnTerms) | (q.table.isUniform ? kIsUniform : 0)));
  if (factors.rank() != 0) writeCoarseFactors(out, factors);
  writeLevelTable(out, q.table);
  writeTerms(out, q.terms);
  writeTableSet(out, tables);
  LossyPart part;
  part.restored.resize(shape.byteCount());
  BlockIndexWriter index(kBlockLog2);
  LevelBlockEncoder encoder(shape, q, tables);
  LevelRestorer restorer(input, widened(factors, shape), q);
  const std::size_t step = std::size_t{1} << kBlockLog2;
  for (std::size_t at = 0; at < rest.size(); at += step) {
    const std::size_t n = std::min(step, rest.size() - at);
    encoder.append(at, n, index.blocks());
    STRATA_TRY(const std::uint32_t checksum, restorer.restore(at, n, part.restored));
    index.endBlock(checksum);
  }
  index.write(out);
  part.payload = out.take();
  const bool mayBeShort = q.table.isUniform && factors.rank() == 0 && shape.rows <= kMostShortRows;
  if (!mayBeShort) return part;
  std::vector<std::int32_t> levels(rest.size());
  q.nonZero.write(0, levels);
  LossyPart shorter = encodeShortLevels(input, levels, stepWithoutMeans(shape, rest, settings, q));
  const bool isRestored = requireFinite(shape, shorter.restored).has_value();
  return isRestored && shorter.payload.size() < part.payload.size() ? shorter : part;
}

Result<std::unique_ptr<PartDecoder>> openLevels(const PartShape& shape,
                                                std::span<const std::byte> payload,
                                                bool hasParent) {
  if (!isQuantizable(shape.word)) return damaged("word type");
  ByteReader in(payload);
  if (!payload.empty() && payload.front() == std::byte{kShortLevelsFlag}) {
    in.byte();
    return openShortLevels(shape, in);
  }
  STRATA_TRY(Header header, readHeader(in, shape));
  STRATA_TRY(BlockIndex index, BlockIndex::read(in, shape));
  return std::make_unique<LevelsDecoder>(shape, hasParent, std::move(header), std::move(index));
}

}  // namespace strata
