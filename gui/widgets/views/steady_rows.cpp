#include "gui/widgets/views/steady_rows.h"

#include <QItemSelectionModel>
#include <QScrollBar>
#include <algorithm>

namespace strata::gui {

SteadyRows::SteadyRows(QAbstractItemView& view, KeyOf keyOf)
    : view_(view), keyOf_(std::move(keyOf)) {}

void SteadyRows::remember() {
  selected_.clear();
  inSight_.clear();
  metSelected_.clear();
  metCurrent_ = {};
  const QModelIndexList rows = view_.selectionModel()->selectedRows();
  for (const QModelIndex& row : rows) selected_ << keyOf_(row);
  current_ = keyOf_(view_.currentIndex().siblingAtColumn(0));
  scrolled_ = view_.horizontalScrollBar()->value();
  const int bottom = view_.viewport()->height();
  for (int y = 0; y < bottom;) {
    const QModelIndex row = view_.indexAt(QPoint(0, y)).siblingAtColumn(0);
    const QRect place = view_.visualRect(row);
    if (!row.isValid() || place.isEmpty()) return;
    inSight_.push_back({keyOf_(row), place.top()});
    y = std::max(y, place.bottom()) + 1;
  }
}

QSet<QString> SteadyRows::keys() const {
  QSet<QString> all = selected_;
  if (!current_.isEmpty()) all << current_;
  for (const Place& place : inSight_) all << place.key;
  return all;
}

bool SteadyRows::wasInSight(const QString& key) const {
  return std::any_of(inSight_.begin(), inSight_.end(),
                     [&](const Place& place) { return place.key == key; });
}

void SteadyRows::meet(const QModelIndex& row) {
  const QString key = keyOf_(row);
  if (selected_.contains(key)) metSelected_.select(row, row);
  if (key == current_) metCurrent_ = row;
  for (Place& place : inSight_) {
    if (place.key == key) place.now = row;
  }
}

void SteadyRows::selectAgain() {
  view_.setAutoScroll(false);
  if (metCurrent_.isValid()) {
    view_.selectionModel()->setCurrentIndex(metCurrent_, QItemSelectionModel::NoUpdate);
  }
  view_.selectionModel()->select(metSelected_,
                                 QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
  view_.setAutoScroll(true);
}

QModelIndex SteadyRows::chosen() const {
  return metSelected_.isEmpty() ? QModelIndex() : metCurrent_;
}

void SteadyRows::holdPlace() {
  const auto held = std::find_if(inSight_.begin(), inSight_.end(),
                                 [](const Place& place) { return place.now.isValid(); });
  if (held != inSight_.end()) {
    view_.scrollTo(held->now, QAbstractItemView::PositionAtTop);
    const QRect now = view_.visualRect(held->now);
    // The bar counts rows.
    const int rows = now.height() <= 0 ? 0 : (now.top() - held->top) / now.height();
    QScrollBar& bar = *view_.verticalScrollBar();
    bar.setValue(bar.value() + rows);
  }
  view_.horizontalScrollBar()->setValue(scrolled_);
}

}  // namespace strata::gui
