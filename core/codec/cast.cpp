#include "core/codec/cast.h"

#include <bit>
#include <cassert>
#include <cstring>

#include "core/codec/predictor.h"

namespace strata {
namespace {

using kernels::FloatKind;

std::uint16_t bfloatOf(std::uint32_t bits) noexcept {
  if ((bits & 0x7fffffff) > 0x7f800000) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

std::uint16_t halfOf(std::uint32_t bits) noexcept {
  const std::uint32_t sign = bits >> 16 & 0x8000;
  const std::uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) {
    return static_cast<std::uint16_t>(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
  }
  if (magnitude >= 0x477ff000) return static_cast<std::uint16_t>(sign | 0x7c00);
  if (magnitude < 0x38800000) {
    // Adding 0.5 puts the half's last place at the float's: the addition rounds to nearest even.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000));
  }
  return static_cast<std::uint16_t>(
      sign | (magnitude - (112U << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13);
}

FloatKind kindOf(ElementType type) noexcept {
  if (type == ElementType::F32) return FloatKind::F32;
  return type == ElementType::F16 ? FloatKind::F16 : FloatKind::BF16;
}

template <typename In, typename Out, typename Convert>
void convertAll(std::span<const std::byte> in, std::span<std::byte> out, Convert&& convert) {
  for (std::size_t i = 0; i < in.size() / sizeof(In); ++i) {
    In word;
    std::memcpy(&word, in.data() + i * sizeof(In), sizeof word);
    const Out made = convert(word);
    std::memcpy(out.data() + i * sizeof(Out), &made, sizeof made);
  }
}

std::uint16_t narrowed(std::uint32_t bits, FloatKind kind) noexcept {
  return kind == FloatKind::F16 ? halfOf(bits) : bfloatOf(bits);
}

}  // namespace

bool canCast(ElementType from, ElementType to) noexcept {
  const auto isFloat = [](ElementType t) {
    return t == ElementType::F32 || t == ElementType::F16 || t == ElementType::BF16;
  };
  return isFloat(from) && isFloat(to);
}

void castWords(ElementType from, std::span<const std::byte> in, ElementType to,
               std::span<std::byte> out) noexcept {
  assert(canCast(from, to));
  const FloatKind source = kindOf(from);
  const FloatKind target = kindOf(to);
  if (from == to) {
    if (!in.empty()) std::memcpy(out.data(), in.data(), in.size());
  } else if (source == FloatKind::F32) {
    convertAll<std::uint32_t, std::uint16_t>(in, out,
                                             [&](std::uint32_t w) { return narrowed(w, target); });
  } else if (target == FloatKind::F32) {
    convertAll<std::uint16_t, std::uint32_t>(
        in, out, [&](std::uint16_t w) { return std::bit_cast<std::uint32_t>(floatOf(w, source)); });
  } else {
    convertAll<std::uint16_t, std::uint16_t>(in, out, [&](std::uint16_t w) {
      return narrowed(std::bit_cast<std::uint32_t>(floatOf(w, source)), target);
    });
  }
}

}  // namespace strata
