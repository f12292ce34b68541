#include "core/codec/exact/table_set.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

namespace strata {
namespace {

/// Neighbouring contexts that will share a table.
struct Run {
  std::size_t contexts = 1;
  std::vector<std::uint32_t> counts;
  double bits = 0;  ///< of its symbols and its table
};

std::uint32_t saturatedSum(std::uint32_t a, std::uint32_t b) {
  return a + std::min(b, UINT32_MAX - a);
}

/// One more than the highest symbol that is used; 0 for none.
std::size_t endOfUsed(std::span<const std::uint32_t> counts) {
  std::size_t end = counts.size();
  while (end > 0 && counts[end - 1] == 0) --end;
  return end;
}

/// About what writeTables spends on a table of these counts.
double tableBits(std::span<const std::uint32_t> counts) {
  double bits = 9;
  const std::size_t end = endOfUsed(counts);
  for (std::size_t s = 0; s < end; ++s) bits += counts[s] == 0 ? 2.0 : 7.0;
  return end == 0 ? 9 : bits;
}

Run makeRun(std::size_t contexts, std::vector<std::uint32_t> counts) {
  Run run{contexts, std::move(counts), 0};
  run.bits = entropyBits(run.counts) + tableBits(run.counts) + 8;
  return run;
}

Run merged(const Run& a, const Run& b) {
  std::vector<std::uint32_t> counts = a.counts;
  for (std::size_t s = 0; s < counts.size(); ++s) counts[s] = saturatedSum(counts[s], b.counts[s]);
  return makeRun(a.contexts + b.contexts, std::move(counts));
}

bool isUnused(const ContextCounts& counts, std::size_t context) {
  if (!counts.mayUse(context)) return true;
  const auto row = counts.of(context);
  return std::all_of(row.begin(), row.end(), [](auto c) { return c == 0; });
}

/// Runs of one context each, without those that nothing uses: they join a neighbour.
std::vector<Run> startingRuns(const ContextCounts& counts) {
  std::vector<Run> runs;
  std::size_t unused = 0;  // in front of the first run
  for (std::size_t c = 0; c < kContexts; ++c) {
    if (isUnused(counts, c)) {
      ++(runs.empty() ? unused : runs.back().contexts);
      continue;
    }
    const auto row = counts.of(c);
    runs.push_back(makeRun(1 + unused, {row.begin(), row.end()}));
    unused = 0;
  }
  if (runs.empty())
    runs.push_back(makeRun(kContexts, std::vector<std::uint32_t>(counts.alphabet())));
  return runs;
}

std::vector<Run> mergedRuns(const ContextCounts& counts) {
  std::vector<Run> runs = startingRuns(counts);
  std::vector<Run> pairs;
  for (std::size_t i = 0; i + 1 < runs.size(); ++i) pairs.push_back(merged(runs[i], runs[i + 1]));
  while (!pairs.empty()) {
    std::size_t best = 0;
    double bestGain = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const double gain = runs[i].bits + runs[i + 1].bits - pairs[i].bits;
      if (gain > bestGain) {
        bestGain = gain;
        best = i;
      }
    }
    if (bestGain <= 0) break;
    runs[best] = std::move(pairs[best]);
    runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    pairs.erase(pairs.begin() + static_cast<std::ptrdiff_t>(best));
    if (best > 0) pairs[best - 1] = merged(runs[best - 1], runs[best]);
    if (best < pairs.size()) pairs[best] = merged(runs[best], runs[best + 1]);
  }
  return runs;
}

TableSet tablesOf(const std::vector<Run>& runs) {
  TableSet set;
  std::size_t context = 0;
  for (const Run& run : runs) {
    const auto table = static_cast<std::uint8_t>(set.tables.size());
    for (std::size_t i = 0; i < run.contexts; ++i) set.map[context++] = table;
    set.tables.push_back(normalise(run.counts));
  }
  return set;
}

}  // namespace

void ContextCounts::count(const std::uint8_t* contexts, const std::uint8_t* symbols, std::size_t n,
                          ContextCounts& other) noexcept {
  const auto shift = static_cast<unsigned>(std::countr_zero(alphabet_));
  std::uint32_t* const even = counts_.data();
  std::uint32_t* const odd = other.counts_.data();
  constexpr std::size_t kPiece = 512;
  std::uint16_t places[kPiece];
  for (std::size_t start = 0; start < n; start += kPiece) {
    const std::size_t count = std::min(kPiece, n - start);
    for (std::size_t i = 0; i < count; ++i) {
      places[i] = static_cast<std::uint16_t>(contexts[start + i] << shift | symbols[start + i]);
    }
    std::size_t i = 0;
    for (; i + 2 <= count; i += 2) {
      ++even[places[i]];
      ++odd[places[i + 1]];
    }
    if (i < count) ++even[places[i]];
  }
  noteUse(contexts, n);
  other.noteUse(contexts, n);
}

/// Looking at each context would take long beside counting many words.
void ContextCounts::noteUse(const std::uint8_t* contexts, std::size_t n) noexcept {
  constexpr std::size_t kFew = 1024;
  if (n > kFew) {
    used_ = ~std::uint64_t{0};
    return;
  }
  for (std::size_t i = 0; i < n; ++i) used_ |= std::uint64_t{1} << contexts[i];
}

void ContextCounts::add(const ContextCounts& other) noexcept {
  for (std::size_t c = 0; c < kContexts; ++c) {
    if (!other.mayUse(c)) continue;
    for (std::size_t i = c * alphabet_; i < (c + 1) * alphabet_; ++i) {
      counts_[i] = saturatedSum(counts_[i], other.counts_[i]);
    }
  }
  used_ |= other.used_;
}

void ContextCounts::scale(std::uint32_t factor) noexcept {
  if (factor == 1) return;
  for (std::uint32_t& count : counts_) {
    const std::uint64_t product = std::uint64_t{count} * factor;
    count = static_cast<std::uint32_t>(std::min<std::uint64_t>(product, UINT32_MAX));
  }
}

double ContextCounts::shareOf(std::uint8_t symbol) const noexcept {
  double all = 0;
  double these = 0;
  for (std::size_t c = 0; c < kContexts; ++c) {
    if (!mayUse(c)) continue;
    for (const std::uint32_t count : of(c)) all += count;
    these += of(c)[symbol];
  }
  return all == 0 ? 0 : these / all;
}

double ContextCounts::bits() const {
  double bits = 0;
  for (std::size_t c = 0; c < kContexts; ++c) {
    if (mayUse(c)) bits += entropyBits(of(c));
  }
  return bits;
}

PackedCounts::PackedCounts(const ContextCounts& counts) : alphabet_(counts.alphabet()) {
  for (std::size_t c = 0; c < kContexts; ++c) {
    if (!counts.mayUse(c)) continue;
    const auto row = counts.of(c);
    for (std::size_t s = 0; s < row.size(); ++s) {
      if (row[s] == 0) continue;
      assert(row[s] <= UINT16_MAX);
      entries_.push_back(static_cast<std::uint32_t>(c * alphabet_ + s) << 16 | row[s]);
    }
  }
  entries_.shrink_to_fit();
}

void PackedCounts::addTo(ContextCounts& counts) const noexcept {
  for (const std::uint32_t entry : entries_) {
    const std::size_t place = entry >> 16;
    counts.add(place / alphabet_, place % alphabet_, entry & UINT16_MAX);
  }
}

ContextCounts PackedCounts::unpacked() const {
  ContextCounts counts(alphabet_);
  addTo(counts);
  return counts;
}

double TableSet::codedBits(const ContextCounts& counts) const {
  double bits = 0;
  for (std::size_t c = 0; c < kContexts; ++c) {
    if (counts.mayUse(c)) bits += strata::codedBits(counts.of(c), tables[map[c]]);
  }
  return bits;
}

TableSet buildTableSet(const ContextCounts& counts) { return tablesOf(mergedRuns(counts)); }

TableSet buildOpenTableSet(const ContextCounts& counts) {
  constexpr std::size_t kOpenSymbols = 8;
  std::vector<Run> runs = mergedRuns(counts);
  for (Run& run : runs) {
    const std::size_t end = std::min(endOfUsed(run.counts) + kOpenSymbols, counts.alphabet());
    for (std::size_t s = 0; s < end; ++s) run.counts[s] = std::max(run.counts[s], 1U);
  }
  return tablesOf(runs);
}

TableSet buildSharedTableSet(const ContextCounts& counts) {
  std::vector<Run> runs = mergedRuns(counts);
  std::size_t end = 1;
  std::uint32_t largest = 0;
  for (const Run& run : runs) {
    end = std::max(end, endOfUsed(run.counts));
    largest = std::max(largest, *std::max_element(run.counts.begin(), run.counts.end()));
  }
  // Scaled up, so that the places kept open for rare symbols cost next to nothing; but within 32
  // bits.
  constexpr int kScaleBits = 6;
  const int drop = std::max(0, static_cast<int>(std::bit_width(largest)) + kScaleBits - 31);
  for (Run& run : runs) {
    for (std::size_t s = 0; s < end; ++s) {
      run.counts[s] = ((run.counts[s] >> drop) << kScaleBits) + 1;
    }
  }
  TableSet set = tablesOf(runs);
  set.slots = decoderTable(set.tables);
  return set;
}

void writeTableSet(ByteWriter& out, const TableSet& set) {
  out.byte(static_cast<std::uint8_t>(set.tables.size()));
  for (std::size_t t = 0; t < set.tables.size(); ++t) {
    const auto contexts = std::count(set.map.begin(), set.map.end(), static_cast<std::uint8_t>(t));
    out.byte(static_cast<std::uint8_t>(contexts));
  }
  writeTables(out, set.tables);
}

Result<TableSet> readTableSet(ByteReader& in, std::size_t alphabet) {
  TableSet set;
  const std::size_t tableCount = in.byte();
  std::size_t context = 0;
  for (std::size_t t = 0; t < tableCount; ++t) {
    const std::size_t contexts = in.byte();
    if (contexts == 0 || contexts > kContexts - context) {
      return fail(ErrorCode::CorruptData, "context map of a table set is damaged");
    }
    for (std::size_t i = 0; i < contexts; ++i) set.map[context++] = static_cast<std::uint8_t>(t);
  }
  if (in.failed() || context != kContexts) {
    return fail(ErrorCode::CorruptData, "context map of a table set is damaged");
  }
  auto tables = readTables(in, tableCount, alphabet);
  if (!tables) return fail(ErrorCode::CorruptData, "frequency tables are damaged");
  set.tables = std::move(*tables);
  set.slots = decoderTable(set.tables);
  return set;
}

}  // namespace strata
