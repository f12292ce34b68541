#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/codec/codec.h"
#include "core/codec/entropy/byte_io.h"
#include "kernels/cpu_kernels.h"

namespace strata {

/// The expected size of a difference as a sum: term(row) + term(column) - 2 * exponent, in half
/// octaves (core/codec/README.md, "Contexts", says why).
struct ScaleTerms {
  std::int32_t all = 0;               ///< of every row, where `rows` is empty
  std::vector<std::int32_t> rows;     ///< kDeadRow for a row that did not change
  std::vector<std::int16_t> columns;  ///< empty: 0 for all

  static constexpr std::int32_t kDeadRow = INT32_MIN;

  std::int32_t ofRow(std::uint64_t row) const noexcept {
    return rows.empty() ? all : rows[static_cast<std::size_t>(row)];
  }
  const std::int16_t* ofColumns(std::uint64_t first) const noexcept {
    return columns.empty() ? nullptr : columns.data() + first;
  }
};

/// Mean sizes of a part's differences. `parentRow` gives the parent's words of a row, valid until
/// its next call.
template <typename Word>
ScaleTerms measureTerms(const PartShape& shape,
                        const std::function<const Word*(std::uint64_t)>& parentRow,
                        std::span<const Word> words, kernels::DeltaFormat format);
template <typename Word>
ScaleTerms measureTerms(const PartShape& shape, std::span<const Word> parent,
                        std::span<const Word> words, kernels::DeltaFormat format) {
  return measureTerms<Word>(
      shape, [&](std::uint64_t row) { return parent.data() + row * shape.columns; }, words, format);
}

/// The same terms without rows, columns or both; `all` then stands for what is left out.
ScaleTerms withoutColumns(ScaleTerms terms);
ScaleTerms withoutRows(ScaleTerms terms);

/// docs/FORMAT.md, "Scale terms".
void writeTerms(ByteWriter& out, const ScaleTerms& terms);
/// Which terms a payload holds.
struct TermsPresent {
  bool rows = false;
  bool columns = false;
};

/// Nothing if the bytes are damaged.
std::optional<ScaleTerms> readTerms(ByteReader& in, const PartShape& shape, TermsPresent present);

}  // namespace strata
