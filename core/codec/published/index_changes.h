#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/codec/entropy/byte_io.h"
#include "core/codec/entropy/frequency_table.h"
#include "core/codec/entropy/huffman.h"
#include "core/codec/entropy/rans_block.h"

namespace strata {

/// Changes of level indices, (previous - current) mod bins, gathered by previous index.
struct GroupedChanges {
  std::vector<std::uint8_t> changes;  ///< one group after the other, each in element order
  std::vector<std::size_t> ends;      ///< of the groups

  std::span<const std::uint8_t> group(std::size_t index) const noexcept {
    const std::size_t start = index == 0 ? 0 : ends[index - 1];
    return std::span(changes).subspan(start, ends[index] - start);
  }
  std::span<std::uint8_t> group(std::size_t index) noexcept {
    const std::size_t start = index == 0 ? 0 : ends[index - 1];
    return std::span(changes).subspan(start, ends[index] - start);
  }
};

/// Bins of the cyclic difference between two codebooks' indices: the larger number.
inline unsigned binsOf(unsigned previousCount, unsigned currentCount) noexcept {
  return previousCount > currentCount ? previousCount : currentCount;
}

/// Groups for these previous indices, all below `groupCount`, their changes still 0.
GroupedChanges emptyGroups(std::span<const std::uint8_t> previous, unsigned groupCount);
GroupedChanges groupChanges(std::span<const std::uint8_t> previous,
                            std::span<const std::uint8_t> current, unsigned bins,
                            unsigned groupCount);
/// The inverse: current[j] = (previous[j] - change) mod bins. Changes are below `bins`.
void ungroupChanges(const GroupedChanges& groups, std::span<const std::uint8_t> previous,
                    unsigned bins, std::uint8_t* current);

/// The published entropy stage: a Huffman code over the run symbols of each group. Each value is
/// negated, and behind it stands the length of its run where that is above 1.
class RunCodes {
 public:
  /// Codes for these blocks' groups.
  static RunCodes fit(std::span<const GroupedChanges> blocks, unsigned groupCount);
  static std::optional<RunCodes> read(ByteReader& in, unsigned groupCount);
  void write(ByteWriter& out) const;

  /// Appends the groups of one block.
  void encode(const GroupedChanges& groups, std::vector<std::byte>& out) const;
  /// Fills the changes of `groups`; false if the bytes are damaged or a change is not below `bins`.
  bool decode(std::span<const std::byte> bytes, unsigned bins, GroupedChanges& groups) const;

 private:
  std::vector<PrefixCode> codes_;
};

/// The same groups through rANS, with a table for each; a group of one value takes no bytes.
class RansCodes {
 public:
  static RansCodes fit(std::span<const GroupedChanges> blocks, unsigned groupCount, unsigned bins);
  static std::optional<RansCodes> read(ByteReader& in, unsigned groupCount, unsigned bins);
  void write(ByteWriter& out) const;

  void encode(const GroupedChanges& groups, std::vector<std::byte>& out) const;
  bool decode(std::span<const std::byte> bytes, unsigned bins, GroupedChanges& groups) const;

 private:
  explicit RansCodes(std::vector<FrequencyTable> tables);

  /// The only symbol of a table, if it has just one.
  static std::optional<std::uint8_t> loneSymbol(const FrequencyTable& table);

  std::vector<FrequencyTable> tables_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace strata
