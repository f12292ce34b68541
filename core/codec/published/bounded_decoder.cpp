#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/codec/entropy/block_index.h"
#include "core/codec/entropy/rans_block.h"
#include "core/codec/lossy/lossy_words.h"
#include "core/codec/predict/predictor.h"
#include "core/codec/published/bounded_numbers.h"
#include "core/codec/published/dct.h"

namespace strata {
namespace {

constexpr unsigned kRowTerms = 1;
constexpr unsigned kColumnTerms = 2;
constexpr unsigned kDct = 4;

tl::unexpected<Error> damaged(std::string_view what) {
  return fail(ErrorCode::CorruptData, fmt::format("{} of a bounded payload is damaged", what));
}

class BoundedDecoder final : public PartDecoder {
 public:
  BoundedDecoder(const PartShape& shape, BoundedScheme scheme, TableSet tables, BlockIndex index)
      : shape_(shape),
        kind_(*predictableKind(shape.word)),
        scheme_(std::move(scheme)),
        tables_(std::move(tables)),
        index_(std::move(index)) {}

  std::uint64_t blockWords() const noexcept override { return index_.blockWords(); }

  Result<void> decodeBlock(std::uint64_t index, const BlockSources& sources,
                           std::span<std::byte> out) const override {
    ByteReader in(index_.block(index));
    const std::uint64_t exactBytes = in.varint();
    const auto exact = in.bytes(exactBytes);
    if (in.failed()) return damaged(fmt::format("block {}", index));
    const auto count = static_cast<std::size_t>(index_.wordsIn(index));
    auto decoder = openRansStream(in.rest(), lanesFor(count));
    if (!decoder) return damaged(fmt::format("block {}", index));
    const std::uint64_t first = index * index_.blockWords();
    for (std::size_t at = 0; at < count; at += kLossyChunkWords) {
      const std::size_t n = std::min(kLossyChunkWords, count - at);
      const std::size_t bytes = shape_.word.bytes;
      if (!decodeChunk(*decoder, first + at, sources.parent.subspan(at * bytes, n * bytes),
                       out.subspan(at * bytes, n * bytes), n)) {
        return damaged(fmt::format("a coefficient in block {}", index));
      }
    }
    if (!endedClean(*decoder) || !placeExactWords(exact, out)) {
      return damaged(fmt::format("block {}", index));
    }
    return index_.check(index, out);
  }

 private:
  bool decodeChunk(kernels::RansDecoder& decoder, std::uint64_t first,
                   std::span<const std::byte> parent, std::span<std::byte> out,
                   std::size_t count) const {
    std::uint8_t contexts[kLossyChunkWords];
    std::uint32_t numbers[kLossyChunkWords];
    std::int32_t values[kLossyChunkWords];
    std::int32_t sums[kLossyChunkWords];
    scheme_.contexts(shape_, tables_.map, first, count, contexts);
    kernels::bestKernels().decodeDeltas(decoder, tables_.slots.data(), contexts, count, numbers);
    std::memcpy(values, numbers, count * sizeof(std::int32_t));
    if (!scheme_.sums({values, count}, sums)) return false;
    addToParent(kind_, parent, {sums, count}, scheme_.scale, out);
    return true;
  }

  /// Words that are stored as they are: the distance from the one before, then the word.
  bool placeExactWords(std::span<const std::byte> bytes, std::span<std::byte> out) const {
    ByteReader in(bytes);
    const std::size_t wordBytes = shape_.word.bytes;
    const std::uint64_t count = out.size() / wordBytes;
    for (std::uint64_t next = 0; !in.rest().empty(); ++next) {
      const std::uint64_t gap = in.varint();
      const auto word = in.bytes(wordBytes);
      if (in.failed() || next >= count || gap >= count - next) return false;
      next += gap;
      std::memcpy(out.data() + next * wordBytes, word.data(), wordBytes);
    }
    return true;
  }

  PartShape shape_;
  kernels::FloatKind kind_;
  BoundedScheme scheme_;
  TableSet tables_;
  BlockIndex index_;
};

}  // namespace

void BoundedScheme::contexts(const PartShape& shape, const std::array<std::uint8_t, kContexts>& map,
                             std::uint64_t first, std::size_t count, std::uint8_t* out) const {
  if (method == BoundedMethod::Dct) {
    for (std::size_t i = 0; i < count; ++i) out[i] = map[i % kDctWords];
    return;
  }
  // Numbers have no exponent, so the words that contexts would be taken of do not matter.
  static constexpr std::uint32_t kNoWords[kLossyChunkWords] = {};
  const PartShape numbers{{.bytes = 4, .isSigned = true}, shape.rows, shape.columns};
  DeltaWords<std::uint32_t>(numbers, 0, false).contexts(terms, map, first, kNoWords, count, out);
}

bool BoundedScheme::sums(std::span<const std::int32_t> numbers, std::int32_t* out) const noexcept {
  if (method == BoundedMethod::Uniform) {
    std::copy(numbers.begin(), numbers.end(), out);
    return true;
  }
  for (std::size_t at = 0; at < numbers.size(); at += kDctWords) {
    const auto group = numbers.subspan(at, std::min<std::size_t>(kDctWords, numbers.size() - at));
    std::uint64_t sum = 0;
    for (const std::int32_t n : group) sum += n < 0 ? 0U - static_cast<std::uint32_t>(n) : n;
    if (sum > kMostDctSum) return false;
    if (group.size() == kDctWords) {
      inverseDct(group.data(), out + at);
    } else {
      for (std::size_t i = 0; i < group.size(); ++i) out[at + i] = group[i] * (1 << kDctShift);
    }
  }
  return true;
}

Result<std::unique_ptr<PartDecoder>> openBounded(const PartShape& shape,
                                                 std::span<const std::byte> payload) {
  if (!predictableKind(shape.word)) return damaged("kind of words");
  ByteReader in(payload);
  const unsigned flags = in.byte();
  const bool isDct = flags == kDct;
  BoundedScheme scheme;
  scheme.scale = in.fixed<float>();
  if (in.failed() || flags > kDct) return damaged("flag byte");
  if (!std::isfinite(scheme.scale) || scheme.scale <= 0) return damaged("step");
  if (isDct) {
    scheme.method = BoundedMethod::Dct;
  } else {
    auto terms = readTerms(in, shape, {(flags & kRowTerms) != 0, (flags & kColumnTerms) != 0});
    if (!terms) return damaged("list of scale terms");
    scheme.terms = std::move(*terms);
  }
  STRATA_TRY(TableSet tables, readTableSet(in, kBoundedAlphabet));
  STRATA_TRY(BlockIndex index, BlockIndex::read(in, shape));
  return std::make_unique<BoundedDecoder>(shape, std::move(scheme), std::move(tables),
                                          std::move(index));
}

}  // namespace strata
