#pragma once

#include <concepts>
#include <optional>

namespace strata {

/// a + b, or nothing where that does not fit.
template <std::unsigned_integral T>
constexpr std::optional<T> checkedAdd(T a, T b) noexcept {
  T out{};
  if (__builtin_add_overflow(a, b, &out)) return std::nullopt;
  return out;
}

/// a + b, or the most that T holds where that does not fit: of sizes that others claim, which are
/// then too large for any disk.
template <std::unsigned_integral T>
constexpr T saturatingAdd(T a, T b) noexcept {
  return checkedAdd(a, b).value_or(static_cast<T>(-1));
}

/// a * b, or nothing where that does not fit.
template <std::unsigned_integral T>
constexpr std::optional<T> checkedMultiply(T a, T b) noexcept {
  T out{};
  if (__builtin_mul_overflow(a, b, &out)) return std::nullopt;
  return out;
}

/// Whether [offset, offset + count) lies in [0, limit), without overflow.
template <std::unsigned_integral T>
constexpr bool rangeFits(T offset, T count, T limit) noexcept {
  return offset <= limit && count <= limit - offset;
}

constexpr auto ceilDivide(std::unsigned_integral auto a, std::unsigned_integral auto b) noexcept {
  return a / b + (a % b != 0 ? 1 : 0);
}

}  // namespace strata
