#pragma once

#include <optional>
#include <vector>

#include "core/codec/device/device_encoder.h"
#include "core/codec/entropy/block_index.h"
#include "core/codec/entropy/rans_block.h"
#include "core/codec/exact/delta_codec.h"
#include "core/codec/exact/delta_words.h"
#include "core/codec/predict/predicted_words.h"
#include "core/codec/words/word_buffer.h"

namespace strata {

/// Which words of a part are counted: `pieceWords` of every `stride` times as many.
struct DeltaSample {
  std::uint64_t pieceWords = kChunkWords;  ///< at most kChunkWords
  std::uint64_t stride = 1;
};

/// What becomes of the words that are handled at a time.
struct DeltaChunk {
  alignas(64) std::uint8_t contexts[kChunkWords];
  alignas(64) std::uint8_t symbols[kChunkWords];
  alignas(64) std::uint32_t raw[kChunkWords];
};

/// A map that keeps all contexts apart.
inline constexpr std::array<std::uint8_t, kContexts> kEveryContext = [] {
  std::array<std::uint8_t, kContexts> map{};
  for (std::size_t i = 0; i < kContexts; ++i) map[i] = static_cast<std::uint8_t>(i);
  return map;
}();

/// A part on its way in: both sides as words that the kernels take.
template <typename Word>
class DeltaSource {
 public:
  /// Borrows both. Passes over all words are done by `device`; null, or once it fails: by the CPU.
  DeltaSource(const EncodeInput& input, unsigned shift, DeviceEncoder* device)
      : shape_(input.shape),
        shift_(shift),
        device_(device),
        parent_(loaded(input.parent, *ownParent_)),
        words_(loaded(input.words, *ownWords_)) {
    for (std::size_t s = 0; s < input.further.size(); ++s) {
      further_.push_back(loaded(input.further[s], *ownFurther_.emplace_back()).data());
    }
  }
  DeltaSource(const DeltaSource&) = delete;
  DeltaSource& operator=(const DeltaSource&) = delete;

  std::span<const Word> words() const { return words_; }
  std::span<const Word> parent() const { return parent_; }
  /// Of each further source.
  std::span<const Word* const> further() const { return further_; }

  /// Takes the zero bits off the variant's words; before that they are as the search of predictors
  /// wants them.
  void dropShift() {
    if (shift_ == 0) return;
    const std::span<Word> own = ownWords_->first(words_.size());
    if (own.data() != words_.data()) std::copy(words_.begin(), words_.end(), own.begin());
    words_ = own;
    DeltaWords<Word>(shape_, shift_, false).dropShift(own.data(), own.size());
  }

  /// Counts the symbols of a sample of the words; of all on the device.
  ContextCounts count(CodecId codec, const ScaleTerms& terms, const PredictedWords<Word>& predicted,
                      const DeltaSample& sample) const {
    if (device_ != nullptr && sample.stride == 1) {
      const auto counts = device_->count({codec, shift_, predicted.predictor(), terms});
      if (counts) return *counts;
    }
    return countOnCpu(codec, terms, predicted, sample);
  }

  ContextCounts countOnCpu(CodecId codec, const ScaleTerms& terms,
                           const PredictedWords<Word>& predicted, const DeltaSample& sample) const {
    const DeltaWords<Word> plain(shape_, shift_, codec == CodecId::Xor);
    ContextCounts counts(deltaAlphabet(shape_.word));
    // A few words are counted in less time than a second table takes.
    std::optional<ContextCounts> second;
    if (words_.size() > kFewWords) second = counts;
    ContextCounts& other = second ? *second : counts;
    DeltaChunk chunk;
    for (std::uint64_t at = 0; at < words_.size(); at += sample.pieceWords * sample.stride) {
      const auto n =
          static_cast<std::size_t>(std::min<std::uint64_t>(sample.pieceWords, words_.size() - at));
      const Word* const from = predicted.at(at, n);
      plain.contexts(terms, kEveryContext, at, from, n, chunk.contexts);
      plain.classify(from, words_.data() + at, n, {chunk.symbols, nullptr});
      counts.count(chunk.contexts, chunk.symbols, n, other);
    }
    if (second) counts.add(*second);
    return counts;
  }

  /// Encodes all blocks; false if a symbol has no place in the tables.
  [[nodiscard]] bool encode(const DeltaPlan& plan, const TableSet& tables,
                            const PredictedWords<Word>& predicted,
                            std::span<const std::byte> original, BlockIndexWriter& index,
                            unsigned blockLog2) const {
    if (device_ != nullptr &&
        device_->encode({plan.codec, shift_, predicted.predictor(), plan.terms}, tables, blockLog2,
                        index)) {
      return true;
    }
    const DeltaWords<Word> plain(shape_, shift_, plan.codec == CodecId::Xor);
    const auto entries = encoderTable(tables.tables);
    thread_local RansScratch scratch;
    index.blocks().reserve(static_cast<std::size_t>(plan.estimatedBits / 8 * 1.01) + 4096);
    const std::size_t step = std::size_t{1} << blockLog2;
    DeltaChunk chunk;
    for (std::size_t start = 0; start < words_.size(); start += step) {
      const std::size_t count = std::min(step, words_.size() - start);
      DeltaStreamEncoder stream(count, lanesFor(count), scratch);
      for (std::size_t end = count; end > 0;) {
        const std::size_t n = (end - 1) % kChunkWords + 1;
        end -= n;
        const std::uint64_t at = start + end;
        const Word* const from = predicted.at(at, n);
        plain.contexts(plan.terms, tables.map, at, from, n, chunk.contexts);
        plain.classify(from, words_.data() + at, n, {chunk.symbols, chunk.raw});
        if (!stream.prepend(entries, deltaAlphabet(shape_.word), {chunk.contexts, n},
                            {chunk.symbols, chunk.raw})) {
          return false;
        }
      }
      stream.appendTo(index.blocks());
      index.endBlock(original.subspan(start * shape_.word.bytes, count * shape_.word.bytes));
    }
    return true;
  }

 private:
  /// Bytes as words: where they lie, if they are such words already, else in `own`.
  std::span<const Word> loaded(std::span<const std::byte> bytes, WordBuffer<Word>& own) const {
    const DeltaWords<Word> plain(shape_, 0, false);
    const auto count = static_cast<std::size_t>(shape_.wordCount());
    if (const Word* words = plain.viewed(bytes)) return {words, count};
    plain.load(bytes, own.first(count).data());
    return own.first(count);
  }

  static constexpr std::size_t kFewWords = 4096;

  PartShape shape_;
  unsigned shift_;
  DeviceEncoder* device_;
  LentBuffer<Word> ownParent_;
  LentBuffer<Word> ownWords_;
  std::vector<LentBuffer<Word>> ownFurther_;
  std::span<const Word> parent_;
  std::span<const Word> words_;
  std::vector<const Word*> further_;
};

}  // namespace strata
