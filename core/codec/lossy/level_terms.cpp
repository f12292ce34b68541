#include "core/codec/lossy/level_terms.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>

#include "core/codec/entropy/byte_io.h"
#include "core/codec/lossy/level_stream.h"
#include "kernels/level_kernels.h"

namespace strata {
namespace {

/// Levels that tell what contexts are worth, about.
constexpr std::size_t kSampledLevels = std::size_t{1} << 16;
/// Levels looked at in a row where only some are.
constexpr std::size_t kSampledRun = 4096;
/// Rows and columns shorter than this have no terms of their own.
constexpr std::uint64_t kShortest = 16;

/// Activity of rows and columns: half octaves of mean magnitudes, drawn to the mean of the part
/// where there is little to go by.
ScaleTerms termsOf(const PartShape& shape, const NonZeroLevels& levels) {
  const std::uint64_t columns = shape.columns;
  std::vector<std::uint64_t> rowSums(shape.rows);
  std::vector<std::uint64_t> columnSums(columns);
  std::uint64_t total = 0;
  forEachRowRun(levels.rowEnds(), [&](std::size_t row, std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      const auto size = static_cast<std::uint64_t>(std::abs(levels.levels()[i]));
      rowSums[row] += size;
      columnSums[levels.columns()[i]] += size;
    }
    total += rowSums[row];
  });
  const double mean =
      std::max(static_cast<double>(total), 0.5) / static_cast<double>(shape.wordCount());
  const auto halfOctaves = [](double x) {
    return static_cast<std::int32_t>(std::lround(2 * std::log2(x)));
  };
  ScaleTerms terms;
  terms.all = levelContext(halfOctaves(mean));
  if (shape.rows < kShortest || columns < kShortest || total == 0) return terms;
  const double prior = 2 / mean;  // words among which two unit levels are expected
  for (const std::uint64_t sum : rowSums) {
    if (sum == 0 && static_cast<double>(columns) * mean > 8) {
      terms.rows.push_back(ScaleTerms::kDeadRow);
      continue;
    }
    const double own =
        (static_cast<double>(sum) + prior * mean) / (static_cast<double>(columns) + prior);
    terms.rows.push_back(levelContext(halfOctaves(own)));
  }
  for (const std::uint64_t sum : columnSums) {
    const double own =
        (static_cast<double>(sum) + prior * mean) / (static_cast<double>(shape.rows) + prior);
    terms.columns.push_back(static_cast<std::int16_t>(halfOctaves(own / mean)));
  }
  return terms;
}

double termBits(const ScaleTerms& terms) {
  ByteWriter out;
  writeTerms(out, terms);
  return 8.0 * static_cast<double>(out.size());
}

/// How many words of a part are in each context.
std::array<std::uint64_t, kContexts> contextSizes(const PartShape& shape, const ScaleTerms& terms) {
  std::map<std::int32_t, std::uint64_t> rows;
  std::map<std::int32_t, std::uint64_t> columns;
  for (const std::int32_t row : terms.rows) ++rows[row];
  for (const std::int16_t column : terms.columns) ++columns[column];
  if (terms.rows.empty()) rows[terms.all] = shape.rows;
  if (terms.columns.empty()) columns[0] = shape.columns;
  std::array<std::uint64_t, kContexts> sizes{};
  for (const auto& [row, rowCount] : rows) {
    for (const auto& [column, columnCount] : columns) {
      sizes[levelContextOf(row, column)] += rowCount * columnCount;
    }
  }
  return sizes;
}

std::vector<std::uint8_t> symbolsOf(const NonZeroLevels& levels) {
  return LevelSymbols(levels.levels()).symbols;
}

/// How often each symbol occurs in the contexts of these terms; `symbols` are those of the levels
/// that are not 0.
ContextCounts countsOf(const PartShape& shape, const ScaleTerms& terms, const NonZeroLevels& levels,
                       std::span<const std::uint8_t> symbols) {
  std::vector<std::uint8_t> contexts(levels.count());
  const std::uint32_t* const columns = levels.columns().data();
  forEachRowRun(levels.rowEnds(), [&](std::size_t row, std::size_t first, std::size_t end) {
    const std::int32_t rowTerm = terms.ofRow(row);
    if (terms.columns.empty()) {
      std::fill(contexts.begin() + static_cast<std::ptrdiff_t>(first),
                contexts.begin() + static_cast<std::ptrdiff_t>(end), levelContextOf(rowTerm, 0));
      return;
    }
    for (std::size_t i = first; i < end; ++i) {
      contexts[i] = levelContextOf(rowTerm, terms.columns[columns[i]]);
    }
  });
  ContextCounts counts(kLevelAlphabet);
  ContextCounts other(kLevelAlphabet);
  counts.count(contexts.data(), symbols.data(), contexts.size(), other);
  counts.add(other);
  const auto sizes = contextSizes(shape, terms);
  for (std::size_t c = 0; c < kContexts; ++c) {
    const auto row = counts.of(c);
    const auto coded = std::accumulate(row.begin(), row.end(), std::uint64_t{0});
    counts.add(c, 0, static_cast<std::uint32_t>(sizes[c] - coded));
  }
  return counts;
}

/// All terms, those of rows or columns alone, none.
std::vector<ScaleTerms> candidatesOf(ScaleTerms full) {
  if (full.rows.empty()) return {std::move(full)};
  const ScaleTerms rowsOnly = withoutColumns(full);
  const ScaleTerms columnsOnly = withoutRows(full);
  const ScaleTerms none = withoutRows(rowsOnly);
  return {std::move(full), rowsOnly, columnsOnly, none};
}

/// Bits of the symbols of each candidate's contexts in some runs of levels, as if all were like
/// them.
std::vector<double> sampledBits(const PartShape& shape, std::span<const ScaleTerms> candidates,
                                const NonZeroLevels& levels, std::size_t stride) {
  std::vector<ContextCounts> counts(candidates.size(), ContextCounts(kLevelAlphabet));
  std::array<std::uint8_t, kContexts> same;
  std::iota(same.begin(), same.end(), std::uint8_t{0});
  std::uint8_t contexts[kSampledRun];
  std::int32_t run[kSampledRun];
  const std::size_t words = shape.wordCount();
  for (std::size_t at = 0; at < words; at += kSampledRun * stride) {
    const std::size_t n = std::min(kSampledRun, words - at);
    levels.write(at, {run, n});
    const LevelSymbols symbols({run, n});
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      levelContexts(shape, candidates[c], at, same, {contexts, n});
      counts[c].count(contexts, symbols.symbols.data(), n, counts[c]);
    }
  }
  std::vector<double> bits;
  bits.reserve(counts.size());
  for (const ContextCounts& c : counts) bits.push_back(static_cast<double>(stride) * c.bits());
  return bits;
}

}  // namespace

NonZeroLevels::NonZeroLevels(const PartShape& shape) : columnCount_(shape.columns) {
  columns_->reserve(shape.wordCount() + kernels::kListSlack);
  levels_->reserve(shape.wordCount() + kernels::kListSlack);
  values_->reserve(shape.wordCount());
  rowEnds_.reserve(shape.rows);
}

void NonZeroLevels::addRow(std::span<const std::int32_t> levels, std::span<const float> values) {
  std::uint32_t* const columns = columns_->data() + count_;
  float* const kept = values_->data() + count_;
  const std::size_t listed = kernels::bestLevelKernels().listNonZero(
      levels.data(), levels.size(), columns, levels_->data() + count_);
  for (std::size_t i = 0; i < listed; ++i) kept[i] = values[columns[i]];
  count_ += listed;
  rowEnds_.push_back(count_);
}

void NonZeroLevels::write(std::uint64_t first, std::span<std::int32_t> out) const {
  if (out.empty()) return;
  std::fill(out.begin(), out.end(), 0);
  std::uint64_t row = first / columnCount_;
  std::uint64_t column = first % columnCount_;
  for (std::size_t at = 0; at < out.size(); ++row, column = 0) {
    const auto n =
        static_cast<std::size_t>(std::min<std::uint64_t>(out.size() - at, columnCount_ - column));
    const std::uint32_t* const columns = columns_->data();
    const std::uint32_t* const end = columns + rowEnds_[row];
    const std::uint32_t* const rowFirst = columns + (row == 0 ? 0 : rowEnds_[row - 1]);
    const std::uint32_t* place = column == 0 ? rowFirst : std::lower_bound(rowFirst, end, column);
    for (; place != end && *place < column + n; ++place) {
      out[at + (*place - column)] = levels_->data()[place - columns];
    }
    at += n;
  }
}

std::uint8_t levelContextOf(std::int32_t rowTerm, std::int32_t columnTerm) noexcept {
  if (rowTerm == ScaleTerms::kDeadRow) return 0;
  return static_cast<std::uint8_t>(
      std::clamp(rowTerm + columnTerm, 1, static_cast<int>(kContexts) - 1));
}

ChosenTerms chooseTerms(const PartShape& shape, const NonZeroLevels& levels) {
  std::vector<ScaleTerms> candidates = candidatesOf(termsOf(shape, levels));
  const std::vector<std::uint8_t> symbols = symbolsOf(levels);
  ChosenTerms chosen{{}, ContextCounts(kLevelAlphabet)};
  double best = std::numeric_limits<double>::infinity();
  for (ScaleTerms& terms : candidates) {
    ContextCounts counts = countsOf(shape, terms, levels, symbols);
    const double bits = counts.bits() + termBits(terms);
    if (bits >= best) continue;
    best = bits;
    chosen = {std::move(terms), std::move(counts)};
  }
  return chosen;
}

ChosenTerms chooseTermsBySample(const PartShape& shape, const NonZeroLevels& levels) {
  const std::size_t stride = shape.wordCount() / kSampledLevels;
  if (stride < 2) return chooseTerms(shape, levels);
  std::vector<ScaleTerms> candidates = candidatesOf(termsOf(shape, levels));
  std::vector<double> bits = sampledBits(shape, candidates, levels, stride);
  for (std::size_t c = 0; c < bits.size(); ++c) bits[c] += termBits(candidates[c]);
  const auto best =
      static_cast<std::size_t>(std::min_element(bits.begin(), bits.end()) - bits.begin());
  ContextCounts counts = countsOf(shape, candidates[best], levels, symbolsOf(levels));
  return {std::move(candidates[best]), std::move(counts)};
}

void levelContexts(const PartShape& shape, const ScaleTerms& terms, std::uint64_t first,
                   const std::array<std::uint8_t, kContexts>& map, std::span<std::uint8_t> out) {
  if (terms.rows.empty() && terms.columns.empty()) {
    std::fill(out.begin(), out.end(), map[levelContextOf(terms.all, 0)]);
    return;
  }
  std::uint64_t row = first / shape.columns;
  std::uint64_t column = first % shape.columns;
  for (std::size_t at = 0; at < out.size(); ++row, column = 0) {
    const auto n =
        static_cast<std::size_t>(std::min<std::uint64_t>(out.size() - at, shape.columns - column));
    const std::int32_t term = terms.ofRow(row);
    const std::int16_t* columns = terms.ofColumns(column);
    if (term == ScaleTerms::kDeadRow || columns == nullptr) {
      std::fill_n(out.data() + at, n, map[levelContextOf(term, 0)]);
    } else {
      kernels::bestLevelKernels().rowContexts(columns, term, n, map.data(), out.data() + at);
    }
    at += n;
  }
}

}  // namespace strata
