#include <fmt/format.h>

#include <array>

#include "core/codec/device/device_form.h"
#include "core/codec/entropy/block_index.h"
#include "core/codec/entropy/rans_block.h"
#include "core/codec/exact/delta_codec.h"
#include "core/codec/exact/delta_words.h"
#include "core/codec/words/word_buffer.h"

namespace strata {
namespace {

/// Header of a difference payload. docs/FORMAT.md, "Difference payload".
struct DeltaHeader {
  unsigned shift = 0;
  Predictor predictor;
  ScaleTerms terms;
  std::shared_ptr<const TableSet> tables;
};

tl::unexpected<Error> damaged(std::string_view what) {
  return fail(ErrorCode::CorruptData, fmt::format("{} of a difference payload is damaged", what));
}

Result<std::shared_ptr<const TableSet>> readTablesOf(ByteReader& in, const PartShape& shape,
                                                     bool isShared, const SharedTables& shared) {
  if (!isShared) {
    STRATA_TRY(TableSet own, readTableSet(in, deltaAlphabet(shape.word)));
    return std::make_shared<const TableSet>(std::move(own));
  }
  const std::uint64_t index = in.varint();
  if (in.failed() || index >= shared.size()) return damaged("number of the shared tables");
  const auto& set = shared[static_cast<std::size_t>(index)];
  if (set->tables.front().size() != deltaAlphabet(shape.word)) {
    return damaged("kind of the shared tables");
  }
  return set;
}

Result<DeltaHeader> readHeader(ByteReader& in, const PartShape& shape, const SharedTables& shared) {
  DeltaHeader header;
  const std::uint8_t flags = in.byte();
  header.shift = in.byte();
  const auto predictorId = static_cast<PredictorId>(in.byte());
  if (in.failed() || flags > 7) return damaged("flag byte");
  const unsigned mostShift = shape.word.isFloat ? shape.word.mantissaBits : 0;
  if (header.shift > mostShift || (header.shift != 0 && shape.word.bytes == 1)) {
    return damaged("shift");
  }
  auto predictor = readPredictor(in, predictorId, shape);
  if (!predictor) return damaged("predictor");
  header.predictor = std::move(*predictor);
  auto terms = readTerms(in, shape, {(flags & 1) != 0, (flags & 2) != 0});
  if (!terms) return damaged("list of scale terms");
  header.terms = std::move(*terms);
  STRATA_TRY(header.tables, readTablesOf(in, shape, (flags & 4) != 0, shared));
  return header;
}

template <typename Word>
class DeltaDecoder final : public PartDecoder {
 public:
  DeltaDecoder(CodecId codec, const PartShape& shape, DeltaHeader header, BlockIndex index)
      : shape_(shape),
        words_(shape, header.shift, codec == CodecId::Xor),
        header_(std::move(header)),
        index_(std::move(index)) {}

  std::uint64_t blockWords() const noexcept override { return index_.blockWords(); }

  Result<void> decodeBlock(std::uint64_t index, const BlockSources& sources,
                           std::span<std::byte> out) const override {
    const auto count = static_cast<std::size_t>(index_.wordsIn(index));
    if (sources.further.size() + 1 != header_.predictor.sourceCount()) {
      return fail(ErrorCode::InvalidArgument, "words of some sources are missing");
    }
    auto decoder = openRansStream(index_.block(index), lanesFor(count));
    if (!decoder) return fail(ErrorCode::CorruptData, fmt::format("block {} is too short", index));
    const std::uint64_t first = index * index_.blockWords();
    const std::size_t wordBytes = shape_.word.bytes;
    for (std::size_t at = 0; at < count; at += kChunkWords) {
      const std::size_t n = std::min(kChunkWords, count - at);
      decodeChunk(*decoder, first + at, sources, at * wordBytes,
                  out.subspan(at * wordBytes, n * wordBytes), n);
    }
    if (!endedClean(*decoder)) {
      return fail(ErrorCode::CorruptData, fmt::format("block {} does not end cleanly", index));
    }
    return index_.check(index, out);
  }

  /// Devices have no kernel that takes several sources.
  const BlockIndex* deviceBlocks() const noexcept override {
    return header_.predictor.sourceCount() > 1 ? nullptr : &index_;
  }

  kernels::DevicePart deviceForm(DeviceInput& input) const override {
    const CodecId codec = words_.format().isXor ? CodecId::Xor : CodecId::Integer;
    kernels::DevicePart part =
        deltaFormOf(shape_, {codec, header_.shift, header_.predictor, header_.terms}, input);
    describeTables(*header_.tables, input, part);
    return part;
  }

 private:
  /// Words of the sources begin at byte `at`.
  void decodeChunk(kernels::RansDecoder& decoder, std::uint64_t first, const BlockSources& sources,
                   std::size_t at, std::span<std::byte> out, std::size_t count) const {
    alignas(64) Word words[kChunkWords];
    alignas(64) std::uint8_t contexts[kChunkWords];
    alignas(64) std::uint32_t deltas[kChunkWords];
    const std::size_t bytes = count * shape_.word.bytes;
    const std::span<const std::byte> parent = sources.parent.subspan(at, bytes);
    const Word* predicted = words_.viewed(parent);
    if (predicted == nullptr || !header_.predictor.isNone() || header_.shift != 0) {
      words_.load(parent, words);
      predict(first, words, count, sources.further, at);
      predicted = words;
    }
    words_.contexts(header_.terms, header_.tables->map, first, predicted, count, contexts);
    kernels::bestKernels().decodeDeltas(decoder, header_.tables->slots.data(), contexts, count,
                                        deltas);
    Word* const to = const_cast<Word*>(words_.viewed(out));
    Word* const applied = to == nullptr ? words : to;
    words_.apply(predicted, deltas, count, applied);
    words_.unshift(applied, count);
    if (to == nullptr) words_.store(words, out);
  }

  void predict(std::uint64_t first, Word* words, std::size_t count,
               std::span<const std::span<const std::byte>> further, std::size_t at) const {
    if (further.empty()) return words_.predict(header_.predictor, first, words, count, {});
    LentBuffer<Word> buffer;
    const std::span<Word> loaded = buffer->first(further.size() * count);
    std::array<const Word*, kMostFurther> from{};
    for (std::size_t s = 0; s < further.size(); ++s) {
      const auto bytes = further[s].subspan(at, count * shape_.word.bytes);
      from[s] = words_.viewed(bytes);
      if (from[s] != nullptr) continue;
      words_.load(bytes, loaded.data() + s * count);
      from[s] = loaded.data() + s * count;
    }
    words_.predict(header_.predictor, first, words, count,
                   {std::span(from).first(further.size()), 0});
  }

  PartShape shape_;
  DeltaWords<Word> words_;
  DeltaHeader header_;
  BlockIndex index_;
};

}  // namespace

std::size_t deltaAlphabet(const WordFormat& word) noexcept { return word.bytes == 4 ? 128 : 64; }

bool deltaCodable(const WordFormat& word) noexcept { return word.bytes <= 4; }

std::optional<Predictor> predictorOf(const PartShape& shape, std::span<const std::byte> payload) {
  ByteReader in(payload);
  in.bytes(2);  // flags and shift
  const auto id = static_cast<PredictorId>(in.byte());
  if (in.failed()) return std::nullopt;
  return readPredictor(in, id, shape);
}

Result<std::unique_ptr<PartDecoder>> openDelta(CodecId codec, const PartShape& shape,
                                               std::span<const std::byte> payload,
                                               std::size_t sourceCount,
                                               const SharedTables& shared) {
  if (!deltaCodable(shape.word)) return damaged("word size");
  ByteReader in(payload);
  STRATA_TRY(DeltaHeader header, readHeader(in, shape, shared));
  if (header.predictor.sourceCount() != sourceCount) {
    return fail(ErrorCode::CorruptData,
                fmt::format("predictor of a difference payload takes {} sources, the part has {}",
                            header.predictor.sourceCount(), sourceCount));
  }
  STRATA_TRY(BlockIndex index, BlockIndex::read(in, shape));
  if (sourceCount > 1 && index.blockWords() != std::uint64_t{1} << kMinBlockLog2) {
    return damaged("size of blocks with several sources");
  }
  std::unique_ptr<PartDecoder> decoder;
  if (shape.word.bytes == 4) {
    decoder = std::make_unique<DeltaDecoder<std::uint32_t>>(codec, shape, std::move(header),
                                                            std::move(index));
  } else {
    decoder = std::make_unique<DeltaDecoder<std::uint16_t>>(codec, shape, std::move(header),
                                                            std::move(index));
  }
  return decoder;
}

}  // namespace strata
