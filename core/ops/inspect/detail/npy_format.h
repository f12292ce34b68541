#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/model/element_type.h"

namespace strata {

/// How a tensor lies in a NumPy file.
struct NpyLayout {
  std::string type;  ///< NumPy's word for the element type: "<f4"
  std::vector<std::uint64_t> shape;
  bool isWidened = false;  ///< bf16 becomes f32, which NumPy knows
};

/// Types that NumPy has no word for are given as bytes: one for each element, or a plain row of
/// them where elements share bytes.
NpyLayout npyLayout(ElementType type, std::span<const std::uint64_t> shape,
                    std::uint64_t byteCount);

/// The header of a NumPy file, format 1.0 or, for very many dimensions, 2.0.
std::string npyHeader(const NpyLayout& layout);

/// bf16 words as f32 words.
std::vector<std::byte> widenBf16(std::span<const std::byte> words);

}  // namespace strata
