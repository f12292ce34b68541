#include "gui/widgets/views/table_view.h"

#include <QAccessible>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>

#include "gui/models/columns/record_table.h"
#include "gui/widgets/views/cell_delegate.h"
#include "gui/widgets/views/column_menu.h"
#include "gui/widgets/views/empty_text.h"

namespace strata::gui {
namespace {

constexpr int kWidest = 420;
constexpr int kFirstRows = 200;  // that widths are taken from

}  // namespace

TableView::TableView(const QString& name, QWidget* parent)
    : QTableView(parent),
      proxy_(new RowFilterProxy(this)),
      rows_(*this, [this](const QModelIndex& row) { return keyOf(row); }) {
  setAccessibleName(name);
  setModel(proxy_);
  setItemDelegate(new CellDelegate(this));
  setSelectionBehavior(SelectRows);
  setSelectionMode(ExtendedSelection);
  setWordWrap(false);
  setTextElideMode(Qt::ElideMiddle);
  setShowGrid(false);
  setAlternatingRowColors(true);
  setSortingEnabled(true);
  setTabKeyNavigation(false);
  setEditTriggers(NoEditTriggers);
  verticalHeader()->hide();
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  verticalHeader()->setMinimumSectionSize(fontMetrics().height() + 4);
  verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
  horizontalHeader()->setSectionsMovable(true);
  offerColumns(*horizontalHeader());
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setResizeContentsPrecision(kFirstRows);
  proxy_->sort(-1);
  horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  connect(this, &QTableView::activated, this, [this](const QModelIndex& index) {
    emit rowActivated(proxy_->mapToSource(index).row());
  });
  connect(proxy_, &QAbstractItemModel::modelAboutToBeReset, this, &TableView::remember);
  connect(proxy_, &QAbstractItemModel::modelReset, this, &TableView::recall);
  connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this] { emit rowChanged(currentRow()); });
}

void TableView::setRecords(QAbstractItemModel* model) {
  proxy_->setSourceModel(model);
  fitColumns();  // to the titles, until there are rows
  isFitted_ = false;
  connect(model, &QAbstractItemModel::modelReset, this, [this] {
    if (proxy_->rowCount() > 0) isFitted_ ? growColumns() : fitColumns();
    emit rowChanged(currentRow());
  });
  connect(model, &QAbstractItemModel::dataChanged, this, &TableView::growColumns);
}

QString TableView::keyOf(const QModelIndex& index) const {
  if (!index.isValid()) return {};
  const QModelIndex first = index.siblingAtColumn(0);
  const QString label = first.data(LabelRole).toString();
  return label.isEmpty() ? first.data().toString() : label;
}

void TableView::remember() {
  if (keepsPlace_) rows_.remember();
}

void TableView::recall() {
  if (!keepsPlace_) return;
  for (int i = 0; i < proxy_->rowCount(); ++i) rows_.meet(proxy_->index(i, 0));
  rows_.selectAgain();
  rows_.holdPlace();
}

void TableView::scrollTo(const QModelIndex& index, ScrollHint hint) {
  const int place = horizontalScrollBar()->value();
  QTableView::scrollTo(index, hint);
  if (isPressed_) horizontalScrollBar()->setValue(place);
}

void TableView::mousePressEvent(QMouseEvent* event) {
  isPressed_ = true;
  QTableView::mousePressEvent(event);
  isPressed_ = false;
}

int TableView::currentRow() const {
  const QModelIndex index = currentIndex();
  return index.isValid() ? proxy_->mapToSource(index).row() : -1;
}

QList<int> TableView::selectedRows() const {
  QList<int> rows;
  const QModelIndexList chosen = selectionModel()->selectedRows();
  for (const QModelIndex& index : chosen) rows << proxy_->mapToSource(index).row();
  std::sort(rows.begin(), rows.end());
  return rows;
}

void TableView::selectRow(int row) {
  const QModelIndex index = proxy_->mapFromSource(proxy_->sourceModel()->index(row, 0));
  if (!index.isValid()) return;
  setCurrentIndex(index);
  scrollTo(index);
}

void TableView::fitColumns() {
  isFitted_ = true;
  fittedWidths_.clear();
  for (int i = 0; i < horizontalHeader()->count(); ++i) {
    fittedWidths_ << neededWidth(i);
    setColumnWidth(i, fittedWidths_.back());
  }
  leastWidth_ = columnWidth(wideColumn_);
  giveSlack();
}

int TableView::neededWidth(int column) const {
  const int needed =
      std::max(sizeHintForColumn(column), horizontalHeader()->sectionSizeHint(column));
  return std::clamp(needed, 50, kWidest);
}

void TableView::growColumns() {
  if (!isFitted_) return;
  for (int i = 0; i < fittedWidths_.size(); ++i) {
    if (i == wideColumn_ || columnWidth(i) != fittedWidths_[i]) continue;
    fittedWidths_[i] = std::max(fittedWidths_[i], neededWidth(i));
    setColumnWidth(i, fittedWidths_[i]);
  }
  giveSlack();
}

void TableView::giveSlack() {
  // A column of text takes what the others leave, so that numbers stay beside each other.
  if (!isFitted_ || horizontalHeader()->stretchLastSection()) return;
  const int others = horizontalHeader()->length() - columnWidth(wideColumn_);
  setColumnWidth(wideColumn_, std::max(leastWidth_, viewport()->width() - others));
}

void TableView::resizeEvent(QResizeEvent* event) {
  QTableView::resizeEvent(event);
  giveSlack();
}

QString TableView::selectionAsText() const {
  QString all;
  for (const int row : selectedRows()) {
    QStringList cells;
    const QAbstractItemModel* model = proxy_->sourceModel();
    for (int i = 0; i < model->columnCount(); ++i) {
      cells << model->index(row, i).data().toString();
    }
    all += cells.join(u'\t') + u'\n';
  }
  return all;
}

void TableView::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy)) {
    QGuiApplication::clipboard()->setText(selectionAsText());
    return;
  }
  if (event->key() == Qt::Key_Escape && selectionModel()->hasSelection()) {
    return selectionModel()->clear();
  }
  QTableView::keyPressEvent(event);
}

void TableView::paintEvent(QPaintEvent* event) {
  QTableView::paintEvent(event);
  if (proxy_->rowCount() > 0) return;
  const bool isFiltered = proxy_->sourceModel() != nullptr && proxy_->sourceModel()->rowCount() > 0;
  drawEmptyText(*this, isFiltered ? tr("No row matches the filter.") : emptyText_);
}

void TableView::focusInEvent(QFocusEvent* event) {
  QTableView::focusInEvent(event);
  // Screen readers are told of the list; of its current row once that is done.
  const auto tell = [this] {
    if (hasFocus()) QTableView::currentChanged(currentIndex(), currentIndex());
  };
  if (QAccessible::isActive()) QMetaObject::invokeMethod(this, tell, Qt::QueuedConnection);
}

}  // namespace strata::gui
