#include "core/codec/words/cast.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "kernels/cpu_kernels.h"

namespace strata {
namespace {

using kernels::FloatKind;

constexpr std::size_t kPieceWords = 2048;

FloatKind kindOf(ElementType type) noexcept {
  if (type == ElementType::F32) return FloatKind::F32;
  return type == ElementType::F16 ? FloatKind::F16 : FloatKind::BF16;
}

void widenPiece(FloatKind kind, const std::byte* in, std::size_t count, float* out) noexcept {
  if (kind == FloatKind::F32) {
    std::memcpy(out, in, count * sizeof(float));
    return;
  }
  std::uint16_t words[kPieceWords];
  std::memcpy(words, in, count * sizeof(std::uint16_t));
  kernels::bestKernels().widen16(words, kind, count, out);
}

void narrowPiece(FloatKind kind, const float* in, std::size_t count, std::byte* out) noexcept {
  if (kind == FloatKind::F32) {
    std::memcpy(out, in, count * sizeof(float));
    return;
  }
  std::uint16_t words[kPieceWords];
  kernels::bestKernels().narrow16(in, kind, count, words);
  std::memcpy(out, words, count * sizeof(std::uint16_t));
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
  if (from == to) {
    if (!in.empty()) std::memcpy(out.data(), in.data(), in.size());
    return;
  }
  const std::size_t inBytes = wordFormat(from).bytes;
  const std::size_t outBytes = wordFormat(to).bytes;
  const std::size_t count = in.size() / inBytes;
  float values[kPieceWords];
  for (std::size_t at = 0; at < count; at += kPieceWords) {
    const std::size_t n = std::min(kPieceWords, count - at);
    widenPiece(kindOf(from), in.data() + at * inBytes, n, values);
    narrowPiece(kindOf(to), values, n, out.data() + at * outBytes);
  }
}

}  // namespace strata
