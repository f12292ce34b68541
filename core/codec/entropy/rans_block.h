#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/codec/words/word_buffer.h"
#include "kernels/cpu_kernels.h"

namespace strata {

/// Lanes for a stream of so many symbols: 32, or 4 where 32 lane states would weigh too much.
unsigned lanesFor(std::uint64_t symbolCount) noexcept;

/// A decoder over the bytes of one rANS stream: lane states, then 16-bit words. Nothing if the
/// bytes are too short or odd.
std::optional<kernels::RansDecoder> openRansStream(std::span<const std::byte> bytes,
                                                   unsigned lanes) noexcept;

/// Whether a decoder that has given all its symbols ended as the encoder began: every state at its
/// start and every word used.
bool endedClean(const kernels::RansDecoder& decoder) noexcept;

/// Scratch of an encoder; kept from block to block.
struct RansScratch {
  WordBuffer<std::uint16_t> words;
};

/// Encodes one block of differences, given in pieces of which the last comes first.
class DeltaStreamEncoder {
 public:
  /// For at most `symbolCount` symbols; `scratch` is borrowed.
  DeltaStreamEncoder(std::size_t symbolCount, unsigned lanes, RansScratch& scratch);

  /// Puts a piece in front; all but the first one given are a multiple of the lanes long. False if
  /// one of its symbols has no place in its table; the stream is then lost.
  [[nodiscard]] bool prepend(std::span<const kernels::RansEncoderEntry> entries,
                             std::size_t alphabet, std::span<const std::uint8_t> contexts,
                             kernels::DeltaCodes codes) noexcept;
  void appendTo(std::vector<std::byte>& out) const;

 private:
  unsigned lanes_;
  const std::uint16_t* end_;
  std::uint16_t* from_;
  std::uint32_t states_[kernels::kMaxLanes];
};

/// Encodes one block of differences, all of which have a place in the tables, into bytes appended
/// to `out`.
void appendDeltaStream(std::span<const kernels::RansEncoderEntry> entries, std::size_t alphabet,
                       std::span<const std::uint8_t> contexts, kernels::DeltaCodes codes,
                       unsigned lanes, RansScratch& scratch, std::vector<std::byte>& out);

/// Encodes plain symbols with one table into bytes appended to `out`.
void appendSymbolStream(std::span<const kernels::RansEncoderEntry> entries,
                        std::span<const std::uint8_t> symbols, unsigned lanes, RansScratch& scratch,
                        std::vector<std::byte>& out);

}  // namespace strata
