#include "core/codec/entropy/huffman.h"

#include <algorithm>
#include <numeric>

#include "core/codec/entropy/byte_stream.h"

namespace strata {
namespace {

constexpr unsigned kMostTableBits = 10;

/// Depths of the leaves of a Huffman tree over weights that ascend: two queues, one of leaves and
/// one of inner nodes, which also come up in ascending order.
std::vector<std::uint32_t> leafDepths(std::span<const std::uint64_t> weights) {
  const std::size_t n = weights.size();
  std::vector<std::uint64_t> inner;
  std::vector<std::size_t> parent(2 * n - 1);
  std::size_t leaf = 0;
  std::size_t node = 0;
  const auto next = [&] {
    const bool takesLeaf = leaf < n && (node == inner.size() || weights[leaf] <= inner[node]);
    return takesLeaf ? leaf++ : n + node++;
  };
  const auto weightOf = [&](std::size_t i) { return i < n ? weights[i] : inner[i - n]; };
  while (inner.size() + 1 < n) {
    const std::size_t a = next();
    const std::size_t b = next();
    parent[a] = parent[b] = n + inner.size();
    inner.push_back(weightOf(a) + weightOf(b));
  }
  std::vector<std::uint32_t> depths(2 * n - 1, 0);
  for (std::size_t i = 2 * n - 2; i-- > 0;) depths[i] = depths[parent[i]] + 1;
  depths.resize(n);
  return depths;
}

std::uint32_t reversed(std::uint32_t bits, unsigned count) noexcept {
  std::uint32_t out = 0;
  for (unsigned i = 0; i < count; ++i) out |= (bits >> i & 1) << (count - 1 - i);
  return out;
}

}  // namespace

std::vector<std::uint8_t> huffmanLengths(std::span<const std::uint32_t> counts) {
  std::vector<std::uint8_t> lengths(counts.size(), 0);
  std::vector<std::size_t> used;
  for (std::size_t s = 0; s < counts.size(); ++s) {
    if (counts[s] != 0) used.push_back(s);
  }
  if (used.size() < 2) return lengths;
  std::stable_sort(used.begin(), used.end(),
                   [&](std::size_t a, std::size_t b) { return counts[a] < counts[b]; });
  std::vector<std::uint64_t> weights;
  for (const std::size_t s : used) weights.push_back(counts[s]);
  auto depths = leafDepths(weights);
  // Weights that differ less give a flatter tree; equal ones a depth of 24 at most.
  while (*std::max_element(depths.begin(), depths.end()) > kMostCodeBits) {
    for (std::uint64_t& w : weights) w = w / 2 + 1;
    depths = leafDepths(weights);
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    lengths[used[i]] = static_cast<std::uint8_t>(depths[i]);
  }
  return lengths;
}

std::optional<PrefixCode> PrefixCode::make(std::vector<CodeSymbol> symbols) {
  PrefixCode code;
  code.symbols_ = std::move(symbols);
  const std::size_t n = code.symbols_.size();
  code.words_.resize(n);
  if (n == 0) return code;
  if (n == 1) return code.symbols_[0].length == 0 ? std::optional(std::move(code)) : std::nullopt;
  std::uint32_t lengthCounts[kMostCodeBits + 2] = {};
  std::uint64_t filled = 0;
  for (const CodeSymbol& s : code.symbols_) {
    if (s.length == 0 || s.length > kMostCodeBits) return std::nullopt;
    ++lengthCounts[s.length];
    filled += std::uint64_t{1} << (kMostCodeBits - s.length);
  }
  if (filled != std::uint64_t{1} << kMostCodeBits) return std::nullopt;
  code.order_.resize(n);
  std::iota(code.order_.begin(), code.order_.end(), 0U);
  std::stable_sort(code.order_.begin(), code.order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return code.symbols_[a].length < code.symbols_[b].length;
  });
  const unsigned longest = code.symbols_[code.order_.back()].length;
  code.tableBits_ = std::min(longest, kMostTableBits);
  code.table_.resize(std::size_t{1} << code.tableBits_);
  std::uint32_t word = 0;
  std::uint32_t place = 0;
  for (unsigned length = 1; length <= kMostCodeBits; ++length) {
    word <<= 1;
    code.first_[length] = word;
    code.place_[length] = place;
    for (std::uint32_t i = 0; i < lengthCounts[length]; ++i, ++word, ++place) {
      const std::uint32_t rank = code.order_[place];
      const std::uint32_t bits = reversed(word, length);
      code.words_[rank] = {bits, static_cast<std::uint8_t>(length)};
      if (length > code.tableBits_) continue;
      for (std::size_t at = bits; at < code.table_.size(); at += std::size_t{1} << length) {
        code.table_[at] = {code.symbols_[rank].symbol, static_cast<std::uint8_t>(length)};
      }
    }
  }
  return code;
}

std::optional<PrefixCode> PrefixCode::read(ByteReader& in) {
  const std::uint64_t count = in.varint();
  if (in.failed() || count > in.rest().size()) return std::nullopt;
  std::vector<CodeSymbol> symbols;
  symbols.reserve(count);
  std::int64_t symbol = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t step = in.varint();
    if (in.failed() || step > UINT32_MAX || (i > 0 && step == 0)) return std::nullopt;
    symbol = i == 0 ? unzigzag(step) : symbol + static_cast<std::int64_t>(step);
    if (symbol < INT32_MIN || symbol > INT32_MAX) return std::nullopt;
    symbols.push_back({static_cast<std::int32_t>(symbol), 0});
  }
  if (count > 1) {
    const auto lengths = readByteStream(in, count);
    if (!lengths) return std::nullopt;
    for (std::size_t i = 0; i < symbols.size(); ++i) symbols[i].length = (*lengths)[i];
  }
  return make(std::move(symbols));
}

void PrefixCode::write(ByteWriter& out) const {
  out.varint(symbols_.size());
  std::int64_t last = 0;
  std::vector<std::uint8_t> lengths;
  for (const CodeSymbol& s : symbols_) {
    out.varint(lengths.empty() ? zigzag(s.symbol) : static_cast<std::uint64_t>(s.symbol - last));
    last = s.symbol;
    lengths.push_back(s.length);
  }
  if (symbols_.size() > 1) writeByteStream(out, lengths);
}

std::size_t PrefixCode::rankOf(std::int32_t symbol) const noexcept {
  const auto found =
      std::lower_bound(symbols_.begin(), symbols_.end(), symbol,
                       [](const CodeSymbol& s, std::int32_t wanted) { return s.symbol < wanted; });
  return static_cast<std::size_t>(found - symbols_.begin());
}

void CodeWriter::put(const PrefixCode& code, std::int32_t symbol) {
  const PrefixCode::Word word = code.words_[code.rankOf(symbol)];
  bits_ |= std::uint64_t{word.bits} << used_;
  used_ += word.length;
  for (; used_ >= 8; used_ -= 8, bits_ >>= 8) out_.push_back(static_cast<std::byte>(bits_));
}

void CodeWriter::finish() {
  if (used_ > 0) out_.push_back(static_cast<std::byte>(bits_));
  bits_ = 0;
  used_ = 0;
}

void CodeReader::refill() noexcept {
  for (; ready_ <= 56; ready_ += 8, ++at_) {
    if (at_ < bytes_.size()) bits_ |= std::to_integer<std::uint64_t>(bytes_[at_]) << ready_;
  }
}

std::int32_t CodeReader::take(const PrefixCode& code) noexcept {
  if (code.table_.empty()) return code.symbols_[0].symbol;
  if (ready_ < kMostCodeBits) refill();
  PrefixCode::Entry entry = code.table_[bits_ & (code.table_.size() - 1)];
  if (entry.length == 0) {
    // Every bit string begins with a word of a complete code.
    std::uint32_t word = reversed(static_cast<std::uint32_t>(bits_), code.tableBits_);
    unsigned length = code.tableBits_;
    std::uint32_t end = 0;
    do {
      word = word << 1 | static_cast<std::uint32_t>(bits_ >> length & 1);
      ++length;
      end = length == kMostCodeBits
                ? UINT32_MAX
                : code.first_[length] + (code.place_[length + 1] - code.place_[length]);
    } while (word >= end);
    const std::uint32_t place = code.place_[length] + (word - code.first_[length]);
    entry = {code.symbols_[code.order_[place]].symbol, static_cast<std::uint8_t>(length)};
  }
  bits_ >>= entry.length;
  ready_ -= entry.length;
  taken_ += entry.length;
  return entry.symbol;
}

bool CodeReader::endedClean() const noexcept {
  if ((taken_ + 7) / 8 != bytes_.size()) return false;
  return taken_ % 8 == 0 || std::to_integer<unsigned>(bytes_.back()) >> (taken_ % 8) == 0;
}

}  // namespace strata
