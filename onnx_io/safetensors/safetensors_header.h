#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/model/element_type.h"
#include "core/result.h"

namespace strata {

/// One tensor as the header of a safetensors file lists it.
struct SafetensorsEntry {
  std::string name;
  std::string dtype;
  std::vector<std::uint64_t> shape;
  std::array<std::uint64_t, 2> dataOffsets{};  ///< begin and end, from the end of the header
};

/// What the header says, as written; in file order.
struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;
  std::vector<std::pair<std::string, std::string>> metadata;  ///< of `__metadata__`
};

/// Reads the JSON of a header. Fails with CorruptData if it is not what the format asks for: a
/// field that is missing, of another type or there twice, two tensors of one name.
Result<SafetensorsHeader> parseSafetensorsHeader(std::span<const std::byte> json);

}  // namespace strata
