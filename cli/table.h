#pragma once

#include <string>
#include <vector>

#include "cli/output.h"

namespace strata::cli {

enum class Align { Left, Right };

/// Rows of text in aligned columns. Cells are made printable; on a terminal the widest text column
/// is shortened in the middle so that rows fit.
class Table {
 public:
  struct Column {
    std::string title;  ///< empty in all columns: no title line
    Align align = Align::Left;
    bool isElastic = false;  ///< may be shortened
  };

  explicit Table(std::vector<Column> columns);

  void addRow(std::vector<std::string> cells);
  /// Leaves columns without any text out.
  void print(Output& output) const;

 private:
  std::vector<std::size_t> widths(std::size_t lineWidth) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace strata::cli
