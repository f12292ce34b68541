#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace strata {

/// How a part of a tensor is coded. Stored in manifests: never renumbered, never reused.
enum class CodecId : std::uint8_t {
  Raw = 0,        ///< the words as they are
  Zstd = 1,       ///< zstd frames
  Planes = 2,     ///< byte planes, each entropy coded or raw; of the words or of their difference
  Same = 3,       ///< the parent's words; has no payload
  Integer = 4,    ///< difference of order-preserving integers
  Xor = 5,        ///< difference of bits
  Levels = 6,     ///< lossy: low rank, then levels of the rest
  Exponent = 7,   ///< lossy: differences by exponent and sign (LC-Checkpoint)
  Sign = 8,       ///< lossy: signs of differences and their mean size (BitDelta)
  Bounded = 9,    ///< lossy: every word within a bound of the original
  Index = 10,     ///< lossy: changes of level indices (Inshrinkerator)
  Patterns = 11,  ///< lossy: low rank, then sign patterns of the rest
  ZstdView = 12,  ///< zstd frames whose dictionary is the view's words
  Moments = 13,   ///< lossy: an optimizer's moments by the sizes of rows and columns
  Rows = 14,      ///< lossy: rows in even steps of their own (Check-N-Run)
  Huffman = 15,   ///< lossy: as Exponent, with the Huffman codes of LC-Checkpoint
  Sized = 16,     ///< the words by the sizes of rows and columns; rows that decay by their parent's
};

/// Lower-case name as users write it: "integer".
std::string_view name(CodecId codec) noexcept;
std::optional<CodecId> codecFromName(std::string_view name) noexcept;
std::optional<CodecId> codecFromStored(std::uint32_t stored) noexcept;

}  // namespace strata
