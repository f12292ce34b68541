#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/match/detail/cost.h"
#include "core/match/detail/name_path.h"
#include "core/match/detail/word_math.h"
#include "core/match/matcher.h"

namespace strata::match {

/// Words that a parent decodes at once.
inline constexpr std::uint64_t kBlockWords = 65'536;

/// One weight of either side as matching looks at it. There may be a million, so it is made of the
/// model's tensor when it is asked for, and borrows its name.
struct Weight {
  ElementType type = ElementType::Bytes;
  WordFormat format;
  WordMatrix matrix;
  bool splitsColumns = false;  ///< a column is an element: columns may be cut and transposed
  std::string_view name;

  std::uint64_t wordCount() const noexcept { return matrix.rows * matrix.columns; }
};

struct ParentWeight : Weight {
  explicit ParentWeight(const ParentTensor& tensor) noexcept;
};

struct VariantWeight : Weight {
  VariantWeight(const ModelDescription& model, const TensorInfo& tensor) noexcept;

  std::string_view place;
  std::span<const std::byte> words;
  std::uint64_t checksum = 0;
  AloneCost alone;

  Word word(std::uint64_t index) const noexcept { return loadWord(words, index, format.bytes); }
  double similarity(std::string_view parentName) const;
};

/// The variant's weights. What takes long is kept of each: the cost alone, and the checksum.
class VariantWeights {
 public:
  /// `checksums` may be empty. Both are borrowed.
  VariantWeights(const ModelDescription& model, std::span<const std::uint64_t> checksums);
  VariantWeights(const VariantWeights&) = delete;
  VariantWeights& operator=(const VariantWeights&) = delete;

  std::size_t size() const noexcept { return alone_.size(); }
  VariantWeight operator[](std::size_t index) const noexcept;

 private:
  const ModelDescription& model_;
  std::vector<std::uint64_t> ownChecksums_;  ///< empty where they were given
  std::span<const std::uint64_t> checksums_;
  std::vector<AloneCost> alone_;
};

/// Reads parents in whole blocks, and keeps a few words of those that it read last.
///
/// For one matching, on one thread.
class ParentSampler {
 public:
  explicit ParentSampler(const ParentModel& model) : model_(model), tensors_(model.tensors()) {}

  /// All words of a parent's weight, one after the other.
  ParentRectangle rectangleOf(std::size_t weight) const;

  /// What coding `part` of `variant` against its parent would cost, from two or three blocks. Stops
  /// early where the two have nothing in common.
  Result<DeltaCost> measure(const VariantWeight& variant, const PartMatch& part);

  /// One of `count` words spread over a block that stands for a whole weight: its place in weights
  /// of that size, and the word of one of them. Fails as reading the parent does.
  static std::uint64_t placeOf(std::uint64_t wordCount, std::size_t index, std::size_t count);
  Result<Word> wordAtPlace(std::size_t weight, std::size_t index, std::size_t count);

  /// How alike the names are, see NamePath::similarity().
  double similarity(const VariantWeight& variant, std::size_t parent) {
    ++pairCount_;
    return variant.similarity(tensors_[parent].name);
  }

  /// All words of block number `block` of a weight; not kept.
  Result<std::vector<std::byte>> readBlock(std::size_t weight, std::uint64_t block);

  /// Makes room where there are very many weights: words of theirs are read anew if need be.
  void forgetOfMany() noexcept;

  /// Blocks that the parent has decoded so far.
  std::size_t readCount() const noexcept { return readCount_; }

  /// How often a weight was compared with a parent, by name or by words.
  std::uint64_t pairCount() const noexcept { return pairCount_; }
  /// Comparisons that others made.
  void notePairs(std::size_t count) noexcept { pairCount_ += count; }

  std::size_t weightCount() const noexcept { return tensors_.size(); }
  ParentWeight weight(std::size_t index) const noexcept { return ParentWeight(tensors_[index]); }
  std::uint64_t checksum(std::size_t index) const noexcept { return tensors_[index].checksum; }

 private:
  struct Block {
    std::uint64_t number = 0;
    std::span<const std::byte> samples;
    std::uint64_t wordCount = 0;
  };
  Result<void> sample(std::size_t weight, std::uint64_t block, std::span<std::byte> out);
  Result<std::span<const std::byte>> sampledBlock(std::size_t weight, std::uint64_t block);
  Result<std::vector<Block>> blocksOf(const PartMatch& part);
  std::uint64_t firstWordOf(const ParentRectangle& from) const;

  void makeRoom();

  const ParentModel& model_;
  std::span<const ParentTensor> tensors_;
  std::unordered_map<std::uint64_t, std::unique_ptr<std::byte[]>> samples_;
  std::size_t readCount_ = 0;
  std::uint64_t pairCount_ = 0;
};

/// The variant's word that is coded against the parent's word `index` of the part's rectangle, gaps
/// counted, if any is.
std::optional<std::uint64_t> indexInVariant(const PartMatch& part, std::uint64_t variantColumns,
                                            std::uint64_t index) noexcept;

/// Whether the parent's words can stand for the variant's, rounded to its type if need be.
bool canServe(const ParentWeight& parent, const VariantWeight& variant, bool allowCasts) noexcept;

/// Some hundred words spread over the whole weight.
std::vector<Word> sampleWords(const VariantWeight& weight);

/// Whether the estimate is clearly below what the variant costs alone, given how sure it is.
bool pays(const DeltaCost& cost, const VariantWeight& variant, double nameSimilarity) noexcept;

}  // namespace strata::match
