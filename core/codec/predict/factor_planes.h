#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/codec/codec.h"
#include "core/codec/entropy/byte_io.h"
#include "core/codec/entropy/byte_stream.h"

namespace strata {

/// One component of low-rank factors, `count` values from `first` on, `stride` apart: zigzag
/// numbers in byte planes, lowest first, as many as the type has bytes.
template <typename T>
void writeComponent(ByteWriter& out, const std::vector<T>& values, std::size_t first,
                    std::size_t stride, std::size_t count) {
  std::vector<std::uint8_t> plane(count);
  for (unsigned shift = 0; shift < 8 * sizeof(T); shift += 8) {
    for (std::size_t i = 0; i < count; ++i) {
      plane[i] = static_cast<std::uint8_t>(zigzag(values[first + i * stride]) >> shift);
    }
    writeByteStream(out, plane);
  }
}

/// Reads what writeComponent() wrote into `values`; false where a plane is damaged.
template <typename T>
bool readComponent(ByteReader& in, std::vector<T>& values, std::size_t first, std::size_t stride,
                   std::size_t count) {
  std::vector<std::make_unsigned_t<T>> numbers(count);
  for (unsigned shift = 0; shift < 8 * sizeof(T); shift += 8) {
    const auto plane = readByteStream(in, count);
    if (!plane) return false;
    for (std::size_t i = 0; i < count; ++i) {
      numbers[i] = static_cast<std::make_unsigned_t<T>>(
          numbers[i] | static_cast<std::uint32_t>((*plane)[i]) << shift);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    values[first + i * stride] = static_cast<T>(unzigzag(numbers[i]));
  }
  return true;
}

/// Rank, scale and components of LowRankFactors or WideFactors.
template <typename Factors>
void writeFactors(ByteWriter& out, const Factors& factors) {
  const std::size_t rows = factors.rows.size() / factors.rank;
  const std::size_t columns = factors.columns.size() / factors.rank;
  out.byte(static_cast<std::uint8_t>(factors.rank));
  out.varint(zigzag(factors.scaleLog2));
  for (std::uint32_t k = 0; k < factors.rank; ++k) {
    writeComponent(out, factors.rows, k, factors.rank, rows);
    writeComponent(out, factors.columns, k * columns, 1, columns);
  }
}

/// Reads what writeFactors() wrote for a part of this shape. False where it is damaged: rank or
/// scale out of range, a bad plane. Sums are for the caller to check.
template <typename Factors>
bool readFactors(ByteReader& in, const PartShape& shape, std::int64_t mostScale, Factors& factors) {
  factors.rank = in.byte();
  const std::int64_t scale = unzigzag(in.varint());
  if (in.failed() || factors.rank == 0 || factors.rank > std::min(shape.rows, shape.columns) ||
      scale < -mostScale || scale > mostScale) {
    return false;
  }
  factors.scaleLog2 = static_cast<std::int32_t>(scale);
  factors.rows.resize(factors.rank * shape.rows);
  factors.columns.resize(factors.rank * shape.columns);
  for (std::uint32_t k = 0; k < factors.rank; ++k) {
    if (!readComponent(in, factors.rows, k, factors.rank, shape.rows)) return false;
    if (!readComponent(in, factors.columns, k * shape.columns, 1, shape.columns)) return false;
  }
  return true;
}

}  // namespace strata
