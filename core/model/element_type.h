#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace strata {

/// Type of a tensor's elements. The numbers are stored in manifests: never renumbered or reused.
/// Covers ONNX up to IR 13 and safetensors.
enum class ElementType : std::uint8_t {
  Bytes = 0,  ///< opaque bytes without a numeric meaning for Strata
  F32 = 1,
  F64 = 2,
  F16 = 3,
  BF16 = 4,
  I8 = 5,
  U8 = 6,
  I16 = 7,
  U16 = 8,
  I32 = 9,
  U32 = 10,
  I64 = 11,
  U64 = 12,
  Bool = 13,
  C64 = 14,   ///< two f32
  C128 = 15,  ///< two f64
  F8E4M3FN = 16,
  F8E4M3FNUZ = 17,
  F8E5M2 = 18,
  F8E5M2FNUZ = 19,
  F8E8M0 = 20,
  I4 = 21,  ///< packed, two a byte, low half first; so are U4 and F4E2M1
  U4 = 22,
  F4E2M1 = 23,
  I2 = 24,  ///< packed, four a byte; so is U2
  U2 = 25,
  F6E2M3 = 26,  ///< packed, safetensors only; so is F6E3M2
  F6E3M2 = 27,
  F8E4M3 = 28,  ///< the IEEE-like kind of safetensors
};

/// What the codecs compute on: how many bits a word has and what its bits mean.
struct WordFormat {
  std::uint32_t bytes = 1;         ///< bytes of one word: 1, 2, 4 or 8
  std::uint32_t mantissaBits = 0;  ///< explicit mantissa bits of a float; 0 otherwise
  bool isFloat = false;            ///< sign, exponent, mantissa from the top bit down
  bool isSigned = false;           ///< two's complement; false for floats

  friend bool operator==(const WordFormat&, const WordFormat&) = default;
};

/// Bits of one element: 2 to 128.
std::uint32_t bitsPerElement(ElementType type) noexcept;

/// Bytes of `elementCount` elements, the last byte padded; nothing where that does not fit.
std::optional<std::uint64_t> bytesOfElements(ElementType type, std::uint64_t elementCount) noexcept;

/// Words that the codecs see: sub-byte types are bytes, complex types pairs of floats.
WordFormat wordFormat(ElementType type) noexcept;

/// Lower-case name as shown to users: "f32", "bf16", "f8e4m3fn", "bytes".
std::string_view name(ElementType type) noexcept;

/// The type of a stored number; nothing where it is unknown to this reader.
std::optional<ElementType> elementTypeFromStored(std::uint32_t stored) noexcept;

}  // namespace strata
