#include "gui/widgets/views/cell_delegate.h"

#include <QPainter>
#include <algorithm>

#include "gui/charts/chart.h"
#include "gui/models/columns/record_table.h"

namespace strata::gui {

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
  QStyleOptionViewItem shown = option;
  shown.state &= ~QStyle::State_HasFocus;  // rows are selected whole
  if (index.data(MarkRole).toBool()) {
    shown.font.setBold(true);
    shown.palette.setColor(QPalette::Text, ChartColors::from(option.palette).alert);
  }
  const QVariant share = index.data(ShareRole);
  QStyledItemDelegate::paint(painter, shown, index);
  if (!share.isValid() || share.toDouble() <= 0) return;
  QColor tone = ChartColors::from(option.palette).main;
  tone.setAlphaF(0.75F);
  const QRect cell = option.rect.adjusted(3, 0, -3, -2);
  const int width = std::max(1, static_cast<int>(cell.width() * std::min(1.0, share.toDouble())));
  painter->fillRect(QRect(cell.right() - width + 1, cell.bottom() - 1, width, 2), tone);
}

QSize CellDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  QStyleOptionViewItem shown = option;
  if (index.data(MarkRole).toBool()) shown.font.setBold(true);
  const QSize hint = QStyledItemDelegate::sizeHint(shown, index);
  return {hint.width(), std::max(hint.height(), option.fontMetrics.height() + 8)};
}

}  // namespace strata::gui
