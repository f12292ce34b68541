#pragma once

#include <string>
#include <vector>

#include "cli/output.h"

namespace strata::cli {

enum class Align { Left, Right };

/// Rows of text in aligned columns. Cells are made printable. On a terminal rows are made to fit:
/// what all names begin with is said once, spare columns are left out from the right, and the
/// widest texts are shortened in the middle.
class Table {
 public:
  struct Column {
    std::string title;  ///< empty in all columns: no title line
    Align align = Align::Left;
    bool isElastic = false;  ///< may be shortened
    bool isNames = false;    ///< of tensors: elastic, and they may begin alike, "bert.encoder."
    bool isSpare = false;    ///< may be left out
  };

  explicit Table(std::vector<Column> columns);

  void addRow(std::vector<std::string> cells);
  /// Leaves columns without any text out.
  void print(Output& output);

 private:
  std::vector<std::size_t> naturalWidths() const;
  void leaveSparesOut(std::vector<std::size_t>& widths, std::size_t lineWidth) const;
  void shorten(std::vector<std::size_t>& widths, std::size_t lineWidth) const;
  std::string takeCommonStart(std::size_t column);

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace strata::cli
