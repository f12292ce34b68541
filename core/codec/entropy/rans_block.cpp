#include "core/codec/entropy/rans_block.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace strata {
namespace {

using kernels::kMaxLanes;
using kernels::kStateLow;

/// Below this many symbols the states of 32 lanes would be a percent of the stream.
constexpr std::uint64_t kManyLanesFrom = 16384;

void appendStream(const std::uint32_t* states, unsigned lanes, const std::uint16_t* from,
                  const std::uint16_t* end, std::vector<std::byte>& out) {
  const auto* s = reinterpret_cast<const std::byte*>(states);
  const auto* w = reinterpret_cast<const std::byte*>(from);
  out.insert(out.end(), s, s + lanes * sizeof(std::uint32_t));
  out.insert(out.end(), w, reinterpret_cast<const std::byte*>(end));
}

}  // namespace

unsigned lanesFor(std::uint64_t symbolCount) noexcept {
  return symbolCount >= kManyLanesFrom ? 32 : 4;
}

std::optional<kernels::RansDecoder> openRansStream(std::span<const std::byte> bytes,
                                                   unsigned lanes) noexcept {
  const std::size_t stateBytes = lanes * sizeof(std::uint32_t);
  if (bytes.size() < stateBytes || bytes.size() % 2 != 0) return std::nullopt;
  kernels::RansDecoder decoder{};
  decoder.lanes = lanes;
  std::memcpy(decoder.state, bytes.data(), stateBytes);
  decoder.next = reinterpret_cast<const std::uint16_t*>(bytes.data() + stateBytes);
  decoder.end = reinterpret_cast<const std::uint16_t*>(bytes.data() + bytes.size());
  return decoder;
}

bool endedClean(const kernels::RansDecoder& decoder) noexcept {
  return decoder.next == decoder.end &&
         std::all_of(decoder.state, decoder.state + decoder.lanes,
                     [](std::uint32_t state) { return state == kStateLow; });
}

DeltaStreamEncoder::DeltaStreamEncoder(std::size_t symbolCount, unsigned lanes,
                                       RansScratch& scratch)
    : lanes_(lanes) {
  const auto words = scratch.words.first(symbolCount * 3 + kernels::kEncoderSlackWords);
  end_ = from_ = words.data() + words.size();
  std::fill_n(states_, lanes, kStateLow);
}

bool DeltaStreamEncoder::prepend(std::span<const kernels::RansEncoderEntry> entries,
                                 std::size_t alphabet, std::span<const std::uint8_t> contexts,
                                 kernels::DeltaCodes codes) noexcept {
  from_ = kernels::bestKernels().encodeDeltas(entries.data(), alphabet, contexts.data(), codes,
                                              contexts.size(), lanes_, states_, from_);
  return from_ != nullptr;
}

void DeltaStreamEncoder::appendTo(std::vector<std::byte>& out) const {
  appendStream(states_, lanes_, from_, end_, out);
}

void appendDeltaStream(std::span<const kernels::RansEncoderEntry> entries, std::size_t alphabet,
                       std::span<const std::uint8_t> contexts, kernels::DeltaCodes codes,
                       unsigned lanes, RansScratch& scratch, std::vector<std::byte>& out) {
  DeltaStreamEncoder encoder(contexts.size(), lanes, scratch);
  [[maybe_unused]] const bool coded = encoder.prepend(entries, alphabet, contexts, codes);
  assert(coded);
  encoder.appendTo(out);
}

void appendSymbolStream(std::span<const kernels::RansEncoderEntry> entries,
                        std::span<const std::uint8_t> symbols, unsigned lanes, RansScratch& scratch,
                        std::vector<std::byte>& out) {
  const auto words = scratch.words.first(symbols.size() + kernels::kEncoderSlackWords);
  std::uint32_t states[kMaxLanes];
  std::fill_n(states, lanes, kStateLow);
  std::uint16_t* end = words.data() + words.size();
  const std::uint16_t* from = kernels::bestKernels().encodeSymbols(
      entries.data(), symbols.data(), symbols.size(), lanes, states, end);
  appendStream(states, lanes, from, end, out);
}

}  // namespace strata
