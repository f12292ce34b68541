#include "gui/charts/timeline_chart.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/models/wording.h"

namespace strata::gui {
namespace {

constexpr double kDot = 5;  // half of a dot's width where there is room
constexpr double kLeastDot = 1.5;

/// A line through values at their places, in a strip of the chart; 0 is its bottom. Returns the
/// height at which it ends.
double drawSparkline(QPainter& painter, const std::vector<QPointF>& points, const QRectF& strip,
                     const QColor& color, Qt::PenStyle style) {
  double most = 0;
  for (const QPointF& point : points) most = std::max(most, point.y());
  QPainterPath path;
  double end = strip.bottom();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double height = most == 0 ? 0 : points[i].y() / most;
    const QPointF place(points[i].x(), strip.bottom() - height * strip.height());
    i == 0 ? path.moveTo(place) : path.lineTo(place);
    end = place.y();
  }
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(color, 1.5, style));
  painter.drawPath(path);
  return end;
}

/// The middles of two lines of text, as near to `a` and `b` as they can be without touching each
/// other or leaving the room from `least` to `most`.
std::pair<double, double> apart(double a, double b, double height, double least, double most) {
  double lower = std::min(std::max(a, b), most);
  const double upper = std::max(least, std::min(std::min(a, b), lower - height));
  lower = std::max(lower, upper + height);
  return a > b ? std::pair(lower, upper) : std::pair(upper, lower);
}

}  // namespace

TimelineChart::TimelineChart(QWidget* parent) : Chart(parent) {
  setAccessibleName(tr("Timeline"));
  setMinimumHeight(96);
}

void TimelineChart::setVersions(std::vector<ListRow> versions) {
  std::sort(versions.begin(), versions.end(),
            [](const ListRow& a, const ListRow& b) { return a.version.number < b.version.number; });
  versions_ = std::move(versions);
  dataChanged();
}

QString TimelineChart::label(int point) const {
  return labelText(versions_[static_cast<std::size_t>(point)].version);
}

QString TimelineChart::pointText(int point) const {
  const VersionEntry& version = versions_[static_cast<std::size_t>(point)].version;
  QString words =
      tr("%1, %2, stored %3")
          .arg(labelText(version), dateText(version.addedAt), bytesText(version.storedBytes));
  if (version.hasChange()) words += tr(", change %1").arg(changeText(version));
  const AwaitedAmount& awaited = versions_[static_cast<std::size_t>(point)].awaited;
  if (!awaited.isHere()) words += QStringLiteral(", ") + awaitedText(awaited);
  if (!version.tags.empty()) {
    words += tr(", tagged %1").arg(joined(version.tags, QStringLiteral(", ")));
  }
  return words;
}

QString TimelineChart::summary() const {
  if (versions_.empty()) return tr("Select a model to see its versions over time.");
  return tr("%n version(s), the newest is %1", nullptr, pointCount())
      .arg(pointText(pointCount() - 1));
}

ChartTable TimelineChart::table() const {
  ChartTable table{
      {tr("Version"), tr("Added"), tr("Stored"), tr("Change"), tr("Tags"), tr("Here")}, {2, 3}, {}};
  for (const ListRow& row : versions_) {
    const VersionEntry& version = row.version;
    table.rows.push_back({labelText(version), dateText(version.addedAt),
                          bytesText(version.storedBytes), changeText(version),
                          joined(version.tags, QStringLiteral(", ")),
                          row.awaited.isHere() ? tr("yes") : awaitedText(row.awaited)});
  }
  return table;
}

double TimelineChart::pointX(int point, const QRectF& area) const {
  const double left = area.left() + 30;
  const QFontMetricsF metrics(font());
  const double names =
      std::max(metrics.horizontalAdvance(tr("stored")), metrics.horizontalAdvance(tr("change")));
  const double right = area.right() - names - 16;
  if (pointCount() == 1) return left + 20;
  return left + (right - left) * point / (pointCount() - 1);
}

double TimelineChart::dotOf(const QRectF& area) const {
  if (pointCount() < 2) return kDot;
  return std::clamp((pointX(1, area) - pointX(0, area)) / 2 - 1, kLeastDot, kDot);
}

QRectF TimelineChart::pointRect(int point, const QRectF& area) const {
  const double y = area.top() + QFontMetricsF(font()).height() + kDot + 4;
  const double dot = dotOf(area);
  return {pointX(point, area) - dot, y - dot, 2 * dot, 2 * dot};
}

void TimelineChart::draw(QPainter& painter, const QRectF& area, const ChartColors& colors) const {
  if (versions_.empty()) {
    painter.setPen(colors.faint);
    painter.drawText(area, Qt::AlignCenter, summary());
    return;
  }
  const double y = pointRect(0, area).center().y();
  painter.setPen(QPen(colors.faint, 2));
  painter.drawLine(QPointF(pointX(0, area), y), QPointF(pointX(pointCount() - 1, area), y));
  for (int i = 0; i < pointCount(); ++i) {
    const VersionEntry& version = versions_[static_cast<std::size_t>(i)].version;
    const bool isHere = versions_[static_cast<std::size_t>(i)].awaited.isHere();
    painter.setPen(QPen(colors.main, 2, isHere ? Qt::SolidLine : Qt::DotLine));
    painter.setBrush(version.tags.empty() ? colors.background : colors.main);
    painter.drawEllipse(pointRect(i, area));
  }
  drawNames(painter, area, colors);
  drawCurves(painter, area, colors);
}

void TimelineChart::drawNames(QPainter& painter, const QRectF& area,
                              const ChartColors& colors) const {
  const QFontMetricsF metrics(painter.font());
  const double below = area.top() + metrics.height() + 2 * kDot + 6;
  // The newest has its names whatever room there is; then from the oldest on, while there is some.
  std::vector<int> order{pointCount() - 1};
  for (int i = 0; i + 1 < pointCount(); ++i) order.push_back(i);
  std::vector<QRectF> taken;
  const auto drawLabel = [&](int point, const QString& label, double top) {
    const double width = metrics.horizontalAdvance(label) + 1;
    const double middle = pointX(point, area);
    const double left = std::clamp(middle - width / 2, area.left(), area.right() - width);
    const QRectF place(left, top, width, metrics.height());
    const QRectF room = place.adjusted(-10, 0, 10, 0);
    if (std::any_of(taken.begin(), taken.end(),
                    [&](const QRectF& one) { return one.intersects(room); })) {
      return;
    }
    painter.drawText(place, Qt::AlignCenter, label);
    taken.push_back(place);
  };
  for (const int i : order) {
    const VersionEntry& version = versions_[static_cast<std::size_t>(i)].version;
    const QString name = QStringLiteral("v%1").arg(version.number);
    painter.setPen(colors.faint);
    drawLabel(i, dateText(version.addedAt).left(10), area.top());
    painter.setPen(colors.text);
    drawLabel(i, version.tags.empty() ? name : name + u' ' + tagsText(version.tags), below);
  }
}

void TimelineChart::drawCurves(QPainter& painter, const QRectF& area,
                               const ChartColors& colors) const {
  const QFontMetricsF metrics(painter.font());
  const double top = area.top() + 2 * metrics.height() + 2 * kDot + 10;
  const QRectF strip(area.left(), top, area.width(), area.bottom() - top - 2);
  if (pointCount() < 2 || strip.height() < 8) return;
  std::vector<QPointF> stored;
  std::vector<QPointF> changes;
  for (int i = 0; i < pointCount(); ++i) {
    const VersionEntry& version = versions_[static_cast<std::size_t>(i)].version;
    stored.emplace_back(pointX(i, area), static_cast<double>(version.storedBytes));
    const double change = version.relativeChange;  // infinite against a base of zeros
    changes.emplace_back(pointX(i, area), std::isfinite(change) ? change : 0);
  }
  const double storedEnd = drawSparkline(painter, stored, strip, colors.main, Qt::SolidLine);
  const double changeEnd = drawSparkline(painter, changes, strip, colors.second, Qt::DashLine);
  // Each name stands where its line ends, and beside the other one where both end at one height.
  const double x = pointX(pointCount() - 1, area) + 8;
  const double half = metrics.height() / 2;
  const auto [storedY, changeY] =
      apart(storedEnd, changeEnd, metrics.height(), top + half - 2, area.bottom() - half + 4);
  const auto drawName = [&](const QString& name, double y, const QColor& color) {
    painter.setPen(color);
    painter.drawText(QRectF(x, y - metrics.height() / 2, area.right() - x + 6, metrics.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, name);
  };
  drawName(tr("stored"), storedY, colors.main);
  drawName(tr("change"), changeY, colors.second);
}

}  // namespace strata::gui
