#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "core/codec/codec.h"
#include "core/codec/exact/scale_terms.h"
#include "core/codec/exact/table_set.h"
#include "core/codec/predict/predictor.h"
#include "kernels/cpu_kernels.h"
#include "kernels/part_words.h"

namespace strata {

/// Words handled at a time: all scratch stays in the first-level cache. A multiple of the lanes.
inline constexpr std::size_t kChunkWords = 4096;

/// What both directions of the difference coders do to words before the difference is taken: 8-bit
/// words are widened to 16 bits, the predictor runs, and `shift` low bits go.
template <typename Word>
class DeltaWords {
 public:
  DeltaWords(const PartShape& shape, unsigned shift, bool isXor) : shape_(shape), shift_(shift) {
    format_.mantissaBits = shape.word.isFloat ? shape.word.mantissaBits - shift : 0;
    format_.isFloat = shape.word.isFloat && !isXor;
    format_.isXor = isXor;
    termFormat_ = format_;
    termFormat_.isFloat = shape.word.isFloat;
  }

  /// For the kernels that take and apply differences.
  kernels::DeltaFormat format() const noexcept { return format_; }
  /// For the kernels that look at exponents.
  kernels::DeltaFormat termFormat() const noexcept { return termFormat_; }

  /// The bytes as words where they lie, if they are such words already and aligned; else null.
  const Word* viewed(std::span<const std::byte> bytes) const noexcept {
    const bool isAligned = reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(Word) == 0;
    const bool fits = shape_.word.bytes == sizeof(Word) && isAligned;
    return fits ? reinterpret_cast<const Word*>(bytes.data()) : nullptr;
  }

  void load(std::span<const std::byte> bytes, Word* out) const noexcept {
    if (shape_.word.bytes == sizeof(Word)) {
      if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
      return;
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      out[i] = kernels::widenedByte(std::to_integer<std::uint8_t>(bytes[i]), shape_.word.isFloat,
                                    shape_.word.isSigned);
    }
  }

  void store(const Word* words, std::span<std::byte> out) const noexcept {
    if (shape_.word.bytes == sizeof(Word)) {
      if (!out.empty()) std::memcpy(out.data(), words, out.size());
      return;
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto w = static_cast<std::uint16_t>(words[i]);
      out[i] = std::byte{kernels::narrowedByte(w, shape_.word.isFloat)};
    }
  }

  /// The parent's words without their low bits, rounded to nearest even.
  void roundShift(Word* words, std::size_t count) const noexcept {
    if (shift_ == 0) return;
    for (std::size_t i = 0; i < count; ++i) words[i] = kernels::roundedShift(words[i], shift_);
  }
  /// The variant's words without their low bits, which are zero.
  void dropShift(Word* words, std::size_t count) const noexcept {
    if (shift_ == 0) return;
    for (std::size_t i = 0; i < count; ++i) words[i] = kernels::droppedShift(words[i], shift_);
  }
  void unshift(Word* words, std::size_t count) const noexcept {
    if (shift_ == 0) return;
    for (std::size_t i = 0; i < count; ++i) words[i] = kernels::unshifted(words[i], shift_);
  }

  /// Calls `visit(row, first column, start, count)` for each piece of a row in
  /// [first, first + count) of the part's words; one call where rows make no difference.
  template <typename Visit>
  void forEachRow(std::uint64_t first, std::size_t count, bool rowsMatter, Visit&& visit) const {
    if (!rowsMatter) return visit(std::uint64_t{0}, std::uint64_t{0}, std::size_t{0}, count);
    std::uint64_t row = first / shape_.columns;
    std::uint64_t column = first % shape_.columns;
    for (std::size_t start = 0; start < count;) {
      const auto n =
          static_cast<std::size_t>(std::min<std::uint64_t>(count - start, shape_.columns - column));
      visit(row, column, start, n);
      start += n;
      ++row;
      column = 0;
    }
  }

  /// Whether parent words are their own prediction.
  bool keeps(const Predictor& predictor) const noexcept {
    return predictor.isNone() && shift_ == 0;
  }
  /// Words of further sources: where each of them lies, and the word to begin with.
  struct Further {
    std::span<const Word* const> sources = {};
    std::uint64_t first = 0;
  };

  /// Replaces parent words by their prediction.
  void predict(const Predictor& predictor, std::uint64_t first, Word* words, std::size_t count,
               const Further& further) const {
    if (!predictor.isNone()) {
      const auto kind = *predictableKind(shape_.word);
      std::array<const Word*, kMostFurther> from{};
      const FurtherWords<Word> sources = std::span(from).first(further.sources.size());
      forEachRow(
          first, count, predictor.knowsRows(),
          [&](std::uint64_t row, std::uint64_t column, std::size_t start, std::size_t n) {
            for (std::size_t s = 0; s < sources.size(); ++s) {
              from[s] = further.sources[s] + further.first + start;
            }
            predictor.predict<Word>(kind, row, column, {words + start, n}, sources, words + start);
          });
    }
    roundShift(words, count);
  }

  /// Contexts of predicted words, through `map`.
  void contexts(const ScaleTerms& terms, const std::array<std::uint8_t, kContexts>& map,
                std::uint64_t first, const Word* words, std::size_t count,
                std::uint8_t* out) const {
    const auto& kernel = kernels::bestKernels();
    const bool rowsMatter = !terms.rows.empty() || !terms.columns.empty();
    forEachRow(first, count, rowsMatter,
               [&](std::uint64_t row, std::uint64_t column, std::size_t start, std::size_t n) {
                 const std::int32_t term = terms.ofRow(row);
                 if (term == ScaleTerms::kDeadRow) {
                   std::fill_n(out + start, n, map[0]);
                   return;
                 }
                 const std::int16_t* columns = terms.ofColumns(column);
                 if constexpr (sizeof(Word) == 2) {
                   kernel.contexts16(words + start, columns, term, n, termFormat_, map.data(),
                                     out + start);
                 } else {
                   kernel.contexts32(words + start, columns, term, n, termFormat_, map.data(),
                                     out + start);
                 }
               });
  }

  void classify(const Word* parent, const Word* words, std::size_t count,
                kernels::DeltaCodes out) const noexcept {
    const auto& kernel = kernels::bestKernels();
    if constexpr (sizeof(Word) == 2) {
      kernel.classify16(parent, words, count, format_, out);
    } else {
      kernel.classify32(parent, words, count, format_, out);
    }
  }
  /// `out` may be `parent`.
  void apply(const Word* parent, const std::uint32_t* deltas, std::size_t count,
             Word* out) const noexcept {
    const auto& kernel = kernels::bestKernels();
    if constexpr (sizeof(Word) == 2) {
      kernel.apply16(parent, deltas, count, format_, out);
    } else {
      kernel.apply32(parent, deltas, count, format_, out);
    }
  }

 private:
  PartShape shape_;
  unsigned shift_;
  kernels::DeltaFormat format_{};
  kernels::DeltaFormat termFormat_{};
};

}  // namespace strata
