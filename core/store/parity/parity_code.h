#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

/// How much of a store may be lost: of each `columns` objects any `shards`. "2/10" in settings.
struct ParityRatio {
  std::uint8_t shards = 0;   ///< parity files of a group
  std::uint8_t columns = 0;  ///< most objects of a group

  friend bool operator==(const ParityRatio&, const ParityRatio&) = default;
};

inline constexpr std::uint8_t kMostShards = 4;
inline constexpr std::uint8_t kMostColumns = 32;

/// Whether readers take such a ratio.
bool isRatio(const ParityRatio& ratio) noexcept;
/// "2/10". Nothing where it is none that isRatio() takes.
std::optional<ParityRatio> parseRatio(std::string_view text) noexcept;

/// The Reed-Solomon code of docs/FORMAT.md §29 over bytes, by ISA-L. Objects of a group are the
/// columns; a column without an object counts as zeros, and so does what lies behind an object's
/// end. Sums are exclusive or, so adding an object twice takes it away again. Safe to use from
/// several threads.
class ParityCode {
 public:
  explicit ParityCode(ParityRatio ratio);

  /// What a byte of `column` is multiplied by in `shard`.
  std::uint8_t coefficient(std::size_t shard, std::size_t column) const noexcept;

  /// Adds bytes of the object in `column` to the bytes of all shards at the same place, each at
  /// least as long; or takes them away, if they were added.
  void add(std::size_t column, std::span<const std::byte> bytes,
           std::span<std::vector<std::byte>> shards) const;

 private:
  ParityRatio ratio_;
  std::vector<unsigned char> matrix_;  ///< a row for each shard
  std::vector<unsigned char> tables_;  ///< the form of it that ISA-L multiplies by
};

/// Finds the bytes of lost columns again. `shards` are as many as columns are lost; all objects
/// that are not lost were taken away from their bytes (ParityCode::add).
class ParityDecoder {
 public:
  ParityDecoder(const ParityCode& code, std::span<const std::size_t> shards,
                std::span<const std::size_t> lost);

  /// `sums[i]` is of `shards[i]`, and `found[i]` of `lost[i]`; all have the same length.
  void solve(std::span<std::vector<std::byte>> sums, std::span<std::vector<std::byte>> found) const;

 private:
  std::size_t count_;
  std::vector<unsigned char> tables_;
};

}  // namespace strata
