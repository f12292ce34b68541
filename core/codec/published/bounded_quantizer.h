#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/codec/lossy/lossy_words.h"
#include "core/codec/published/bounded_numbers.h"

namespace strata {

/// Numbers of up to kLossyChunkWords words, and the words among them that are stored as they are.
struct BoundedChunk {
  std::int32_t numbers[kLossyChunkWords];
  std::vector<std::uint32_t> exact;
};

/// Turns differences into numbers and sees to it that every word keeps the bound. All views are
/// kept.
class BoundedQuantizer {
 public:
  BoundedQuantizer(const EncodeInput& input, const PartValues& values,
                   std::span<const float> differences, double bound)
      : input_(input), values_(values), differences_(differences), bound_(bound) {}

  std::size_t count() const noexcept { return differences_.size(); }
  std::size_t wordBytes() const noexcept { return input_.shape.word.bytes; }

  /// Numbers of the words from `first` on, as many as `restored` has words, which receives what
  /// they decode to: each within the bound.
  void quantizeChunk(const BoundedScheme& scheme, std::size_t first, BoundedChunk& chunk,
                     std::span<std::byte> restored) const;

 private:
  bool holds(float found, std::size_t at) const noexcept;
  bool moveNumber(const BoundedScheme& scheme, std::size_t at, std::int32_t& number,
                  std::span<std::byte> out) const;

  const EncodeInput& input_;
  const PartValues& values_;
  std::span<const float> differences_;
  double bound_;
};

}  // namespace strata
