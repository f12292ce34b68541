#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/match/detail/sampling.h"
#include "core/result.h"

namespace strata::match {

/// Finds among many parents of one size those whose words are most like a weight's, without
/// comparing it with all of them.
///
/// A few words of each parent are rounded coarsely. Several keys are made of some of them each.
/// Words of a weight that was tuned a little round to the same words nearly always, so one of the
/// keys is likely to be the same.
class LikenessIndex {
 public:
  /// `parents` have so many words each, and `sampler` must outlive the index. Reads a block of each
  /// parent. Fails as reading parents does.
  static Result<LikenessIndex> make(ParentSampler& sampler, std::span<const std::size_t> parents,
                                    std::uint64_t wordCount);

  /// At most kMostNearest parents that can stand for the variant, the most alike first. Once one is
  /// surely related, no more are looked for, and only such ones are given.
  struct Nearest {
    std::vector<std::size_t> parents;
    bool areRelated = false;
  };
  Nearest nearest(const VariantWeight& variant, bool transposed, bool allowCasts) const;

  static constexpr std::size_t kMostNearest = 8;
  /// Weights of fewer words tell too little of what they are.
  static constexpr std::uint64_t kLeastWords = 12;

 private:
  static constexpr std::size_t kWords = 16;
  using Words = std::array<Word, kWords>;

  struct Key {
    std::uint32_t key = 0;
    std::uint32_t entry = 0;
  };
  /// Parents of one type: words of others round differently. There may be a million.
  struct Table {
    std::uint32_t wordBytes = 0;
    std::vector<std::uint32_t> parents;
    std::vector<std::byte> words;  ///< kWords of each parent
    std::vector<Key> keys;         ///< in order

    Words wordsOf(std::size_t entry) const noexcept;
  };

  explicit LikenessIndex(ParentSampler& sampler) : sampler_(&sampler) {}

  struct Found {
    std::uint64_t bits = 0;  ///< of the words' differences
    std::size_t parent = 0;
  };

  static std::vector<std::uint32_t> keysOf(const Words& words, ElementType type);
  void findIn(const Table& table, ElementType type, const VariantWeight& variant, const Words& own,
              std::vector<Found>& found) const;

  ParentSampler* sampler_;
  std::array<std::uint64_t, kWords> places_{};  ///< of the words in a weight
  std::map<ElementType, Table> tables_;
};

}  // namespace strata::match
