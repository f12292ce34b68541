#include "core/match/detail/word_math.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/codec/words/cast.h"

namespace strata::match {
namespace {

constexpr Word mask(std::uint32_t bits) noexcept {
  return bits >= 64 ? ~Word{0} : (Word{1} << bits) - 1;
}

// Two's complement of the float's place among all floats; both zeros are 0.
std::int64_t floatRank(Word word, std::uint32_t bits) noexcept {
  const Word magnitude = word & mask(bits - 1);
  const bool negative = (word >> (bits - 1) & 1) != 0;
  return static_cast<std::int64_t>(negative ? Word{0} - magnitude : magnitude);
}

std::int64_t roundAway(std::int64_t rank, std::uint32_t dropBits) noexcept {
  if (dropBits == 0) return rank;
  return (rank >> dropBits) + (rank >> (dropBits - 1) & 1);
}

}  // namespace

Word loadWord(std::span<const std::byte> words, std::uint64_t index,
              std::uint32_t wordBytes) noexcept {
  const std::byte* at = words.data() + index * wordBytes;
  const auto load = [at]<typename T>(T word) {
    std::memcpy(&word, at, sizeof word);
    return Word{word};
  };
  switch (wordBytes) {
    case 1:
      return load(std::uint8_t{});
    case 2:
      return load(std::uint16_t{});
    case 4:
      return load(std::uint32_t{});
    default:
      return load(std::uint64_t{});
  }
}

std::uint32_t differenceBits(Word variant, Word parent, WordFormat format,
                             std::uint32_t dropBits) noexcept {
  const std::uint32_t bits = format.bytes * 8;
  if (!format.isFloat) {
    const Word difference = (variant - parent) & mask(bits);
    const Word other = (Word{0} - difference) & mask(bits);
    return static_cast<std::uint32_t>(std::bit_width(std::min(difference, other)));
  }
  const std::int64_t a = roundAway(floatRank(variant, bits), dropBits);
  const std::int64_t b = roundAway(floatRank(parent, bits), dropBits);
  const Word difference = a > b ? static_cast<Word>(a) - static_cast<Word>(b)
                                : static_cast<Word>(b) - static_cast<Word>(a);
  return static_cast<std::uint32_t>(std::bit_width(difference));
}

Word castWord(Word word, ElementType from, ElementType to) noexcept {
  if (from == to) return word;
  Word out = 0;
  castWords(from, std::as_bytes(std::span(&word, 1)).first(wordFormat(from).bytes), to,
            std::as_writable_bytes(std::span(&out, 1)).first(wordFormat(to).bytes));
  return out;
}

bool isPlainFloat(ElementType type) noexcept {
  return type == ElementType::F64 || type == ElementType::F32 || canCast(type, ElementType::F32);
}

float toFloat(Word word, ElementType type) noexcept {
  if (type == ElementType::F64) return static_cast<float>(std::bit_cast<double>(word));
  return std::bit_cast<float>(static_cast<std::uint32_t>(castWord(word, type, ElementType::F32)));
}

bool elementIsWord(ElementType type) noexcept {
  return bitsPerElement(type) == wordFormat(type).bytes * 8;
}

}  // namespace strata::match
