#include "gui/charts/axis.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "gui/charts/chart.h"

namespace strata::gui {

std::vector<double> ticks(double low, double high, int count) {
  if (!(high > low) || count < 1) return {low};
  const double raw = (high - low) / count;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  const double digit = raw / power;
  const double step = (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10) * power;
  const double first = std::ceil(low / step - 1e-9);
  const int last = static_cast<int>(std::floor(high / step + 1e-9) - first);
  std::vector<double> places;
  for (int i = 0; i <= last; ++i) places.push_back((first + i) * step);
  return places;
}

void drawXAxis(QPainter& painter, const QRectF& plot, const Scale& scale, const ChartColors& colors,
               const std::function<QString(double)>& word, const QString& title) {
  const QFontMetricsF metrics(painter.font());
  const double top = plot.bottom() + 3;
  const double titleLeft = plot.right() - metrics.horizontalAdvance(title);
  double free = plot.left() - metrics.averageCharWidth() * 4;  // where the last label ended
  for (const double value : ticks(scale.low, scale.high, 6)) {
    const double x = scale(value);
    painter.setPen(colors.grid);
    painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
    const QString label = word(value);
    const double width = metrics.horizontalAdvance(label);
    const QRectF place(x - width / 2, top, width, metrics.height());
    const bool isFree = place.left() > free && (title.isEmpty() || place.right() < titleLeft - 4);
    if (!isFree) continue;
    painter.setPen(colors.faint);
    painter.drawText(place, Qt::AlignCenter, label);
    free = place.right() + 6;
  }
  painter.setPen(colors.text);
  painter.drawText(QRectF(titleLeft, top, plot.right() - titleLeft + 1, metrics.height()),
                   Qt::AlignRight | Qt::AlignVCenter, title);
  painter.setPen(colors.faint);
  painter.drawLine(plot.bottomLeft(), plot.bottomRight());
}

void drawYAxis(QPainter& painter, const QRectF& plot, const Scale& scale, const ChartColors& colors,
               const std::function<QString(double)>& word, const QString& title) {
  const QFontMetricsF metrics(painter.font());
  const int count = std::max(2, static_cast<int>(plot.height() / (metrics.height() * 2)));
  for (const double value : ticks(scale.low, scale.high, std::min(count, 6))) {
    const double y = scale(value);
    painter.setPen(colors.grid);
    painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    painter.setPen(colors.faint);
    painter.drawText(QRectF(0, y - metrics.height() / 2, plot.left() - 5, metrics.height()),
                     Qt::AlignRight | Qt::AlignVCenter, word(value));
  }
  painter.setPen(colors.text);
  painter.drawText(QPointF(plot.left() + 4, plot.top() - 5), title);
  painter.setPen(colors.faint);
  painter.drawLine(plot.topLeft(), plot.bottomLeft());
}

}  // namespace strata::gui
