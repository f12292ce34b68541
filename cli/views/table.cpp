#include "cli/views/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace strata::cli {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kLeastElastic = 12;
/// A tensor's name shows its layer and its role in so many.
constexpr std::size_t kReadableName = 24;
/// A shorter start is not worth a line.
constexpr std::size_t kLeastStart = 4;

std::string padded(const std::string& text, std::size_t width, Align align) {
  const std::size_t columns = columnsOf(text);
  const std::string space(width > columns ? width - columns : 0, ' ');
  return align == Align::Left ? text + space : space + text;
}

/// Columns of a line; those without width are left out.
std::size_t lineOf(const std::vector<std::size_t>& widths) {
  std::size_t line = 0;
  for (const std::size_t width : widths) line += width == 0 ? 0 : width + kGap;
  return line == 0 ? 0 : line - kGap;
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::addRow(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = printable(cell);
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::naturalWidths() const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], columnsOf(row[column]));
    }
  }
  for (std::size_t column = 0; column < widths.size(); ++column) {
    if (widths[column] == 0) continue;
    widths[column] = std::max(widths[column], columnsOf(columns_[column].title));
  }
  return widths;
}

/// Until names can be read, or nothing is left to leave out.
void Table::leaveSparesOut(std::vector<std::size_t>& widths, std::size_t lineWidth) const {
  const auto needed = [&] {
    std::vector<std::size_t> least = widths;
    for (std::size_t column = 0; column < least.size(); ++column) {
      if (columns_[column].isNames) least[column] = std::min(least[column], kReadableName);
    }
    return lineOf(least);
  };
  for (std::size_t column = widths.size(); column-- > 0 && needed() > lineWidth;) {
    if (columns_[column].isSpare) widths[column] = 0;
  }
}

/// Takes from the widest text columns what is too much.
void Table::shorten(std::vector<std::size_t>& widths, std::size_t lineWidth) const {
  while (lineOf(widths) > lineWidth) {
    std::size_t widest = widths.size();
    for (std::size_t column = 0; column < widths.size(); ++column) {
      const bool isElastic = columns_[column].isElastic || columns_[column].isNames;
      if (!isElastic || widths[column] <= kLeastElastic) continue;
      if (widest == widths.size() || widths[column] > widths[widest]) widest = column;
    }
    if (widest == widths.size()) return;
    --widths[widest];
  }
}

/// Cuts off what all cells of a column begin with, up to a dot or slash, and returns it.
std::string Table::takeCommonStart(std::size_t column) {
  if (rows_.size() < 2) return {};
  std::string_view start = rows_.front()[column];
  for (const auto& row : rows_) {
    const std::string& cell = row[column];
    const auto [end, other] = std::mismatch(start.begin(), start.end(), cell.begin(), cell.end());
    start = start.substr(0, static_cast<std::size_t>(end - start.begin()));
  }
  const std::string common(start.substr(0, start.find_last_of("./") + 1));  // npos + 1 is 0
  if (common.size() < kLeastStart) return {};
  for (auto& row : rows_) row[column].erase(0, common.size());
  return common;
}

void Table::print(Output& output) {
  std::vector<std::size_t> wide = naturalWidths();
  const std::size_t lineWidth = output.out().width;
  const bool isTooWide = lineWidth > 0 && lineOf(wide) > lineWidth;
  for (std::size_t column = 0; column < columns_.size() && isTooWide; ++column) {
    const std::string start = columns_[column].isNames ? takeCommonStart(column) : std::string{};
    if (!start.empty()) output.line(fmt::format("All names begin with {}", start));
  }
  if (isTooWide) {
    wide = naturalWidths();
    leaveSparesOut(wide, lineWidth);
    shorten(wide, lineWidth);
  }
  const auto lineWith = [&](const auto& cellOf) {
    std::string line;
    std::string gap;
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      if (wide[column] == 0) continue;
      line +=
          gap + padded(elided(cellOf(column), wide[column]), wide[column], columns_[column].align);
      gap = std::string(kGap, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
  };
  const bool hasTitles = std::any_of(columns_.begin(), columns_.end(),
                                     [](const Column& column) { return !column.title.empty(); });
  if (hasTitles && !rows_.empty()) {
    output.line(tinted(output.out(), Tint::Faint,
                       lineWith([&](std::size_t column) { return columns_[column].title; })));
  }
  for (const auto& row : rows_) {
    output.line(lineWith([&](std::size_t column) { return row[column]; }));
  }
}

}  // namespace strata::cli
