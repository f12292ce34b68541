#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/match/detail/word_math.h"
#include "core/result.h"

namespace strata::match {

/// Places come in pairs: (f, g) and (g, f) of the way along rows and columns, so that a transposed
/// copy holds the same words with each pair swapped.
inline constexpr std::size_t kSignatureSamples = 12;

/// What a signature says of one weight, or of a part of one that may be several in one.
struct SignatureRecord {
  std::uint64_t byteCount = 0;
  std::uint64_t contentHash = 0;  ///< of some windows, not of all bytes
  std::uint32_t nameHash = 0;     ///< 0: the name tells nothing
  std::uint8_t type = 0;
  std::uint8_t rowsLog2 = 0;  ///< rounded down; samples lie in the leading 2^n rows and columns
  std::uint8_t columnsLog2 = 0;
  std::uint8_t partOf = 0;  ///< 0: a whole weight; else a part of the record of this number, from 1
  std::array<std::uint32_t, kSignatureSamples> samples{};  ///< as f32, or integers' low bits
};

/// The records of a signature, whole weights first. Fails with CorruptData if it is none.
Result<std::vector<SignatureRecord>> parseSignature(std::string_view bytes);

/// A word as records keep it.
std::uint32_t signatureSample(Word word, ElementType type) noexcept;

}  // namespace strata::match
