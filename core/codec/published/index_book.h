#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/codec/entropy/byte_io.h"
#include "core/result.h"

namespace strata {

/// What a level index means beside a level: kFirstLevel + n is level n.
inline constexpr std::uint8_t kPrunedIndex = 0;     ///< the word is 0
inline constexpr std::uint8_t kProtectedIndex = 1;  ///< the word stands apart, as bf16
inline constexpr std::uint8_t kFirstLevel = 2;
/// Most levels of a codebook, so that indices and their changes fit a byte.
inline constexpr unsigned kMostLevels = 254;

/// How the words of a parent become level indices.
enum class BookKind : std::uint8_t {
  Cuts =
      0,  ///< any words: small ones are pruned, large ones protected, others take the nearest level
  Levels = 1,  ///< words that lie on levels already: 0 is pruned, what is on no level is protected
};

class DeviceQuantizer;

/// A codebook: levels and, for `Cuts`, where pruning ends and protection begins.
struct IndexBook {
  BookKind kind = BookKind::Cuts;
  float pruneBelow = 0;  ///< largest magnitude that is pruned
  float protectAbove = std::numeric_limits<float>::infinity();  ///< magnitudes above are protected
  std::vector<float> levels;                                    ///< 1 to kMostLevels, ascending
  std::vector<float> edges;                                     ///< of levels

  unsigned indexCount() const noexcept {
    return kFirstLevel + static_cast<unsigned>(levels.size());
  }
  /// Level indices of values; the same on every machine.
  void indices(std::span<const float> values, std::uint8_t* out,
               DeviceQuantizer* device = nullptr) const;
};

/// docs/FORMAT.md, "Codec index". Edges are not written.
void writeLevels(ByteWriter& out, std::span<const float> levels);
/// Fails with CorruptData.
Result<std::vector<float>> readLevels(ByteReader& in);

}  // namespace strata
