#include "core/ops/inspect/detail/npy_format.h"

#include <fmt/format.h>

#include <cstring>

namespace strata {
namespace {

const char* npyType(ElementType type) noexcept {
  switch (type) {
    case ElementType::F32:
    case ElementType::BF16:
      return "<f4";
    case ElementType::F64:
      return "<f8";
    case ElementType::F16:
      return "<f2";
    case ElementType::I8:
      return "|i1";
    case ElementType::I16:
      return "<i2";
    case ElementType::U16:
      return "<u2";
    case ElementType::I32:
      return "<i4";
    case ElementType::U32:
      return "<u4";
    case ElementType::I64:
      return "<i8";
    case ElementType::U64:
      return "<u8";
    case ElementType::Bool:
      return "|b1";
    case ElementType::C64:
      return "<c8";
    case ElementType::C128:
      return "<c16";
    default:
      return "|u1";
  }
}

}  // namespace

NpyLayout npyLayout(ElementType type, std::span<const std::uint64_t> shape,
                    std::uint64_t byteCount) {
  NpyLayout layout{npyType(type), {shape.begin(), shape.end()}, type == ElementType::BF16};
  if (bitsPerElement(type) % 8 != 0) layout.shape = {byteCount};
  return layout;
}

std::string npyHeader(const NpyLayout& layout) {
  // A tuple of one needs its comma.
  const std::string shape =
      fmt::format("({}{})", fmt::join(layout.shape, ", "), layout.shape.size() == 1 ? "," : "");
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", layout.type, shape);
  const bool isLong = text.size() + 80 > 0xFFFF;
  const std::size_t fixedBytes = isLong ? 12 : 10;
  // The data starts at a multiple of 64, after a line feed.
  text.append(63 - (fixedBytes + text.size()) % 64, ' ');
  text += '\n';
  std::string header("\x93NUMPY", 6);
  header += isLong ? '\x02' : '\x01';
  header += '\0';
  for (std::size_t i = 0; i < (isLong ? 4 : 2); ++i) {
    header += static_cast<char>(text.size() >> (8 * i) & 0xFF);
  }
  return header + text;
}

std::vector<std::byte> widenBf16(std::span<const std::byte> words) {
  // Little-endian: the two bytes of a bf16 are the upper two of the f32 with its value.
  std::vector<std::byte> wide(words.size() * 2);
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    std::memcpy(&wide[2 * i + 2], &words[i], 2);
  }
  return wide;
}

}  // namespace strata
