#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/codec/rans_block.h"
#include "core/codec/table_set.h"

namespace strata {

/// Symbols of a context's alphabet in streams of levels.
inline constexpr std::size_t kLevelAlphabet = 128;

/// Small signed numbers, each in one of kContexts contexts: what the lossy codecs code with rANS.
/// docs/FORMAT.md, "Level streams".
class LevelStreamEncoder {
 public:
  /// `levels` and `contexts` are borrowed until the encoder is gone; as many of both.
  LevelStreamEncoder(std::span<const std::int32_t> levels, std::span<const std::uint8_t> contexts);

  const ContextCounts& counts() const noexcept { return counts_; }
  /// Bits that ride raw, whatever the tables.
  double rawBits() const noexcept;

  /// Appends the stream of levels [first, first + count).
  void append(const TableSet& tables, std::span<const kernels::RansEncoderEntry> entries,
              std::size_t first, std::size_t count, std::vector<std::byte>& out);

 private:
  std::span<const std::uint8_t> contexts_;
  std::vector<std::uint8_t> symbols_;
  std::vector<std::uint32_t> raw_;
  std::vector<std::uint8_t> tablesOf_;
  ContextCounts counts_{kLevelAlphabet};
  RansScratch scratch_;
};

/// Context of levels whose mean magnitude is expected to be 2^(halfOctaves / 2).
constexpr std::uint8_t levelContext(std::int32_t halfOctaves) noexcept {
  constexpr std::int32_t kOne = 40;
  const std::int32_t context = halfOctaves + kOne;
  return static_cast<std::uint8_t>(context < 1 ? 1 : context > 63 ? 63 : context);
}

}  // namespace strata
