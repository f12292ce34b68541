#include <fmt/format.h>

#include <utility>

#include "core/codec/entropy/block_index.h"
#include "core/codec/entropy/rans_block.h"
#include "core/codec/exact/delta_codec.h"
#include "core/codec/exact/sized_codec.h"
#include "core/codec/exact/sized_words.h"
#include "core/float_environment.h"

namespace strata {
namespace {

/// Header of a payload. docs/FORMAT.md, "Codec sized".
struct SizedHeader {
  bool isSigned = false;
  DecayedRows decay;
  LowRankFactors factors;
  ScaleTerms terms;
  TableSet tables;
};

tl::unexpected<Error> damagedSized(std::string_view what) {
  return fail(ErrorCode::CorruptData, fmt::format("{} of a sized payload is damaged", what));
}

Result<SizedHeader> readSizedHeader(ByteReader& in, const PartShape& shape, bool hasParent) {
  SizedHeader header;
  const std::uint8_t flags = in.byte();
  const bool decays = (flags & 8) != 0;
  if (in.failed() || flags > 31 || (decays && !hasParent)) return damagedSized("flag byte");
  header.isSigned = (flags & 4) != 0;
  if (decays) {
    auto read = readPredictor(in, PredictorId::Decay, shape);
    if (!read) return damagedSized("list of decayed rows");
    header.decay = std::get<DecayedRows>(std::move(read->form));
  }
  if ((flags & 16) != 0) {
    auto factors = readLowRank(in, shape);
    if (!factors) return damagedSized("low rank");
    header.factors = std::move(*factors);
  }
  auto terms = readTerms(in, shape, {(flags & 1) != 0, (flags & 2) != 0});
  if (!terms) return damagedSized("list of sizes");
  header.terms = std::move(*terms);
  STRATA_TRY(header.tables, readTableSet(in, deltaAlphabet(shape.word)));
  return header;
}

template <typename Word>
class SizedDecoder final : public PartDecoder {
 public:
  SizedDecoder(const PartShape& shape, SizedHeader header, BlockIndex index)
      : plain_(shape, 0, false),
        header_(std::move(header)),
        words_(shape, header_.isSigned, header_.decay, header_.factors, header_.terms),
        index_(std::move(index)) {}

  std::uint64_t blockWords() const noexcept override { return index_.blockWords(); }

  Result<void> decodeBlock(std::uint64_t index, const BlockSources& sources,
                           std::span<std::byte> out) const override {
    const auto count = static_cast<std::size_t>(index_.wordsIn(index));
    const bool needsParent = !header_.decay.palette.empty();
    if (needsParent && sources.parent.size() != out.size()) {
      return fail(ErrorCode::InvalidArgument, "words of the parent are missing");
    }
    auto decoder = openRansStream(index_.block(index), lanesFor(count));
    if (!decoder) return fail(ErrorCode::CorruptData, fmt::format("block {} is too short", index));
    const DefaultFloatEnvironment environment;
    const std::uint64_t first = index * index_.blockWords();
    for (std::size_t at = 0; at < count; at += kChunkWords) {
      const std::size_t n = std::min(kChunkWords, count - at);
      const auto piece = [&](auto bytes) {
        return bytes.subspan(at * sizeof(Word), n * sizeof(Word));
      };
      decodeChunk(*decoder, first + at,
                  needsParent ? piece(sources.parent) : std::span<const std::byte>(), piece(out));
    }
    if (!endedClean(*decoder)) {
      return fail(ErrorCode::CorruptData, fmt::format("block {} does not end cleanly", index));
    }
    return index_.check(index, out);
  }

 private:
  void decodeChunk(kernels::RansDecoder& decoder, std::uint64_t first,
                   std::span<const std::byte> parentBytes, std::span<std::byte> out) const {
    alignas(64) Word parent[kChunkWords];
    alignas(64) std::uint32_t deltas[kChunkWords];
    SizedPiece<Word> piece;
    const std::size_t count = out.size() / sizeof(Word);
    plain_.load(parentBytes, parent);
    words_.predict(header_.tables.map, first, parent, count, piece);
    kernels::bestKernels().decodeDeltas(decoder, header_.tables.slots.data(), piece.contexts, count,
                                        deltas);
    words_.apply(piece, deltas, count);
    plain_.store(piece.expected, out);
  }

  DeltaWords<Word> plain_;
  SizedHeader header_;
  SizedWords<Word> words_;
  BlockIndex index_;
};

}  // namespace

bool sizedCodable(const WordFormat& word) noexcept { return predictableKind(word).has_value(); }

Result<std::unique_ptr<PartDecoder>> openSized(const PartShape& shape,
                                               std::span<const std::byte> payload, bool hasParent) {
  if (!sizedCodable(shape.word)) return damagedSized("type of the words");
  ByteReader in(payload);
  STRATA_TRY(SizedHeader header, readSizedHeader(in, shape, hasParent));
  STRATA_TRY(BlockIndex index, BlockIndex::read(in, shape));
  std::unique_ptr<PartDecoder> decoder;
  if (shape.word.bytes == 4) {
    decoder =
        std::make_unique<SizedDecoder<std::uint32_t>>(shape, std::move(header), std::move(index));
  } else {
    decoder =
        std::make_unique<SizedDecoder<std::uint16_t>>(shape, std::move(header), std::move(index));
  }
  return decoder;
}

}  // namespace strata
