#include "core/codec/entropy/byte_stream.h"

#include <algorithm>
#include <array>

#include "core/codec/entropy/frequency_table.h"
#include "core/codec/entropy/rans_block.h"

namespace strata {
namespace {

enum class StreamMode : std::uint8_t { Raw = 0, Constant = 1, Coded = 2 };

}  // namespace

void writeByteStream(ByteWriter& out, std::span<const std::uint8_t> values) {
  if (values.empty()) return;
  if (std::all_of(values.begin(), values.end(), [&](auto v) { return v == values[0]; })) {
    out.byte(static_cast<std::uint8_t>(StreamMode::Constant));
    out.byte(values[0]);
    return;
  }
  std::array<std::uint32_t, kMaxAlphabet> counts{};
  for (const std::uint8_t v : values) ++counts[v];
  const FrequencyTable table = normalise(counts);
  ByteWriter coded;
  writeTables(coded, {&table, 1});
  std::vector<std::byte> stream;
  RansScratch scratch;
  appendSymbolStream(encoderTable({&table, 1}), values, lanesFor(values.size()), scratch, stream);
  coded.varint(stream.size());
  coded.bytes(stream);
  if (coded.size() >= values.size()) {
    out.byte(static_cast<std::uint8_t>(StreamMode::Raw));
    out.bytes(std::as_bytes(values));
    return;
  }
  out.byte(static_cast<std::uint8_t>(StreamMode::Coded));
  out.bytes(coded.view());
}

std::optional<std::vector<std::uint8_t>> readByteStream(ByteReader& in, std::uint64_t count) {
  if (count == 0) return std::vector<std::uint8_t>{};
  switch (static_cast<StreamMode>(in.byte())) {
    case StreamMode::Raw: {
      const auto raw = in.bytes(count);
      if (in.failed()) return std::nullopt;
      const auto* from = reinterpret_cast<const std::uint8_t*>(raw.data());
      return std::vector<std::uint8_t>(from, from + raw.size());
    }
    case StreamMode::Constant: {
      const std::uint8_t value = in.byte();
      if (in.failed()) return std::nullopt;
      return std::vector<std::uint8_t>(count, value);
    }
    case StreamMode::Coded: {
      const auto tables = readTables(in, 1, kMaxAlphabet);
      if (!tables) return std::nullopt;
      const auto stream = in.bytes(in.varint());
      if (in.failed()) return std::nullopt;
      auto decoder = openRansStream(stream, lanesFor(count));
      if (!decoder) return std::nullopt;
      std::vector<std::uint8_t> values(count);
      const auto slots = decoderTable(*tables);
      kernels::bestKernels().decodeSymbols(*decoder, slots.data(), count, values.data());
      if (!endedClean(*decoder)) return std::nullopt;
      return values;
    }
  }
  return std::nullopt;
}

}  // namespace strata
