#include "gui/widgets/views/lineage_view.h"

#include <QAccessible>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QSet>
#include <algorithm>

#include "gui/charts/chart.h"
#include "gui/models/wording.h"
#include "gui/widgets/views/cell_delegate.h"
#include "gui/widgets/views/column_menu.h"
#include "gui/widgets/views/empty_text.h"

namespace strata::gui {

using Kind = LineageModel::Kind;

LineageView::LineageView(LineageModel* model, QWidget* parent)
    : QTreeView(parent),
      model_(model),
      rows_(*this, [model](const QModelIndex& row) { return model->key(row); }) {
  setAccessibleName(tr("Library"));
  // Before the tree itself hears of it, and forgets where its rows are.
  connect(model_, &QAbstractItemModel::modelAboutToBeReset, this, &LineageView::remember);
  setModel(model_);
  setSelectionMode(ExtendedSelection);
  setAllColumnsShowFocus(true);
  setUniformRowHeights(true);
  setSortingEnabled(true);
  sortByColumn(LineageModel::NameColumn, Qt::AscendingOrder);
  setContextMenuPolicy(Qt::CustomContextMenu);
  setIndentation(18);
  setItemDelegate(new CellDelegate(this));
  header()->setStretchLastSection(true);
  header()->setSectionsMovable(true);
  offerColumns(*header());
  header()->setResizeContentsPrecision(100);
  connect(model_, &QAbstractItemModel::modelReset, this, &LineageView::recall);
  connect(selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &LineageView::selectedRowsChanged);
  connect(this, &QTreeView::activated, this, [this](const QModelIndex& index) {
    if (model_->kind(index) == Kind::More) return model_->unfold(index.siblingAtColumn(0));
    if (model_->kind(index) == Kind::Name) return;
    emit versionActivated(index.data(LabelRole).toString());
  });
}

void LineageView::setEmptyText(const QString& text) {
  emptyText_ = text;
  viewport()->update();
}

void LineageView::forEachRow(const QModelIndex& parent,
                             const std::function<void(const QModelIndex&)>& take) {
  for (int i = 0; i < model_->rowCount(parent); ++i) {
    const QModelIndex row = model_->index(i, 0, parent);
    take(row);
    forEachRow(row, take);
  }
}

void LineageView::remember() {
  open_.clear();
  closed_.clear();
  forEachRow({}, [this](const QModelIndex& row) {
    if (model_->rowCount(row) > 0) (isExpanded(row) ? open_ : closed_) << model_->key(row);
  });
  rows_.remember();
  model_->keepInSight(rows_.keys());
}

void LineageView::recall() {
  openRows();
  if (!isFitted_ && model_->rowCount() > 0) {
    isFitted_ = true;
    for (int i = 0; i < model_->columnCount(); ++i) {
      resizeColumnToContents(i);
      setColumnWidth(i, std::clamp(columnWidth(i) + 6, 60, 320));
    }
  }
  forEachRow({}, [this](const QModelIndex& row) { rows_.meet(row); });
  rows_.selectAgain();
  if (model_->isRefreshing()) {
    executeDelayedItemsLayout();
    rows_.holdPlace();
  } else if (rows_.chosen().isValid()) {
    scrollTo(rows_.chosen());
  }
  emit selectedRowsChanged();
}

void LineageView::openRows() {
  constexpr int kMostOpen = 200;  // names that are opened unasked
  int open = 0;
  forEachRow({}, [&](const QModelIndex& row) {
    const QString key = model_->key(row);
    if (rows_.wasInSight(key) && model_->isRefreshing()) setExpanded(row.parent(), true);
    if (model_->rowCount(row) == 0) return;
    const bool isName = row.parent().isValid();
    const bool isNew = !closed_.contains(key) && open < kMostOpen;
    if (open_.contains(key) || isNew) setExpanded(row, true);
    if (isName) ++open;
  });
}

void LineageView::scrollTo(const QModelIndex& index, ScrollHint hint) {
  const int place = horizontalScrollBar()->value();
  QTreeView::scrollTo(index, hint);
  horizontalScrollBar()->setValue(place);
}

void LineageView::select(const QString& label) {
  const QModelIndex index = model_->find(label);
  if (!index.isValid()) return;
  setCurrentIndex(index);
  scrollTo(index);
}

QStringList LineageView::selectedVersions() const {
  QStringList labels;
  const QModelIndexList rows = selectionModel()->selectedRows();
  for (const QModelIndex& row : rows) {
    for (const ListRow* version : model_->versions(row)) labels << labelText(version->version);
  }
  labels.removeDuplicates();
  return labels;
}

QStringList LineageView::selectedLabels() const {
  QStringList labels;
  const QModelIndexList rows = selectionModel()->selectedRows();
  for (const QModelIndex& row : rows) {
    const Kind kind = model_->kind(row);
    const QString label = row.data(LabelRole).toString();
    if (kind != Kind::More && !label.isEmpty() && !labels.contains(label)) labels << label;
  }
  return labels;
}

void LineageView::drawBranches(QPainter* painter, const QRect& rect,
                               const QModelIndex& index) const {
  QTreeView::drawBranches(painter, rect, index);
  const ChartColors colors = ChartColors::from(palette());
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(
      QPen(colors.grid.darker(palette().base().color().lightness() < 128 ? 60 : 125), 1.5));
  // From the row's own level up: a lane goes on where an ancestor has further siblings.
  const int y = rect.center().y();
  int x = rect.right() - indentation() / 2;
  bool isOwn = true;
  for (QModelIndex at = index; at.parent().isValid(); at = at.parent()) {
    x -= indentation();
    const bool isLast = at.row() + 1 == model_->rowCount(at.parent());
    if (isOwn) {
      painter->drawLine(x, rect.top(), x, isLast ? y : rect.bottom() + 1);
      painter->drawLine(x, y, x + indentation() - (model_->rowCount(index) > 0 ? 7 : 4), y);
    } else if (!isLast) {
      painter->drawLine(x, rect.top(), x, rect.bottom() + 1);
    }
    isOwn = false;
  }
  if (model_->rowCount(index) == 0 && model_->kind(index) != Kind::More) {
    painter->setPen(QPen(colors.main, 1.5));
    painter->setBrush(model_->kind(index) == Kind::Base ? QBrush(colors.main)
                                                        : QBrush(colors.background));
    painter->drawEllipse(QPointF(rect.right() - indentation() / 2.0, y), 3.5, 3.5);
  }
  painter->restore();
}

void LineageView::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy)) {
    // The hash is what other programs and people want of a version.
    QStringList hashes;
    const QModelIndexList rows = selectionModel()->selectedRows();
    for (const QModelIndex& row : rows) {
      if (const ListRow* version = model_->version(row)) {
        hashes << text(toHex(version->version.contentDigest));
      }
    }
    QGuiApplication::clipboard()->setText(hashes.join(u'\n'));
    return;
  }
  if (event->key() == Qt::Key_Escape) {
    clearSelection();
    return;
  }
  QTreeView::keyPressEvent(event);
}

void LineageView::paintEvent(QPaintEvent* event) {
  QTreeView::paintEvent(event);
  if (model_->rowCount() == 0) drawEmptyText(*this, emptyText_);
}

void LineageView::focusInEvent(QFocusEvent* event) {
  QTreeView::focusInEvent(event);
  // Screen readers are told of the list; of its current row once that is done.
  const auto tell = [this] {
    if (hasFocus()) QTreeView::currentChanged(currentIndex(), currentIndex());
  };
  if (QAccessible::isActive()) QMetaObject::invokeMethod(this, tell, Qt::QueuedConnection);
}

}  // namespace strata::gui
