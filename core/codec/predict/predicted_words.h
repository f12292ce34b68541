#pragma once

#include <algorithm>
#include <span>

#include "core/codec/exact/delta_words.h"
#include "core/codec/words/word_buffer.h"

namespace strata {

/// A part's parent words as differences are taken to them: predicted piece by piece, so that they
/// stay in the cache, but for low rank, which is worth keeping. Borrows all it is given.
template <typename Word>
class PredictedWords {
 public:
  PredictedWords(const DeltaWords<Word>& plain, const Predictor& predictor,
                 std::span<const Word> parent)
      : plain_(plain), predictor_(predictor), parent_(parent), isPlain_(plain.keeps(predictor)) {
    const bool isDear = predictor.lowRank.rank != 0 || predictor.wide.rank != 0;
    if (isDear) whole_ = {predicted(0, parent.size()), parent.size()};
  }

  std::size_t size() const noexcept { return parent_.size(); }
  const Predictor& predictor() const noexcept { return predictor_; }

  /// `count` words from word `first` on. Valid until the next call.
  const Word* at(std::uint64_t first, std::size_t count) const {
    if (isPlain_) return parent_.data() + first;
    return whole_.empty() ? predicted(first, count) : whole_.data() + first;
  }

 private:
  const Word* predicted(std::uint64_t first, std::size_t count) const {
    Word* const words = scratch_->first(count).data();
    std::copy_n(parent_.data() + first, count, words);
    plain_.predict(predictor_, first, words, count);
    return words;
  }

  const DeltaWords<Word>& plain_;
  const Predictor& predictor_;
  std::span<const Word> parent_;
  bool isPlain_;
  std::span<const Word> whole_;  ///< in `scratch_`
  mutable LentBuffer<Word> scratch_;
};

}  // namespace strata
