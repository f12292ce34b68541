#include "gui/widgets/views/empty_text.h"

#include <QAbstractScrollArea>
#include <QPainter>
#include <algorithm>

namespace strata::gui {

void drawEmptyText(QAbstractScrollArea& view, const QString& text) {
  QPainter painter(view.viewport());
  painter.setPen(view.palette().color(QPalette::PlaceholderText));
  const QRect all = view.viewport()->rect();
  const int side = std::max(12, all.width() / 8);
  painter.drawText(all.adjusted(side, 8, -side, -8), Qt::AlignCenter | Qt::TextWordWrap, text);
}

}  // namespace strata::gui
