#include "gui/charts/trade_off_chart.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>

#include "gui/charts/axis.h"
#include "gui/models/wording.h"

namespace strata::gui {
namespace {

constexpr double kHalfDot = 5;
constexpr double kRoom = 1.08;  // beyond the outermost points

QString bytesLabel(double bytes) { return bytesText(static_cast<std::uint64_t>(bytes)); }

/// "measured", or "sampled: 150 kB to 165 kB, 0.70 to 0.72".
QString knowledgeText(const TradeOffPoint& point) {
  if (!point.band) return TradeOffChart::tr("measured");
  QString sizes = TradeOffChart::tr("sampled: %1 to %2")
                      .arg(bytesText(point.band->leastBytes), bytesText(point.band->mostBytes));
  if (!point.loss) return sizes;
  return sizes +
         TradeOffChart::tr(", %1 to %2")
             .arg(shortNumberText(point.band->leastLoss), shortNumberText(point.band->mostLoss));
}

}  // namespace

TradeOffChart::TradeOffChart(QWidget* parent) : Chart(parent) {
  setAccessibleName(tr("Size against quality"));
  setMinimumSize(260, 200);
}

void TradeOffChart::setPoints(std::vector<TradeOffPoint> points, const QString& lossTitle,
                              std::optional<double> targetLoss,
                              std::optional<std::uint64_t> targetBytes) {
  std::stable_sort(points.begin(), points.end(),
                   [](const auto& a, const auto& b) { return a.storedBytes < b.storedBytes; });
  points_ = std::move(points);
  lossTitle_ = lossTitle;
  targetLoss_ = targetLoss;
  targetBytes_ = targetBytes;
  mostBytes_ = static_cast<double>(targetBytes_.value_or(0));
  leastLoss_ = 0;
  mostLoss_ = targetLoss_.value_or(0);
  for (const TradeOffPoint& point : points_) {
    mostBytes_ = std::max(mostBytes_, static_cast<double>(point.storedBytes));
    if (point.loss) leastLoss_ = std::min(leastLoss_, *point.loss);
    if (point.loss) mostLoss_ = std::max(mostLoss_, *point.loss);
    if (!point.band) continue;
    mostBytes_ = std::max(mostBytes_, static_cast<double>(point.band->mostBytes));
    if (point.loss) mostLoss_ = std::max(mostLoss_, point.band->mostLoss);
  }
  mostBytes_ = mostBytes_ == 0 ? 1 : mostBytes_ * kRoom;
  mostLoss_ = mostLoss_ == leastLoss_ ? leastLoss_ + 1 : mostLoss_ * kRoom;
  dataChanged();
}

QString TradeOffChart::pointText(int point) const {
  const TradeOffPoint& shown = points_[static_cast<std::size_t>(point)];
  QString words =
      shown.loss ? tr("%1: %2, %3 %4")
                       .arg(shown.name, bytesText(shown.storedBytes), lossTitle_,
                            shortNumberText(*shown.loss))
                 : tr("%1: %2, quality not measured").arg(shown.name, bytesText(shown.storedBytes));
  words += QStringLiteral(", ") + knowledgeText(shown);
  if (shown.isChosen) words += tr(", chosen");
  return words;
}

QString TradeOffChart::summary() const {
  if (points_.empty()) return tr("No settings were tried yet.");
  const auto chosen = std::find_if(points_.begin(), points_.end(),
                                   [](const TradeOffPoint& point) { return point.isChosen; });
  const auto measured =
      std::count_if(points_.begin(), points_.end(), [](const auto& point) { return !point.band; });
  QString words = tr("%n setting(s) measured", nullptr, static_cast<int>(measured));
  if (chosen != points_.end()) {
    words += tr("; chosen: %1").arg(pointText(static_cast<int>(chosen - points_.begin())));
  }
  for (int i = 0; i < pointCount(); ++i) {
    if (points_[static_cast<std::size_t>(i)].band) words += QStringLiteral("; ") + pointText(i);
  }
  return words;
}

ChartTable TradeOffChart::table() const {
  const QString loss = lossTitle_.left(1).toUpper() + lossTitle_.mid(1);
  ChartTable table{{tr("Settings"), tr("Stored"), loss, tr("Known by"), tr("Chosen")}, {1, 2}, {}};
  for (const TradeOffPoint& point : points_) {
    table.rows.push_back({point.name, bytesText(point.storedBytes),
                          point.loss ? shortNumberText(*point.loss) : tr("not measured"),
                          knowledgeText(point), point.isChosen ? tr("yes") : QString()});
  }
  return table;
}

bool TradeOffChart::hasPreview() const {
  return std::any_of(points_.begin(), points_.end(),
                     [](const TradeOffPoint& point) { return point.band.has_value(); });
}

QRectF TradeOffChart::plot(const QRectF& area) const {
  const QFontMetricsF metrics(font());
  return area.adjusted(metrics.horizontalAdvance(QStringLiteral("0.0000")) + 10,
                       metrics.height() + 8, -12, -metrics.height() - 6);
}

QPointF TradeOffChart::place(std::uint64_t bytes, double loss, const QRectF& area) const {
  const QRectF inside = plot(area);
  return {Scale{0, mostBytes_, inside.left(), inside.right()}(static_cast<double>(bytes)),
          Scale{leastLoss_, mostLoss_, inside.bottom(), inside.top()}(loss)};
}

QPointF TradeOffChart::placeOf(const TradeOffPoint& point, const QRectF& area) const {
  const QPointF known = place(point.storedBytes, point.loss.value_or(mostLoss_), area);
  return point.loss ? known : known + QPointF(0, 2 * kHalfDot);
}

QRectF TradeOffChart::pointRect(int point, const QRectF& area) const {
  const QPointF center = placeOf(points_[static_cast<std::size_t>(point)], area);
  return {center.x() - kHalfDot, center.y() - kHalfDot, 2 * kHalfDot, 2 * kHalfDot};
}

void TradeOffChart::drawTargets(QPainter& painter, const QRectF& area,
                                const ChartColors& colors) const {
  const QRectF inside = plot(area);
  painter.setPen(QPen(colors.third, 1.5, Qt::DashLine));
  if (targetLoss_) {
    const double y = place(0, *targetLoss_, area).y();
    painter.drawLine(QPointF(inside.left(), y), QPointF(inside.right(), y));
    painter.drawText(QPointF(inside.left() + 6, y - 4), tr("target"));
  }
  if (targetBytes_) {
    const double x = place(*targetBytes_, 0, area).x();
    painter.drawLine(QPointF(x, inside.top()), QPointF(x, inside.bottom()));
    painter.drawText(QPointF(x + 4, inside.top() + 14), tr("target"));
  }
}

void TradeOffChart::drawBand(QPainter& painter, const TradeOffPoint& point, const QRectF& area,
                             const ChartColors& colors) const {
  const QRectF inside = plot(area);
  const QPointF center = placeOf(point, area);
  const TradeOffBand& band = *point.band;
  const double left = place(band.leastBytes, 0, area).x();
  const double right = place(band.mostBytes, 0, area).x();
  const double top = point.loss ? place(0, band.mostLoss, area).y() : inside.top();
  const double bottom = point.loss ? place(0, band.leastLoss, area).y() : inside.bottom();
  QColor shade = colors.second;
  shade.setAlphaF(0.16F);
  painter.fillRect(QRectF(QPointF(left, top), QPointF(right, bottom)), shade);
  painter.setPen(QPen(colors.second, 1.5));
  painter.drawLine(QPointF(left, center.y()), QPointF(right, center.y()));
  painter.drawLine(QPointF(center.x(), top), QPointF(center.x(), bottom));
}

void TradeOffChart::drawLegend(QPainter& painter, const QRectF& area,
                               const ChartColors& colors) const {
  const QFontMetricsF metrics(font());
  const QString measured = tr("measured");
  const QString sampled = tr("sampled, with its error");
  const double y = area.top() + metrics.height() / 2;
  double x = area.right() - metrics.horizontalAdvance(measured) -
             metrics.horizontalAdvance(sampled) - 8 * kHalfDot;
  const auto entry = [&](const QColor& color, const QBrush& brush, const QString& words) {
    painter.setPen(QPen(color, 1.5));
    painter.setBrush(brush);
    painter.drawEllipse(QPointF(x + kHalfDot, y), kHalfDot, kHalfDot);
    painter.setPen(colors.faint);
    painter.drawText(QPointF(x + 3 * kHalfDot, y + metrics.ascent() / 2 - 1), words);
    x += metrics.horizontalAdvance(words) + 5 * kHalfDot;
  };
  entry(colors.main, colors.main, measured);
  entry(colors.second, colors.background, sampled);
}

void TradeOffChart::draw(QPainter& painter, const QRectF& area, const ChartColors& colors) const {
  const QRectF inside = plot(area);
  drawYAxis(painter, inside, {leastLoss_, mostLoss_, inside.bottom(), inside.top()}, colors,
            shortNumberText, lossTitle_);
  drawXAxis(painter, inside, {0, mostBytes_, inside.left(), inside.right()}, colors, bytesLabel,
            tr("stored"));
  if (points_.empty()) {
    painter.setPen(colors.faint);
    painter.drawText(inside, Qt::AlignCenter | Qt::TextWordWrap,
                     tr("Press Find best: each setting that is tried appears here"));
    return;
  }
  drawTargets(painter, area, colors);
  if (hasPreview()) drawLegend(painter, area, colors);
  QPolygonF frontier;
  for (const TradeOffPoint& point : points_) {
    if (point.isOnFrontier) frontier << placeOf(point, area);
  }
  painter.setPen(QPen(colors.main, 1));
  painter.drawPolyline(frontier);
  for (int i = 0; i < pointCount(); ++i) {
    const TradeOffPoint& point = points_[static_cast<std::size_t>(i)];
    if (point.band) drawBand(painter, point, area, colors);
    painter.setPen(QPen(point.band ? colors.second : colors.main, 1.5));
    painter.setBrush(point.band ? QBrush(colors.background) : QBrush(colors.main));
    const QRectF dot = pointRect(i, area);
    painter.drawEllipse(dot);
    if (!point.isChosen) continue;
    painter.setPen(QPen(colors.alert, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(dot.adjusted(-4, -4, 4, 4));
  }
}

}  // namespace strata::gui
