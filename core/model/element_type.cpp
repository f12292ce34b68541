#include "core/model/element_type.h"

#include <array>

#include "core/checked_math.h"

namespace strata {
namespace {

struct Traits {
  std::string_view name;
  std::uint32_t bits;
  WordFormat word;
};

constexpr WordFormat kByte{1, 0, false, false};
constexpr std::array<Traits, 29> kTraits{{
    {"bytes", 8, kByte},
    {"f32", 32, {4, 23, true, false}},
    {"f64", 64, {8, 52, true, false}},
    {"f16", 16, {2, 10, true, false}},
    {"bf16", 16, {2, 7, true, false}},
    {"i8", 8, {1, 0, false, true}},
    {"u8", 8, kByte},
    {"i16", 16, {2, 0, false, true}},
    {"u16", 16, {2, 0, false, false}},
    {"i32", 32, {4, 0, false, true}},
    {"u32", 32, {4, 0, false, false}},
    {"i64", 64, {8, 0, false, true}},
    {"u64", 64, {8, 0, false, false}},
    {"bool", 8, kByte},
    {"c64", 64, {4, 23, true, false}},
    {"c128", 128, {8, 52, true, false}},
    {"f8e4m3fn", 8, {1, 3, true, false}},
    {"f8e4m3fnuz", 8, {1, 3, true, false}},
    {"f8e5m2", 8, {1, 2, true, false}},
    {"f8e5m2fnuz", 8, {1, 2, true, false}},
    {"f8e8m0", 8, kByte},
    {"i4", 4, kByte},
    {"u4", 4, kByte},
    {"f4e2m1", 4, kByte},
    {"i2", 2, kByte},
    {"u2", 2, kByte},
    {"f6e2m3", 6, kByte},
    {"f6e3m2", 6, kByte},
    {"f8e4m3", 8, {1, 3, true, false}},
}};

const Traits& traits(ElementType type) noexcept { return kTraits[static_cast<std::size_t>(type)]; }

}  // namespace

std::uint32_t bitsPerElement(ElementType type) noexcept { return traits(type).bits; }

std::optional<std::uint64_t> bytesOfElements(ElementType type,
                                             std::uint64_t elementCount) noexcept {
  const std::uint64_t bits = bitsPerElement(type);
  if (bits % 8 == 0) return checkedMultiply<std::uint64_t>(elementCount, bits / 8);
  const auto whole = checkedMultiply<std::uint64_t>(elementCount / 8, bits);
  if (!whole) return std::nullopt;
  return checkedAdd<std::uint64_t>(*whole, ceilDivide(elementCount % 8 * bits, std::uint64_t{8}));
}

WordFormat wordFormat(ElementType type) noexcept { return traits(type).word; }

std::string_view name(ElementType type) noexcept { return traits(type).name; }

std::optional<ElementType> elementTypeFromStored(std::uint32_t stored) noexcept {
  if (stored >= kTraits.size()) return std::nullopt;
  return static_cast<ElementType>(stored);
}

}  // namespace strata
