#pragma once

#include <algorithm>
#include <span>

#include "core/codec/exact/delta_words.h"
#include "core/codec/words/word_buffer.h"

namespace strata {

/// A part's parent words as differences are taken to them: predicted piece by piece, so that they
/// stay in the cache, but for what is dear and worth keeping. Borrows all it is given.
template <typename Word>
class PredictedWords {
 public:
  /// `further`: the words of each source beside the parent, as many.
  PredictedWords(const DeltaWords<Word>& plain, const Predictor& predictor,
                 std::span<const Word> parent, std::span<const Word* const> further = {})
      : plain_(plain),
        predictor_(predictor),
        parent_(parent),
        further_(further),
        isPlain_(plain.keeps(predictor)) {
    const bool isCheap = predictor.isNone() || predictor.id() == PredictorId::Decay;
    if (!isCheap) whole_ = {predicted(0, parent.size()), parent.size()};
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
    plain_.predict(predictor_, first, words, count, {further_, first});
    return words;
  }

  const DeltaWords<Word>& plain_;
  const Predictor& predictor_;
  std::span<const Word> parent_;
  std::span<const Word* const> further_;
  bool isPlain_;
  std::span<const Word> whole_;  ///< in `scratch_`
  mutable LentBuffer<Word> scratch_;
};

}  // namespace strata
