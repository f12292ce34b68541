#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/match/detail/sampling.h"

namespace strata::match {

/// Finds the parents that a name may mean, without comparing it with all of them.
class NameIndex {
 public:
  explicit NameIndex(std::span<const ParentTensor> parents);
  NameIndex(const NameIndex&) = delete;
  NameIndex& operator=(const NameIndex&) = delete;

  /// The parents that the weight's name or place leads to, ascending: those that are similar by
  /// kNamed, and those with the same numbered name, which are not. Of parents whose names end alike
  /// only the first ones.
  std::vector<std::size_t> find(const VariantWeight& variant) const;

 private:
  /// A name of six modules has five, and there may be a million names. That two keys have the same
  /// upper half leads to a parent that is no better than others, and costs a comparison.
  struct Entry {
    std::uint32_t key = 0;  ///< the upper half of one of NamePath::endingKeys()
    std::uint32_t parent = 0;
  };

  static Entry entryOf(std::uint64_t key, std::uint32_t parent) noexcept {
    return {static_cast<std::uint32_t>(key >> 32), parent};
  }
  static void find(std::span<const Entry> entries, std::uint64_t key,
                   std::vector<std::size_t>& found);
  void find(const NamePath& path, std::vector<std::size_t>& found) const;

  std::vector<Entry> whole_;    ///< of whole names, by key and parent
  std::vector<Entry> endings_;  ///< of names that are longer
};

}  // namespace strata::match
