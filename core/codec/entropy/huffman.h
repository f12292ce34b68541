#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/codec/entropy/byte_io.h"

namespace strata {

/// Longest code word.
inline constexpr unsigned kMostCodeBits = 30;

/// Lengths of the code words of an optimal prefix code (D. Huffman, Proc. IRE 40, 1952), none
/// longer than kMostCodeBits; 0 for a symbol that does not occur, and for one that occurs alone.
std::vector<std::uint8_t> huffmanLengths(std::span<const std::uint32_t> counts);

/// A symbol of a code and how long its code word is.
struct CodeSymbol {
  std::int32_t symbol = 0;
  std::uint8_t length = 0;  ///< 0 only where it is the only one
};

/// Canonical prefix codes over any signed numbers: symbols in ascending order, code words ascending
/// by length, then symbol. docs/FORMAT.md, "Prefix codes".
class PrefixCode {
 public:
  /// `symbols` ascend; no code word may be longer than kMostCodeBits. Nothing unless the lengths
  /// are those of a complete code, or there is no symbol, or one of length 0.
  static std::optional<PrefixCode> make(std::vector<CodeSymbol> symbols);
  static std::optional<PrefixCode> read(ByteReader& in);
  void write(ByteWriter& out) const;

  bool isEmpty() const noexcept { return symbols_.empty(); }
  /// Whether all symbols are 0 to `count` - 1.
  bool areBelow(std::size_t count) const noexcept {
    return symbols_.empty() || (symbols_.front().symbol >= 0 &&
                                static_cast<std::size_t>(symbols_.back().symbol) < count);
  }

 private:
  friend class CodeWriter;
  friend class CodeReader;

  struct Word {
    std::uint32_t bits = 0;  ///< first bit lowest
    std::uint8_t length = 0;
  };
  struct Entry {
    std::int32_t symbol = 0;
    std::uint8_t length = 0;  ///< 0: the code word is longer than the table's index
  };

  std::size_t rankOf(std::int32_t symbol) const noexcept;

  std::vector<CodeSymbol> symbols_;
  std::vector<Word> words_;                      ///< of symbols_
  std::vector<std::uint32_t> order_;             ///< ranks of symbols_ by code word
  std::uint32_t first_[kMostCodeBits + 2] = {};  ///< lowest code word of each length
  std::uint32_t place_[kMostCodeBits + 2] = {};  ///< its place in order_
  unsigned tableBits_ = 0;
  std::vector<Entry> table_;  ///< by the next tableBits_ bits
};

/// Appends code words to a byte vector; bits fill each byte from the lowest on.
class CodeWriter {
 public:
  explicit CodeWriter(std::vector<std::byte>& out) : out_(out) {}
  /// `symbol` must be one of the code's.
  void put(const PrefixCode& code, std::int32_t symbol);
  /// Fills the last byte with zeros.
  void finish();

 private:
  std::vector<std::byte>& out_;
  std::uint64_t bits_ = 0;
  unsigned used_ = 0;
};

/// Reads code words; past the end it reads zeros, which endedClean() tells.
class CodeReader {
 public:
  explicit CodeReader(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}
  /// The next symbol of a code that is not empty.
  std::int32_t take(const PrefixCode& code) noexcept;
  /// Whether all bytes were used, and the bits left over are zeros.
  bool endedClean() const noexcept;

 private:
  void refill() noexcept;

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  std::uint64_t bits_ = 0;
  unsigned ready_ = 0;
  std::size_t taken_ = 0;  ///< bits
};

}  // namespace strata
