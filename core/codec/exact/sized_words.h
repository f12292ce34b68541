#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "core/codec/exact/delta_words.h"
#include "core/codec/exact/sized_codec.h"
#include "core/codec/predict/low_rank.h"

namespace strata {

/// What is known of some words before they are decoded.
template <typename Word>
struct SizedPiece {
  alignas(64) Word expected[kChunkWords];  ///< turned
  alignas(64) Word centre[kChunkWords];    ///< by the factors
  alignas(64) std::uint8_t contexts[kChunkWords];
  alignas(64) std::uint8_t isCentred[kChunkWords];  ///< differences are to `centre`
};

/// What both directions of the codec `sized` do to words. Its contexts: dead rows, rows that decay,
/// words of whole and of half octaves, and words that the factors tell, by how well.
template <typename Word>
class SizedWords {
 public:
  static constexpr std::size_t kDead = 0;
  static constexpr std::size_t kDecayed = 1;
  static constexpr std::size_t kSized = 2;
  static constexpr std::size_t kCentred = 4;
  static constexpr std::int32_t kMostAbove = 27;

  /// Borrows the lists.
  SizedWords(const PartShape& shape, bool isSigned, const DecayedRows& decay,
             const LowRankFactors& factors, const ScaleTerms& terms)
      : plain_(shape, 0, false),
        kind_(*predictableKind(shape.word)),
        unit_(shape.word.mantissaBits - 1),
        most_((1 << (8 * sizeof(Word) - 1 - unit_)) - 1),
        turn_(isSigned ? 1U : 0U),
        decay_(decay),
        factors_(factors),
        terms_(terms) {}

  bool hasFactors() const noexcept { return factors_.rank != 0; }

  /// Words with their signs lowest, where there are both.
  void turn(Word* words, std::size_t count) const noexcept {
    if (turn_ == 0) return;
    for (std::size_t i = 0; i < count; ++i) {
      words[i] = static_cast<Word>(words[i] << 1 | words[i] >> (8 * sizeof(Word) - 1));
    }
  }
  void turnBack(Word* words, std::size_t count) const noexcept {
    if (turn_ == 0) return;
    for (std::size_t i = 0; i < count; ++i) {
      words[i] = static_cast<Word>(words[i] >> 1 | words[i] << (8 * sizeof(Word) - 1));
    }
  }

  /// What words from `first` on are expected to be, turned, and their contexts. `parent` may be
  /// null where no row decays.
  void predict(const std::array<std::uint8_t, kContexts>& map, std::uint64_t first,
               const Word* parent, std::size_t count, SizedPiece<Word>& piece) const {
    if (hasFactors()) std::fill_n(piece.isCentred, count, std::uint8_t{0});
    plain_.forEachRow(
        first, count, true,
        [&](std::uint64_t row, std::uint64_t column, std::size_t start, std::size_t n) {
          const std::uint8_t code = decay_.palette.empty() ? std::uint8_t{0} : decay_.palette[row];
          const std::int32_t term = terms_.ofRow(row);
          if (code != 0) {
            decayed({parent + start, n}, decay_.factors[code - 1U], piece.expected + start);
            std::fill_n(piece.contexts + start, n, map[kDecayed]);
          } else if (term == ScaleTerms::kDeadRow) {
            std::fill_n(piece.expected + start, n, Word{0});
            std::fill_n(piece.contexts + start, n, map[kDead]);
          } else if (!hasFactors()) {
            sized(map, term, terms_.ofColumns(column), n, piece.expected + start,
                  piece.contexts + start);
          } else {
            addLowRank<Word>(factors_, kind_, row, column, std::span(kZeros).first(n),
                             piece.centre + start);
            sized(map, term, terms_.ofColumns(column), n, piece.expected + start,
                  piece.contexts + start);
            centred(map, term, terms_.ofColumns(column), start, n, piece);
          }
        });
  }

  /// Of turned words, or as `floats` of words as they are.
  void classify(const Word* predicted, const Word* words, std::size_t count, bool floats,
                kernels::DeltaCodes out) const noexcept {
    const auto& kernel = kernels::bestKernels();
    if constexpr (sizeof(Word) == 2) {
      kernel.classify16(predicted, words, count, formatOf(floats), out);
    } else {
      kernel.classify32(predicted, words, count, formatOf(floats), out);
    }
  }

  /// The words that differ so from what was expected of them, in `piece.expected`.
  void apply(SizedPiece<Word>& piece, const std::uint32_t* deltas,
             std::size_t count) const noexcept {
    applyTo(piece.expected, deltas, count, false);
    turnBack(piece.expected, count);
    if (!hasFactors()) return;
    applyTo(piece.centre, deltas, count, true);
    for (std::size_t i = 0; i < count; ++i) {
      piece.expected[i] = piece.isCentred[i] != 0 ? piece.centre[i] : piece.expected[i];
    }
  }

  /// Half octaves of a word's size; 0 for zeros and the smallest.
  std::int32_t halfOctaves(Word word) const noexcept {
    return static_cast<std::int32_t>(static_cast<Word>(word & kMagnitude) >> unit_);
  }
  static constexpr Word kMagnitude = static_cast<Word>(static_cast<Word>(~Word{0}) >> 1);

 private:
  static constexpr std::array<Word, kChunkWords> kZeros{};

  kernels::DeltaFormat formatOf(bool floats) const noexcept {
    return {floats ? unit_ + 1 : 0, floats, false};
  }

  void applyTo(Word* words, const std::uint32_t* deltas, std::size_t count,
               bool floats) const noexcept {
    const auto& kernel = kernels::bestKernels();
    if constexpr (sizeof(Word) == 2) {
      kernel.apply16(words, deltas, count, formatOf(floats), words);
    } else {
      kernel.apply32(words, deltas, count, formatOf(floats), words);
    }
  }

  std::int32_t boundedSize(std::int32_t term, const std::int16_t* columns,
                           std::size_t i) const noexcept {
    return std::clamp(columns == nullptr ? term : term + columns[i], 0, most_);
  }

  void decayed(std::span<const Word> parent, float factor, Word* out) const noexcept {
    const auto& kernel = kernels::bestKernels();
    if constexpr (sizeof(Word) == 2) {
      kernel.decay16(parent.data(), factor, kind_, parent.size(), out);
    } else {
      kernel.decay32(parent.data(), factor, parent.size(), out);
    }
    turn(out, parent.size());
  }

  void sized(const std::array<std::uint8_t, kContexts>& map, std::int32_t term,
             const std::int16_t* columns, std::size_t count, Word* out,
             std::uint8_t* contexts) const noexcept {
    const std::uint8_t pair[2] = {map[kSized], map[kSized + 1]};
    for (std::size_t i = 0; i < count; ++i) {
      const auto bounded = static_cast<std::uint32_t>(boundedSize(term, columns, i));
      out[i] = static_cast<Word>(bounded << (unit_ + turn_));
      contexts[i] = pair[bounded & 1];
    }
  }

  /// Words whose factors say more than what is left is large.
  void centred(const std::array<std::uint8_t, kContexts>& map, std::int32_t term,
               const std::int16_t* columns, std::size_t start, std::size_t count,
               SizedPiece<Word>& piece) const noexcept {
    for (std::size_t i = 0; i < count; ++i) {
      const std::int32_t above =
          halfOctaves(piece.centre[start + i]) - boundedSize(term, columns, i);
      if (above <= 0) continue;
      piece.isCentred[start + i] = 1;
      piece.contexts[start + i] =
          map[kCentred + static_cast<std::size_t>(std::min(above - 1, kMostAbove))];
    }
  }

  DeltaWords<Word> plain_;
  kernels::FloatKind kind_;
  unsigned unit_;  ///< bits of a word below its half octaves
  std::int32_t most_;
  unsigned turn_;
  const DecayedRows& decay_;
  const LowRankFactors& factors_;
  const ScaleTerms& terms_;
};

}  // namespace strata
