#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/codec/entropy/frequency_table.h"
#include "core/result.h"

namespace strata {

/// Contexts of the difference coders: 0 for a row that did not change at all, else the expected
/// size of the difference in half octaves of the parent word's last place (docs/FORMAT.md).
inline constexpr std::size_t kContexts = 64;

/// Counts of symbols by context. What is done with all counts passes over contexts that nothing has
/// been counted in: a small part uses few.
class ContextCounts {
 public:
  /// `alphabet` is a power of two.
  explicit ContextCounts(std::size_t alphabet)
      : alphabet_(alphabet), counts_(kContexts * alphabet) {}

  std::size_t alphabet() const noexcept { return alphabet_; }
  std::span<const std::uint32_t> of(std::size_t context) const noexcept {
    return std::span(counts_).subspan(context * alphabet_, alphabet_);
  }
  /// False only if nothing is counted in the context.
  bool mayUse(std::size_t context) const noexcept { return (used_ >> context & 1) != 0; }
  /// Counts every second word in `other`, which is to be added in the end: neighbours are often
  /// equal and would wait for each other's sums.
  void count(const std::uint8_t* contexts, const std::uint8_t* symbols, std::size_t n,
             ContextCounts& other) noexcept;
  /// Counts one symbol `times` more; at most the highest number.
  void add(std::size_t context, std::size_t symbol, std::uint32_t times) noexcept {
    std::uint32_t& count = counts_[context * alphabet_ + symbol];
    count += std::min(times, UINT32_MAX - count);
    used_ |= std::uint64_t{1} << context;
  }
  /// Sums that pass 32 bits stay at the highest number.
  void add(const ContextCounts& other) noexcept;
  /// Makes a sample stand for the whole: all counts times `factor`, at most the highest number.
  void scale(std::uint32_t factor) noexcept;
  /// Share of one symbol among all, whatever the context.
  double shareOf(std::uint8_t symbol) const noexcept;
  /// Bits of all symbols, each context at its own entropy, without tables.
  double bits() const;

 private:
  void noteUse(const std::uint8_t* contexts, std::size_t n) noexcept;

  std::size_t alphabet_;
  std::vector<std::uint32_t> counts_;
  std::uint64_t used_ = 0;  ///< a bit for each context; set where there is a count, maybe elsewhere
};
static_assert(kContexts == 64);

/// Counts of a part of less than 2^16 words in as many bytes as they need, for keeping many.
class PackedCounts {
 public:
  PackedCounts() = default;
  /// No count is above 2^16 - 1.
  explicit PackedCounts(const ContextCounts& counts);

  std::size_t alphabet() const noexcept { return alphabet_; }
  void addTo(ContextCounts& counts) const noexcept;
  ContextCounts unpacked() const;
  std::size_t byteCount() const noexcept { return entries_.size() * sizeof(std::uint32_t); }

 private:
  std::size_t alphabet_ = 0;
  std::vector<std::uint32_t> entries_;  ///< place << 16 | count
};

/// The tables of the contexts: neighbouring contexts may share one.
struct TableSet {
  std::array<std::uint8_t, kContexts> map{};  ///< context to table, never falling
  std::vector<FrequencyTable> tables;
  std::vector<std::uint32_t> slots;  ///< the decoder's form; of sets that were read or are shared

  /// Bits that the counted symbols take; infinite where a symbol has no place.
  double codedBits(const ContextCounts& counts) const;
};

/// Tables for these counts: neighbours are merged as long as that saves bits, tables counted.
TableSet buildTableSet(const ContextCounts& counts);
/// The same for the counts of a sample: each table keeps a place open for every symbol up to two
/// octaves above its highest one.
TableSet buildOpenTableSet(const ContextCounts& counts);
/// Gives every symbol up to the highest one used a place in every table, so that counts other than
/// those it was built from can be coded, too.
TableSet buildSharedTableSet(const ContextCounts& counts);

/// docs/FORMAT.md, "Table sets".
void writeTableSet(ByteWriter& out, const TableSet& set);
/// Fails with CorruptData.
Result<TableSet> readTableSet(ByteReader& in, std::size_t alphabet);

}  // namespace strata
