#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strata {

/// Key of a folder in a model's folder that holds nothing, which no file says.
inline constexpr std::string_view kEmptyFolderKey = "empty folder";

/// What a model says of itself, as pairs in file order. Bounded, since it goes to the manifest:
/// long values are cut and, past a mebibyte or a thousand pairs, further ones left out. The file
/// itself keeps all of it.
class MetadataList {
 public:
  using Pairs = std::vector<std::pair<std::string, std::string>>;

  void add(std::string_view key, std::string_view value);
  const Pairs& pairs() const noexcept { return pairs_; }

 private:
  Pairs pairs_;
  std::size_t byteCount_ = 0;
};

}  // namespace strata
