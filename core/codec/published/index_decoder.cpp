#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/codec/entropy/block_index.h"
#include "core/codec/lossy/level_fit.h"
#include "core/codec/lossy/lossy_words.h"
#include "core/codec/predict/predictor.h"
#include "core/codec/published/index_book.h"
#include "core/codec/published/index_changes.h"
#include "core/codec/published/index_codec.h"
#include "core/codec/words/bfloat.h"

namespace strata {
namespace {

constexpr unsigned kRansFlag = 1;
constexpr unsigned kOnLevelsFlag = 2;

tl::unexpected<Error> damaged(std::string_view what) {
  return fail(ErrorCode::CorruptData, fmt::format("{} of an index payload is damaged", what));
}

template <typename Codes>
class IndexDecoder final : public PartDecoder {
 public:
  IndexDecoder(kernels::FloatKind kind, IndexBook parentBook, std::vector<float> levels,
               Codes codes, BlockIndex index)
      : kind_(kind),
        parentBook_(std::move(parentBook)),
        levels_(std::move(levels)),
        codes_(std::move(codes)),
        index_(std::move(index)) {}

  std::uint64_t blockWords() const noexcept override { return index_.blockWords(); }

  Result<void> decodeBlock(std::uint64_t index, const BlockSources& sources,
                           std::span<std::byte> out) const override {
    const auto count = static_cast<std::size_t>(index_.wordsIn(index));
    ByteReader in(index_.block(index));
    const auto coded = in.bytes(in.varint());
    if (in.failed()) return damaged(fmt::format("block {}", index));
    std::vector<float> values(count);
    widenWords(kind_, sources.parent, values.data());
    std::vector<std::uint8_t> indices(count);
    parentBook_.indices(values, indices.data());
    GroupedChanges groups = emptyGroups(indices, parentBook_.indexCount());
    const unsigned bins = binsOf(parentBook_.indexCount(), indexCount());
    if (!codes_.decode(coded, bins, groups))
      return damaged(fmt::format("changes in block {}", index));
    ungroupChanges(groups, indices, bins, indices.data());
    if (!fillValues(indices, in.rest(), values)) {
      return damaged(fmt::format("an index or a protected word in block {}", index));
    }
    narrowWords(kind_, values, out);
    return index_.check(index, out);
  }

 private:
  unsigned indexCount() const { return kFirstLevel + static_cast<unsigned>(levels_.size()); }

  /// The values of level indices; `apart` are the protected ones as bf16.
  bool fillValues(std::span<const std::uint8_t> indices, std::span<const std::byte> apart,
                  std::span<float> values) const {
    std::size_t at = 0;
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if (indices[i] >= indexCount()) return false;
      if (indices[i] == kProtectedIndex) {
        if (apart.size() - at < sizeof(std::uint16_t)) return false;
        std::uint16_t word = 0;
        std::memcpy(&word, apart.data() + at, sizeof word);
        values[i] = floatOfBfloat(word);
        at += sizeof word;
      } else {
        values[i] = indices[i] == kPrunedIndex ? 0 : levels_[indices[i] - kFirstLevel];
      }
    }
    return at == apart.size();
  }

  kernels::FloatKind kind_;
  IndexBook parentBook_;
  std::vector<float> levels_;
  Codes codes_;
  BlockIndex index_;
};

Result<IndexBook> readBook(ByteReader& in, bool onLevels) {
  IndexBook book;
  if (onLevels) {
    book.kind = BookKind::Levels;
  } else {
    book.pruneBelow = in.fixed<float>();
    book.protectAbove = in.fixed<float>();
    const bool isGood =
        std::isfinite(book.pruneBelow) && book.pruneBelow >= 0 && book.protectAbove >= 0;
    if (in.failed() || !isGood) return damaged("thresholds");
  }
  STRATA_TRY(book.levels, readLevels(in));
  book.edges = levelEdges(book.levels);
  return book;
}

/// The rest of a payload, once its codes are read.
template <typename Codes>
Result<std::unique_ptr<PartDecoder>> open(ByteReader& in, const PartShape& shape, IndexBook book,
                                          std::vector<float> levels, std::optional<Codes> codes) {
  if (!codes) return damaged("list of codes");
  STRATA_TRY(BlockIndex index, BlockIndex::read(in, shape));
  return std::make_unique<IndexDecoder<Codes>>(*predictableKind(shape.word), std::move(book),
                                               std::move(levels), std::move(*codes),
                                               std::move(index));
}

}  // namespace

Result<std::unique_ptr<PartDecoder>> openIndex(const PartShape& shape,
                                               std::span<const std::byte> payload) {
  if (!predictableKind(shape.word)) return damaged("kind of words");
  ByteReader in(payload);
  const unsigned flags = in.byte();
  if (in.failed() || flags > (kRansFlag | kOnLevelsFlag)) return damaged("flag byte");
  STRATA_TRY(IndexBook book, readBook(in, (flags & kOnLevelsFlag) != 0));
  STRATA_TRY(std::vector<float> levels, readLevels(in));
  const unsigned bins =
      binsOf(book.indexCount(), kFirstLevel + static_cast<unsigned>(levels.size()));
  const unsigned groups = book.indexCount();
  if ((flags & kRansFlag) != 0) {
    auto codes = RansCodes::read(in, groups, bins);
    return open(in, shape, std::move(book), std::move(levels), std::move(codes));
  }
  auto codes = RunCodes::read(in, groups);
  return open(in, shape, std::move(book), std::move(levels), std::move(codes));
}

}  // namespace strata
