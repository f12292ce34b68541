#include "core/codec/exact/scale_terms.h"

#include <algorithm>
#include <cmath>

#include "core/codec/entropy/byte_stream.h"

namespace strata {
namespace {

/// Context of an expected difference of one last place.
constexpr std::int32_t kOnePlace = 8;
/// Sizes are measured in 2^(exponent - 127): see CpuKernels::sizes16.
constexpr std::int32_t kFloatBias = 254;
/// Terms of rows and columns stay within these, so that their sum fits 16 bits.
constexpr std::int32_t kMostTerm = 15000;
constexpr std::int32_t kMostColumnTerm = 4000;
/// Rows that columns are measured on.
constexpr std::uint64_t kColumnRows = 256;

std::int32_t halfOctaves(double value) {
  return static_cast<std::int32_t>(std::lround(2 * std::log2(value)));
}

std::int32_t termOf(double meanSize, bool isFloat) {
  if (!std::isfinite(meanSize)) meanSize = 0x1p100;
  const std::int32_t origin = kOnePlace + (isFloat ? kFloatBias : 0);
  return std::clamp(origin + halfOctaves(std::max(meanSize, 0x1p-140)), -kMostTerm, kMostTerm);
}

template <typename Word>
float rowSizes(const Word* parent, const Word* words, std::uint64_t count,
               kernels::DeltaFormat format, float weight, float* columns) {
  const auto& k = kernels::bestKernels();
  const auto n = static_cast<std::size_t>(count);
  if constexpr (sizeof(Word) == 2) {
    return k.sizes16(parent, words, n, format, weight, columns);
  } else {
    return k.sizes32(parent, words, n, format, weight, columns);
  }
}

/// Differences beyond 255 half octaves from the smallest are pulled in: bytes hold them.
std::int32_t lowestOf(std::span<const std::int32_t> rows) {
  std::int32_t highest = INT32_MIN;
  std::int32_t lowest = INT32_MAX;
  for (const std::int32_t row : rows) {
    if (row == ScaleTerms::kDeadRow) continue;
    highest = std::max(highest, row);
    lowest = std::min(lowest, row);
  }
  return highest == INT32_MIN ? 0 : std::max(lowest, highest - 250);
}

}  // namespace

template <typename Word>
ScaleTerms measureTerms(const PartShape& shape,
                        const std::function<const Word*(std::uint64_t)>& parentRow,
                        std::span<const Word> words, kernels::DeltaFormat format) {
  const std::uint64_t columns = shape.columns;
  ScaleTerms terms;
  std::vector<double> means(shape.rows);
  double total = 0;
  for (std::uint64_t r = 0; r < shape.rows; ++r) {
    const float sum =
        rowSizes(parentRow(r), words.data() + r * columns, columns, format, 0.0F, nullptr);
    means[r] = static_cast<double>(sum) / static_cast<double>(columns);
    total += means[r];
  }
  terms.all = termOf(total / static_cast<double>(shape.rows), format.isFloat);
  if (shape.rows == 1) return terms;
  for (const double mean : means) {
    terms.rows.push_back(mean == 0 ? ScaleTerms::kDeadRow : termOf(mean, format.isFloat));
  }
  const std::int32_t lowest = lowestOf(terms.rows);
  for (std::int32_t& row : terms.rows) {
    if (row != ScaleTerms::kDeadRow) row = std::max(row, lowest);
  }
  std::vector<float> columnSums(columns, 0.0F);
  std::uint64_t live = 0;
  const std::uint64_t rowStep = std::max<std::uint64_t>(1, shape.rows / kColumnRows);
  for (std::uint64_t r = 0; r < shape.rows; r += rowStep) {
    if (means[r] == 0 || !std::isfinite(means[r])) continue;
    ++live;
    rowSizes(parentRow(r), words.data() + r * columns, columns, format,
             static_cast<float>(1 / means[r]), columnSums.data());
  }
  for (const float sum : columnSums) {
    const double mean = live == 0 ? 1 : static_cast<double>(sum) / static_cast<double>(live);
    const double bounded = std::isfinite(mean) ? std::clamp(mean, 0x1p-20, 0x1p20) : 0x1p20;
    terms.columns.push_back(static_cast<std::int16_t>(halfOctaves(bounded)));
  }
  return terms;
}

template ScaleTerms measureTerms(const PartShape&,
                                 const std::function<const std::uint16_t*(std::uint64_t)>&,
                                 std::span<const std::uint16_t>, kernels::DeltaFormat);
template ScaleTerms measureTerms(const PartShape&,
                                 const std::function<const std::uint32_t*(std::uint64_t)>&,
                                 std::span<const std::uint32_t>, kernels::DeltaFormat);

ScaleTerms withoutColumns(ScaleTerms terms) {
  terms.columns.clear();
  return terms;
}

ScaleTerms withoutRows(ScaleTerms terms) {
  terms.rows.clear();
  return terms;
}

void writeTerms(ByteWriter& out, const ScaleTerms& terms) {
  if (terms.rows.empty()) {
    out.varint(zigzag(terms.all));
  } else {
    const std::int32_t lowest = lowestOf(terms.rows);
    out.varint(zigzag(lowest));
    std::vector<std::uint8_t> codes;
    for (const std::int32_t row : terms.rows) {
      const bool dead = row == ScaleTerms::kDeadRow;
      codes.push_back(dead ? std::uint8_t{0} : static_cast<std::uint8_t>(row - lowest + 1));
    }
    writeByteStream(out, codes);
  }
  if (terms.columns.empty()) return;
  const std::int32_t lowest = *std::min_element(terms.columns.begin(), terms.columns.end());
  out.varint(zigzag(lowest));
  std::vector<std::uint8_t> codes;
  for (const std::int32_t column : terms.columns) {
    codes.push_back(static_cast<std::uint8_t>(column - lowest));
  }
  writeByteStream(out, codes);
}

namespace {

std::optional<std::int32_t> readLowest(ByteReader& in) {
  const std::int64_t lowest = unzigzag(in.varint());
  if (in.failed() || lowest < -kMostTerm || lowest > kMostTerm) return std::nullopt;
  return static_cast<std::int32_t>(lowest);
}

}  // namespace

std::optional<ScaleTerms> readTerms(ByteReader& in, const PartShape& shape, TermsPresent present) {
  ScaleTerms terms;
  const auto lowestRow = readLowest(in);
  if (!lowestRow) return std::nullopt;
  terms.all = *lowestRow;
  if (present.rows) {
    const auto codes = readByteStream(in, shape.rows);
    if (!codes) return std::nullopt;
    terms.rows.reserve(codes->size());
    for (const std::uint8_t code : *codes) {
      terms.rows.push_back(code == 0 ? ScaleTerms::kDeadRow : *lowestRow + code - 1);
    }
  }
  if (present.columns) {
    const auto lowestColumn = readLowest(in);
    if (!lowestColumn || *lowestColumn < -kMostColumnTerm || *lowestColumn > kMostColumnTerm)
      return std::nullopt;
    const auto codes = readByteStream(in, shape.columns);
    if (!codes) return std::nullopt;
    terms.columns.reserve(codes->size());
    for (const std::uint8_t code : *codes) {
      terms.columns.push_back(static_cast<std::int16_t>(*lowestColumn + code));
    }
  }
  return terms;
}

}  // namespace strata
