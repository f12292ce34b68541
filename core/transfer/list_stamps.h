#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace strata {

/// One of the lists that a remote had, by its number and its bytes. Two may have had one number,
/// where the first was lost.
struct ListStamp {
  std::uint64_t number = 0;
  std::string check = {};  ///< the first kStampDigits of its check

  friend bool operator==(const ListStamp&, const ListStamp&) = default;
};

inline constexpr std::size_t kStampDigits = 32;
/// So many a list names that it descends from.
inline constexpr std::size_t kMaxBefore = 256;

/// The lists of both, the newest first, each once, at most kMaxBefore.
std::vector<ListStamp> joinStamps(std::vector<ListStamp> one, const std::vector<ListStamp>& other);

}  // namespace strata
