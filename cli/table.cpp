#include "cli/table.h"

#include <algorithm>

namespace strata::cli {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kLeastElastic = 12;

std::string padded(const std::string& text, std::size_t width, Align align) {
  const std::size_t columns = columnsOf(text);
  const std::string space(width > columns ? width - columns : 0, ' ');
  return align == Align::Left ? text + space : space + text;
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::addRow(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = printable(cell);
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::widths(std::size_t lineWidth) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], columnsOf(row[column]));
    }
  }
  std::size_t total = 0;
  for (std::size_t column = 0; column < widths.size(); ++column) {
    if (widths[column] == 0) continue;
    widths[column] = std::max(widths[column], columnsOf(columns_[column].title));
    total += widths[column] + kGap;
  }
  const std::size_t fits = lineWidth + kGap;
  for (std::size_t column = 0; column < widths.size() && lineWidth > 0; ++column) {
    if (!columns_[column].isElastic || total <= fits) continue;
    const std::size_t wanted = widths[column] > total - fits ? widths[column] - (total - fits) : 0;
    const std::size_t shorter = std::min(widths[column], std::max(kLeastElastic, wanted));
    total -= widths[column] - shorter;
    widths[column] = shorter;
  }
  return widths;
}

void Table::print(Output& output) const {
  const std::vector<std::size_t> wide = widths(output.out().width);
  const auto lineOf = [&](const auto& cellOf) {
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
                       lineOf([&](std::size_t column) { return columns_[column].title; })));
  }
  for (const auto& row : rows_) {
    output.line(lineOf([&](std::size_t column) { return row[column]; }));
  }
}

}  // namespace strata::cli
