#include "core/io/models/plain_array.h"

#include <algorithm>
#include <utility>

namespace strata {
namespace {

/// Bytes that are given to a sink at a time.
constexpr std::size_t kPieceBytes = 4 << 20;

}  // namespace

std::uint64_t byteCount(const PlainArray& array) noexcept {
  std::uint64_t count = 1;
  for (const std::uint64_t dimension : array.shape) count *= dimension;
  return bytesOfElements(array.type, count).value_or(0);
}

Result<void> writeRows(const PlainArray& array, ByteSink& sink) {
  if (array.strides.empty()) {
    for (std::size_t at = 0; at < array.bytes.size(); at += kPieceBytes) {
      const std::size_t rest = array.bytes.size() - at;
      STRATA_TRY(sink.append(array.bytes.subspan(at, std::min(kPieceBytes, rest))));
    }
    return {};
  }
  if (byteCount(array) == 0) return {};
  const std::size_t width = bitsPerElement(array.type) / 8;
  std::vector<std::uint64_t> at(array.shape.size(), 0);
  std::vector<std::byte> rows;
  rows.reserve(kPieceBytes);
  std::uint64_t element = 0;
  for (bool isOver = false; !isOver;) {
    const std::byte* const from = array.bytes.data() + element * width;
    rows.insert(rows.end(), from, from + width);
    if (rows.size() + width > kPieceBytes) {
      STRATA_TRY(sink.append(rows));
      rows.clear();
    }
    // To the next element, the last dimension first.
    isOver = true;
    for (std::size_t i = at.size(); i-- > 0 && isOver;) {
      element += array.strides[i];
      isOver = ++at[i] == array.shape[i];
      if (isOver) element -= array.strides[i] * std::exchange(at[i], 0);
    }
  }
  return sink.append(rows);
}

}  // namespace strata
