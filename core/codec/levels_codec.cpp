#include "core/codec/levels_codec.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "core/codec/block_index.h"
#include "core/codec/coarse_factors.h"
#include "core/codec/device_form.h"
#include "core/codec/level_quantizer.h"
#include "core/codec/level_stream.h"
#include "core/codec/lossy_words.h"
#include "core/codec/reconstruction.h"

namespace strata {
namespace {

constexpr unsigned kBlockLog2 = 20;
constexpr std::size_t kPieceWords = 4096;
constexpr std::uint32_t kMostTableLevels = 127;

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
float bf16Value(std::uint16_t word) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(word) << 16);
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
  table.values.assign(2 * most + 1, 0.0F);
  for (std::size_t i = isUniform ? most + 1 : 0; i < table.values.size(); ++i) {
    table.values[i] = bf16Value(in.fixed<std::uint16_t>());
    if (isUniform) table.values[2 * most - i] = -table.values[i];
  }
  if (isUniform) table.step = bf16Value(in.fixed<std::uint16_t>());
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

  Result<void> decodeBlock(std::uint64_t index, std::span<const std::byte> parent,
                           std::span<std::byte> out) const override {
    const auto count = static_cast<std::size_t>(index_.wordsIn(index));
    auto stream = openRansStream(index_.block(index), lanesFor(count));
    if (!stream) return damaged("size of a block");
    const std::uint64_t first = index * index_.blockWords();
    const std::size_t wordBytes = shape_.word.bytes;
    for (std::size_t at = 0; at < count; at += kPieceWords) {
      const std::size_t n = std::min(kPieceWords, count - at);
      const auto words = [&](auto bytes) { return bytes.subspan(at * wordBytes, n * wordBytes); };
      decodePiece(*stream, first + at, parent.empty() ? parent : words(parent), words(out), n);
    }
    if (!endedClean(*stream)) return damaged("end of a block");
    return index_.check(index, out);
  }

  const BlockIndex* deviceBlocks() const noexcept override { return &index_; }

  kernels::DevicePart deviceForm(DeviceInput& input) const override {
    kernels::DevicePart part = deviceFormOf(shape_, kernels::DeviceCoding::Levels, hasParent_);
    describeSymbols(header_.tables, header_.terms, input, part);
    describeFactors(header_.factors, input, part);
    part.valuesAt = input.add(std::span(header_.table.values));
    part.most = static_cast<std::int32_t>(header_.table.most());
    part.isUniform = header_.table.isUniform;
    part.step = header_.table.step;
    return part;
  }

 private:
  void decodePiece(kernels::RansDecoder& stream, std::uint64_t first,
                   std::span<const std::byte> parent, std::span<std::byte> out,
                   std::size_t count) const {
    alignas(64) float values[kPieceWords];
    alignas(64) std::uint8_t contexts[kPieceWords];
    alignas(64) std::uint32_t levels[kPieceWords];
    const std::span<float> piece(values, count);
    if (parent.empty()) std::fill(piece.begin(), piece.end(), 0.0F);
    widenWords(kind_, parent, values);
    levelContexts(shape_, header_.terms, first, {contexts, count});
    for (std::size_t i = 0; i < count; ++i) contexts[i] = header_.tables.map[contexts[i]];
    kernels::bestKernels().decodeDeltas(stream, header_.tables.slots.data(), contexts, count,
                                        levels);
    addFactors(header_.factors, shape_, first, piece);
    kernels::bestKernels().addLevels(values, levels, header_.table.view(), count);
    narrowWords(kind_, piece, out);
  }

  PartShape shape_;
  bool hasParent_;
  kernels::FloatKind kind_;
  Header header_;
  BlockIndex index_;
};

Result<void> checkSettings(const LossySettings& settings) {
  if (settings.levelCount > kMostTableLevels) {
    return fail(ErrorCode::InvalidArgument, fmt::format("{} levels, expected {} at most",
                                                        settings.levelCount, kMostTableLevels));
  }
  if (settings.levelCount == 0 && !(settings.step > 0 && std::isfinite(settings.step))) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("step is {}, expected a positive number", settings.step));
  }
  return {};
}

}  // namespace

Result<LossyPart> encodeLevels(const EncodeInput& input, const LossySettings& settings) {
  STRATA_TRY(checkSettings(settings));
  const PartShape& shape = input.shape;
  STRATA_TRY(std::vector<float> rest, differencesOf(input));
  const CoarseFactors factors = takeCoarseFactors(shape, rest, settings.rank, settings.factorStep);
  const QuantizedLevels q = quantizeLevels(shape, rest, settings);
  LevelStreamEncoder stream(LevelSymbols(q.levels), q.contexts);
  const TableSet tables = buildTableSet(stream.counts());
  ByteWriter out;
  out.byte(static_cast<std::uint8_t>(
      (factors.rank() != 0 ? kHasFactors : 0) | (q.terms.rows.empty() ? 0 : kHasRowTerms) |
      (q.terms.columns.empty() ? 0 : kHasColumnTerms) | (q.table.isUniform ? kIsUniform : 0)));
  if (factors.rank() != 0) writeCoarseFactors(out, factors);
  writeLevelTable(out, q.table);
  writeTerms(out, q.terms);
  writeTableSet(out, tables);
  std::vector<float> values = valuesOf(shape, input.parent);
  addFactors(widened(factors, shape), shape, 0, values);
  kernels::bestKernels().addLevels(values.data(),
                                   reinterpret_cast<const std::uint32_t*>(q.levels.data()),
                                   q.table.view(), values.size());
  LossyPart part;
  part.restored.resize(shape.byteCount());
  narrowWords(*predictableKind(shape.word), values, part.restored);
  STRATA_TRY(requireFinite(shape, part.restored));
  const auto entries = encoderTable(tables.tables);
  BlockIndexWriter index(kBlockLog2);
  const std::size_t step = std::size_t{1} << kBlockLog2;
  for (std::size_t at = 0; at < q.levels.size(); at += step) {
    const std::size_t n = std::min(step, q.levels.size() - at);
    stream.append(tables, entries, at, n, index.blocks());
    index.endBlock(std::span(part.restored).subspan(at * shape.word.bytes, n * shape.word.bytes));
  }
  index.write(out);
  part.payload = out.take();
  return part;
}

Result<std::unique_ptr<PartDecoder>> openLevels(const PartShape& shape,
                                                std::span<const std::byte> payload,
                                                bool hasParent) {
  if (!isQuantizable(shape.word)) return damaged("word type");
  ByteReader in(payload);
  STRATA_TRY(Header header, readHeader(in, shape));
  STRATA_TRY(BlockIndex index, BlockIndex::read(in, shape));
  return std::make_unique<LevelsDecoder>(shape, hasParent, std::move(header), std::move(index));
}

}  // namespace strata
