#include "gui/charts/size_bar.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>

#include "gui/models/wording.h"

namespace strata::gui {

SizeBar::SizeBar(QWidget* parent) : Chart(parent) {
  setAccessibleName(tr("What takes the space"));
  setMinimumHeight(52);
  setMaximumHeight(64);
}

void SizeBar::setParts(std::vector<Part> parts) {
  constexpr std::size_t kMost = 8;
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.byteCount > b.byteCount; });
  if (parts.size() > kMost + 1) {
    Part rest{tr("%n more", nullptr, static_cast<int>(parts.size() - kMost)), 0};
    for (std::size_t i = kMost; i < parts.size(); ++i) rest.byteCount += parts[i].byteCount;
    parts.resize(kMost);
    parts.push_back(std::move(rest));
  }
  parts_ = std::move(parts);
  totalBytes_ = 0;
  for (const Part& part : parts_) totalBytes_ += part.byteCount;
  dataChanged();
}

QString SizeBar::pointText(int point) const {
  const Part& part = parts_[static_cast<std::size_t>(point)];
  const double share =
      totalBytes_ == 0 ? 0 : static_cast<double>(part.byteCount) / static_cast<double>(totalBytes_);
  return tr("%1: %2, %3").arg(part.name, bytesText(part.byteCount), shareText(share));
}

QString SizeBar::summary() const {
  if (parts_.empty()) return tr("The store is empty.");
  return tr("%1 in all; most in %2").arg(bytesText(totalBytes_), pointText(0));
}

ChartTable SizeBar::table() const {
  ChartTable table{{tr("Part"), tr("Bytes")}, {1}, {}};
  for (const Part& part : parts_) table.rows.push_back({part.name, bytesText(part.byteCount)});
  return table;
}

QRectF SizeBar::pointRect(int point, const QRectF& area) const {
  std::uint64_t before = 0;
  for (int i = 0; i < point; ++i) before += parts_[static_cast<std::size_t>(i)].byteCount;
  const double unit = totalBytes_ == 0 ? 0 : area.width() / static_cast<double>(totalBytes_);
  const auto own = static_cast<double>(parts_[static_cast<std::size_t>(point)].byteCount);
  return {area.left() + unit * static_cast<double>(before), area.top(), unit * own, area.height()};
}

void SizeBar::draw(QPainter& painter, const QRectF& area, const ChartColors& colors) const {
  const QFontMetricsF metrics(painter.font());
  if (totalBytes_ == 0) {
    painter.setPen(colors.faint);
    painter.drawText(area, Qt::AlignCenter, tr("Nothing is stored yet"));
    return;
  }
  for (int i = 0; i < pointCount(); ++i) {
    const Part& part = parts_[static_cast<std::size_t>(i)];
    const QRectF place = pointRect(i, area).adjusted(0, 0, -1, 0);
    QColor fill = colors.main;
    fill.setAlphaF(i % 2 == 0 ? 0.42F : 0.22F);
    painter.setPen(colors.main);
    painter.setBrush(fill);
    painter.drawRect(place);
    const QRectF inside = place.adjusted(5, 2, -4, -2);
    if (inside.width() < metrics.averageCharWidth() * 4) continue;
    painter.setPen(colors.text);
    painter.drawText(QRectF(inside.left(), inside.top(), inside.width(), inside.height() / 2),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(part.name, Qt::ElideRight, inside.width()));
    const QString bytes = bytesText(part.byteCount);
    // Half a number says something else; the tooltip has it.
    if (metrics.horizontalAdvance(bytes) > inside.width()) continue;
    painter.drawText(
        QRectF(inside.left(), inside.center().y(), inside.width(), inside.height() / 2),
        Qt::AlignLeft | Qt::AlignVCenter, bytes);
  }
}

}  // namespace strata::gui
