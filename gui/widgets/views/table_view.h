#pragma once

#include <QTableView>

#include "gui/models/row_filter_proxy.h"
#include "gui/widgets/views/steady_rows.h"

namespace strata::gui {

/// A table over a RecordTable: sorted and filtered, rows selected whole, cells never wrapped, and
/// Ctrl+C copies the selected rows as text with tabs. Esc clears the selection.
class TableView final : public QTableView {
  Q_OBJECT

 public:
  explicit TableView(const QString& name, QWidget* parent = nullptr);

  /// Shows a model through the view's own proxy; the view does not own it.
  void setRecords(QAbstractItemModel* model);
  RowFilterProxy* proxy() const noexcept { return proxy_; }
  void setFilter(const QString& words) { proxy_->setFilter(words); }

  /// Rows of the model, not of the proxy.
  int currentRow() const;
  QList<int> selectedRows() const;
  void selectRow(int row);
  /// The column that takes what the others leave; the first unless another is named.
  void setWideColumn(int column) noexcept { wideColumn_ = column; }
  /// For lists that are read anew unasked: what is selected and in sight stays so. Rows are known
  /// by their label, or else by the text of their first column.
  void keepPlace() noexcept { keepsPlace_ = true; }
  /// A click on a far column leaves the first ones where they are.
  void scrollTo(const QModelIndex& index, ScrollHint hint = EnsureVisible) override;
  /// Sets widths to what the first rows need.
  void fitColumns();
  /// Text to show where there are no rows: what, why, what to do.
  void setEmptyText(const QString& text) { emptyText_ = text; }
  QString selectionAsText() const;

 signals:
  /// Another row is current, or none: -1.
  void rowChanged(int row);
  /// Enter or a double click.
  void rowActivated(int row);

 protected:
  void focusInEvent(QFocusEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  QString keyOf(const QModelIndex& index) const;
  void remember();
  void recall();

  RowFilterProxy* proxy_;
  QString emptyText_;
  bool keepsPlace_ = false;
  bool isPressed_ = false;
  SteadyRows rows_;
  /// Widens columns whose texts have become longer, but for those that were dragged.
  void growColumns();
  void giveSlack();
  int neededWidth(int column) const;

  bool isFitted_ = false;
  QList<int> fittedWidths_;
  int wideColumn_ = 0;
  int leastWidth_ = 0;  ///< of the wide column: what its text needs
};

}  // namespace strata::gui
