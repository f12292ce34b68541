#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/codec/entropy/byte_io.h"
#include "kernels/cpu_kernels.h"

namespace strata {

/// Frequencies of one context's symbols: they sum to 2^11, or are all zero for a context that
/// nothing uses.
using FrequencyTable = std::vector<std::uint16_t>;

/// Most symbols of one alphabet.
inline constexpr std::size_t kMaxAlphabet = 256;

/// Scales counts to frequencies so that the coded size is smallest; every symbol that occurs keeps
/// at least 1. All zero if no symbol occurs. At most kMaxAlphabet counts.
FrequencyTable normalise(std::span<const std::uint32_t> counts);

/// Bits that the counted symbols take at their own entropy.
double entropyBits(std::span<const std::uint32_t> counts);
/// Bits that they take under `table`; infinite if a counted symbol has no place in it.
double codedBits(std::span<const std::uint32_t> counts, const FrequencyTable& table);

/// docs/FORMAT.md, "Frequency tables". All tables have the same alphabet.
void writeTables(ByteWriter& out, std::span<const FrequencyTable> tables);
/// Nothing if the bytes are no tables or a table does not sum to 2^11.
std::optional<std::vector<FrequencyTable>> readTables(ByteReader& in, std::size_t tableCount,
                                                      std::size_t alphabet);

/// The decoder's form: 2^11 entries per table, one after the other. An unused table decodes as if
/// only symbol 0 occurred.
std::vector<std::uint32_t> decoderTable(std::span<const FrequencyTable> tables);
/// The encoder's form: one entry per symbol of each table.
std::vector<kernels::RansEncoderEntry> encoderTable(std::span<const FrequencyTable> tables);

}  // namespace strata
