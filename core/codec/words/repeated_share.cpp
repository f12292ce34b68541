#include "core/codec/words/repeated_share.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace strata {
namespace {

/// Runs of words that are drawn, about.
constexpr std::size_t kDrawn = 1 << 13;
/// A single f32 word says enough if it has so many bits that are not always zero.
constexpr unsigned kTellingBits = 28;

/// Counts hashes that it was given before; forgets one where another takes its slot.
class SeenBefore {
 public:
  void add(std::uint64_t hash) noexcept {
    const auto tag = static_cast<std::uint32_t>(hash >> 32) | 1;
    std::uint32_t& slot = slots_[hash % kSlots];
    repeats_ += slot == tag ? 1 : 0;
    slot = tag;
    ++count_;
  }
  double share() const noexcept {
    return count_ == 0 ? 0 : static_cast<double>(repeats_) / static_cast<double>(count_);
  }

 private:
  static constexpr std::size_t kSlots = 8 * kDrawn;
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(kSlots);
  std::uint64_t count_ = 0;
  std::uint64_t repeats_ = 0;
};

std::uint64_t mixed(std::uint64_t value) noexcept {
  value *= 0x9E3779B97F4A7C15ULL;
  return (value ^ value >> 32) * 0xD6E8FEB86659FD93ULL;
}

/// Runs are drawn by what they hold, so that equal ones are drawn together. Some are drawn by where
/// they lie: these tell of runs that are there very often.
template <std::size_t kRunBytes>
double shareOfRuns(std::span<const std::byte> words, std::size_t wordBytes) {
  if (words.size() < kRunBytes) return 0;
  const std::size_t runs = (words.size() - kRunBytes) / wordBytes + 1;
  const auto skipLog2 = runs <= kDrawn ? 0 : static_cast<unsigned>(std::bit_width(runs / kDrawn));
  const std::uint64_t mask = (std::uint64_t{1} << skipLog2) - 1;
  const auto hashAt = [&](std::size_t run) {
    const std::byte* const at = words.data() + run * wordBytes;
    std::uint64_t low = 0;
    std::memcpy(&low, at, std::min<std::size_t>(kRunBytes, 8));
    if constexpr (kRunBytes <= 8) {
      return mixed(low);
    } else {
      std::uint64_t high = 0;
      std::memcpy(&high, at + 8, kRunBytes - 8);
      return mixed(mixed(low) ^ high);
    }
  };
  SeenBefore byContent;
  for (std::size_t run = 0; run < runs; ++run) {
    const std::uint64_t hash = hashAt(run);
    if ((hash >> 20 & mask) == 0) byContent.add(hash);
  }
  SeenBefore byPlace;
  for (std::size_t i = 0; i < std::min(runs, kDrawn); ++i) {
    byPlace.add(hashAt(i * runs / std::min(runs, kDrawn)));
  }
  return std::max(byContent.share(), byPlace.share());
}

/// Bits of f32 words that are not zero in all of them, counted from the highest.
unsigned usedBits(std::span<const std::byte> words) noexcept {
  std::uint32_t all = 0;
  for (std::size_t at = 0; at + sizeof all <= words.size() && (all & 1) == 0; at += sizeof all) {
    std::uint32_t word = 0;
    std::memcpy(&word, words.data() + at, sizeof word);
    all |= word;
  }
  return 32 - static_cast<unsigned>(std::countr_zero(all));
}

}  // namespace

double repeatedShare(const PartShape& shape, std::span<const std::byte> words) {
  const std::size_t wordBytes = shape.word.bytes;
  if (wordBytes != 4) return shareOfRuns<8>(words, wordBytes);
  return usedBits(words) >= kTellingBits ? shareOfRuns<4>(words, wordBytes)
                                         : shareOfRuns<16>(words, wordBytes);
}

}  // namespace strata
