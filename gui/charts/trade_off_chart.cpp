#include "gui/charts/trade_off_chart.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>

#include "gui/charts/axis.h"
#include "gui/models/wording.h"

namespace strata::gui {
namespace {

constexpr double kDot = 5;
constexpr double kRoom = 1.08;  // beyond the outermost points

QString bytesLabel(double bytes) { return bytesText(static_cast<std::uint64_t>(bytes)); }
QString lossLabel(double loss) { return QString::number(loss, 'g', 3); }

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
    leastLoss_ = std::min(leastLoss_, point.loss);
    mostLoss_ = std::max(mostLoss_, point.loss);
  }
  mostBytes_ = mostBytes_ == 0 ? 1 : mostBytes_ * kRoom;
  mostLoss_ = mostLoss_ == leastLoss_ ? leastLoss_ + 1 : mostLoss_ * kRoom;
  dataChanged();
}

QString TradeOffChart::pointText(int point) const {
  const TradeOffPoint& shown = points_[static_cast<std::size_t>(point)];
  QString words =
      tr("%1: %2, %3 %4")
          .arg(shown.name, bytesText(shown.storedBytes), lossTitle_, lossLabel(shown.loss));
  words += shown.isMeasured ? tr(", measured") : tr(", not scored");
  if (shown.isChosen) words += tr(", chosen");
  return words;
}

QString TradeOffChart::summary() const {
  if (points_.empty()) return tr("No settings were tried yet.");
  const auto chosen = std::find_if(points_.begin(), points_.end(),
                                   [](const TradeOffPoint& point) { return point.isChosen; });
  QString words = tr("%n setting(s) tried", nullptr, pointCount());
  if (chosen != points_.end()) {
    words += tr("; chosen: %1").arg(pointText(static_cast<int>(chosen - points_.begin())));
  }
  return words;
}

ChartTable TradeOffChart::table() const {
  ChartTable table{{tr("Settings"), tr("Stored"), lossTitle_, tr("Scored"), tr("Chosen")}, {}};
  for (const TradeOffPoint& point : points_) {
    table.rows.push_back({point.name, bytesText(point.storedBytes), lossLabel(point.loss),
                          point.isMeasured ? tr("yes") : tr("no"),
                          point.isChosen ? tr("yes") : QString()});
  }
  return table;
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

QRectF TradeOffChart::pointRect(int point, const QRectF& area) const {
  const TradeOffPoint& shown = points_[static_cast<std::size_t>(point)];
  const QPointF center = place(shown.storedBytes, shown.loss, area);
  return {center.x() - kDot, center.y() - kDot, 2 * kDot, 2 * kDot};
}

void TradeOffChart::draw(QPainter& painter, const QRectF& area, const ChartColors& colors) const {
  const QRectF inside = plot(area);
  drawYAxis(painter, inside, {leastLoss_, mostLoss_, inside.bottom(), inside.top()}, colors,
            lossLabel, lossTitle_);
  drawXAxis(painter, inside, {0, mostBytes_, inside.left(), inside.right()}, colors, bytesLabel,
            tr("stored"));
  if (points_.empty()) {
    painter.setPen(colors.faint);
    painter.drawText(inside, Qt::AlignCenter | Qt::TextWordWrap,
                     tr("Press Find best: each setting that is tried appears here"));
    return;
  }
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
  QPolygonF frontier;
  for (const TradeOffPoint& point : points_) {
    if (point.isOnFrontier) frontier << place(point.storedBytes, point.loss, area);
  }
  painter.setPen(QPen(colors.main, 1));
  painter.drawPolyline(frontier);
  for (int i = 0; i < pointCount(); ++i) {
    const TradeOffPoint& point = points_[static_cast<std::size_t>(i)];
    painter.setPen(QPen(colors.main, 1.5));
    painter.setBrush(point.isMeasured ? QBrush(colors.main) : QBrush(colors.background));
    const QRectF dot = pointRect(i, area);
    painter.drawEllipse(dot);
    if (!point.isChosen) continue;
    painter.setPen(QPen(colors.alert, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(dot.adjusted(-4, -4, 4, 4));
  }
}

}  // namespace strata::gui
