#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/model/element_type.h"

namespace strata {

/// What a file of NumPy's format (.npy) says of its array.
struct NpyHeader {
  ElementType type = ElementType::Bytes;  ///< Bytes for big-endian words, texts, records, objects
  std::vector<std::uint64_t> shape;       ///< as the elements lie: turned round for Fortran's order
  bool isTurned = false;                  ///< it is of Fortran's order
  std::uint64_t byteCount = 0;            ///< of the header; the elements follow it
};

/// Reads the header, of format 1 to 3; nothing where it is none.
std::optional<NpyHeader> readNpyHeader(std::span<const std::byte> file);

}  // namespace strata
