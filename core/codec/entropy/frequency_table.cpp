#include "core/codec/entropy/frequency_table.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

namespace strata {
namespace {

using kernels::kProbabilityBits;
using kernels::kProbabilityScale;

/// Growth of the coded size, in bits, when a symbol of this count goes from frequency f to g.
double costOfChange(std::uint32_t count, std::uint32_t from, std::uint32_t to) {
  return count * (std::log2(from) - std::log2(to));
}

/// n * log2(n); counts are small more often than not.
double weightedLog2(std::uint32_t n) {
  static const auto kSmall = [] {
    std::array<double, 1024> table{};
    for (std::size_t i = 1; i < table.size(); ++i) {
      table[i] = static_cast<double>(i) * std::log2(static_cast<double>(i));
    }
    return table;
  }();
  return n < kSmall.size() ? kSmall[n] : n * std::log2(static_cast<double>(n));
}

/// Moves frequencies one by one, where it costs least, until they sum to 2^11.
void settle(std::span<const std::uint32_t> counts, FrequencyTable& table, std::int64_t excess) {
  while (excess != 0) {
    const int step = excess > 0 ? -1 : 1;
    std::size_t best = table.size();
    double bestCost = std::numeric_limits<double>::infinity();
    for (std::size_t s = 0; s < table.size(); ++s) {
      if (table[s] == 0 || (step < 0 && table[s] == 1)) continue;
      const double cost = costOfChange(counts[s], table[s], table[s] + step);
      if (cost < bestCost) {
        bestCost = cost;
        best = s;
      }
    }
    assert(best < table.size());
    table[best] = static_cast<std::uint16_t>(table[best] + step);
    excess += step;
  }
}

std::size_t lastUsed(const FrequencyTable& table) {
  std::size_t end = table.size();
  while (end > 0 && table[end - 1] == 0) --end;
  return end;
}

/// What a frequency probably is, given the table of the context before: its expected difference is
/// half an octave smaller, which is one bucket, or two symbols, down.
std::uint32_t predicted(const FrequencyTable* before, std::size_t symbol) {
  if (before == nullptr || symbol < 2) return 0;
  return (*before)[symbol - 2];
}

}  // namespace

FrequencyTable normalise(std::span<const std::uint32_t> counts) {
  assert(counts.size() <= kMaxAlphabet);
  FrequencyTable table(counts.size(), 0);
  const auto total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  if (total == 0) return table;
  std::int64_t sum = 0;
  for (std::size_t s = 0; s < counts.size(); ++s) {
    if (counts[s] == 0) continue;
    const double share = static_cast<double>(counts[s]) / static_cast<double>(total);
    table[s] =
        static_cast<std::uint16_t>(std::max(1.0, std::floor(share * kProbabilityScale + 0.5)));
    sum += table[s];
  }
  settle(counts, table, sum - static_cast<std::int64_t>(kProbabilityScale));
  return table;
}

double entropyBits(std::span<const std::uint32_t> counts) {
  double total = 0;
  double bits = 0;
  for (const std::uint32_t count : counts) {
    total += count;
    bits -= weightedLog2(count);
  }
  return total > 0 ? bits + total * std::log2(total) : 0;
}

double codedBits(std::span<const std::uint32_t> counts, const FrequencyTable& table) {
  double bits = 0;
  for (std::size_t s = 0; s < counts.size(); ++s) {
    if (counts[s] == 0) continue;
    if (table[s] == 0) return std::numeric_limits<double>::infinity();
    bits += counts[s] * (kProbabilityBits - std::log2(table[s]));
  }
  return bits;
}

// A table is its number of symbols, then for each frequency a number near what the table before
// predicts: the distance in a gamma code, whose parameter is the predicted magnitude.
void writeTables(ByteWriter& out, std::span<const FrequencyTable> tables) {
  BitWriter bits;
  const FrequencyTable* before = nullptr;
  for (const FrequencyTable& table : tables) {
    const std::size_t end = lastUsed(table);
    bits.bits(static_cast<std::uint32_t>(end), 9);
    for (std::size_t s = 0; s < end; ++s) {
      const std::uint32_t guess = predicted(before, s);
      const unsigned shift = guess < 16 ? 0 : static_cast<unsigned>(std::bit_width(guess)) - 4;
      const std::int64_t distance =
          static_cast<std::int64_t>(table[s] >> shift) - static_cast<std::int64_t>(guess >> shift);
      bits.gamma(static_cast<std::uint32_t>(zigzag(distance)));
      bits.bits(table[s], shift);
    }
    if (end > 0) before = &table;
  }
  const auto packed = bits.take();
  out.varint(packed.size());
  out.bytes(packed);
}

std::optional<std::vector<FrequencyTable>> readTables(ByteReader& in, std::size_t tableCount,
                                                      std::size_t alphabet) {
  const auto packed = in.bytes(in.varint());
  if (in.failed()) return std::nullopt;
  BitReader bits(packed);
  std::vector<FrequencyTable> tables;
  const FrequencyTable* before = nullptr;
  tables.reserve(tableCount);
  for (std::size_t t = 0; t < tableCount; ++t) {
    FrequencyTable& table = tables.emplace_back(alphabet, 0);
    const std::size_t end = bits.bits(9);
    if (end > alphabet) return std::nullopt;
    std::int64_t sum = 0;
    for (std::size_t s = 0; s < end; ++s) {
      const std::uint32_t guess = predicted(before, s);
      const unsigned shift = guess < 16 ? 0 : static_cast<unsigned>(std::bit_width(guess)) - 4;
      const std::int64_t high = unzigzag(bits.gamma()) + static_cast<std::int64_t>(guess >> shift);
      const std::int64_t frequency = high * (std::int64_t{1} << shift) + bits.bits(shift);
      if (frequency < 0 || frequency > kProbabilityScale) return std::nullopt;
      table[s] = static_cast<std::uint16_t>(frequency);
      sum += frequency;
    }
    if (bits.failed() || (end > 0 && (sum != kProbabilityScale || table[end - 1] == 0))) {
      return std::nullopt;
    }
    if (end > 0) before = &table;
  }
  if (!bits.endedClean()) return std::nullopt;
  return tables;
}

std::vector<std::uint32_t> decoderTable(std::span<const FrequencyTable> tables) {
  std::vector<std::uint32_t> slots(tables.size() * kProbabilityScale);
  std::uint32_t* to = slots.data();
  for (const FrequencyTable& table : tables) {
    std::uint32_t* const end = to + kProbabilityScale;
    for (std::uint32_t s = 0; s < table.size(); ++s) {
      if (table[s] == 0) continue;
      const std::uint32_t first = s << 22 | (table[s] - 1U) << kProbabilityBits;
      std::iota(to, to + table[s], first);
      to += table[s];
    }
    if (to != end) std::iota(to, end, (kProbabilityScale - 1) << kProbabilityBits);
    to = end;
  }
  return slots;
}

std::vector<kernels::RansEncoderEntry> encoderTable(std::span<const FrequencyTable> tables) {
  std::vector<kernels::RansEncoderEntry> entries;
  for (const FrequencyTable& table : tables) {
    std::uint32_t start = 0;
    for (const std::uint16_t frequency : table) {
      const float reciprocal = 1.0F / static_cast<float>(std::max<std::uint16_t>(frequency, 1));
      entries.push_back({frequency, static_cast<std::uint16_t>(start), reciprocal});
      start += frequency;
    }
  }
  return entries;
}

}  // namespace strata
