#include "gui/widgets/look/flow_layout.h"

#include <QStyle>
#include <QWidget>
#include <algorithm>

namespace strata::gui {
namespace {

constexpr int kGap = 6;

int widthOf(const QLayoutItem& item) {
  return std::max(item.sizeHint().width(), item.minimumSize().width());
}

bool expands(const QLayoutItem& item) { return (item.expandingDirections() & Qt::Horizontal) != 0; }

}  // namespace

FlowLayout::FlowLayout(QWidget* parent) : QLayout(parent) { setContentsMargins(0, 0, 0, 0); }

FlowLayout::~FlowLayout() { qDeleteAll(items_); }

QLayoutItem* FlowLayout::takeAt(int index) {
  return index < 0 || index >= items_.size() ? nullptr : items_.takeAt(index);
}

QList<FlowLayout::Row> FlowLayout::rowsFor(int width) const {
  QList<Row> rows;
  for (qsizetype i = 0; i < items_.size(); ++i) {
    const QLayoutItem& item = *items_[i];
    if (item.isEmpty()) {  // hidden
      if (!rows.isEmpty()) rows.back().last = i + 1;
      continue;
    }
    const int own = widthOf(item);
    if (rows.isEmpty() || rows.back().width + kGap + own > width) {
      rows << Row{i, i, -kGap, 0};
    }
    Row& row = rows.back();
    row.last = i + 1;
    row.width += kGap + own;
    row.height = std::max(row.height, item.sizeHint().height());
  }
  return rows;
}

int FlowLayout::heightForWidth(int width) const {
  const QList<Row> rows = rowsFor(width);
  int height = static_cast<int>(std::max<qsizetype>(0, rows.size() - 1)) * kGap;
  for (const Row& row : rows) height += row.height;
  return height;
}

QSize FlowLayout::minimumSize() const {
  QSize least;
  for (const QLayoutItem* item : items_) {
    if (!item->isEmpty()) least = least.expandedTo(item->minimumSize());
  }
  return least;
}

QSize FlowLayout::sizeHint() const {
  QSize hint;
  for (const QLayoutItem* item : items_) {
    if (item->isEmpty()) continue;
    hint.rwidth() += widthOf(*item) + kGap;
    hint.setHeight(std::max(hint.height(), item->sizeHint().height()));
  }
  return hint;
}

void FlowLayout::setGeometry(const QRect& rect) {
  QLayout::setGeometry(rect);
  int top = rect.top();
  for (const Row& row : rowsFor(rect.width())) {
    place(row, {rect.left(), top, rect.width(), row.height});
    top += row.height + kGap;
  }
}

void FlowLayout::place(const Row& row, const QRect& room) const {
  int expanding = 0;
  for (qsizetype i = row.first; i < row.last; ++i) {
    expanding += !items_[i]->isEmpty() && expands(*items_[i]) ? 1 : 0;
  }
  int left = std::max(0, room.width() - row.width);
  int x = room.left();
  for (qsizetype i = row.first; i < row.last; ++i) {
    QLayoutItem& item = *items_[i];
    if (item.isEmpty()) continue;
    int width = std::min(widthOf(item), room.width());
    if (expands(item)) {
      const int share = left / expanding--;
      width += share;
      left -= share;
    }
    const int height = std::min(item.sizeHint().height(), row.height);
    const QRect place(x, room.top() + (row.height - height) / 2, width, height);
    const auto direction =
        parentWidget() == nullptr ? Qt::LeftToRight : parentWidget()->layoutDirection();
    item.setGeometry(QStyle::visualRect(direction, room, place));
    x += width + kGap;
  }
}

}  // namespace strata::gui
