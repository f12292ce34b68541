#include "gui/charts/timeline_chart.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>

#include "gui/models/wording.h"

namespace strata::gui {
namespace {

constexpr double kDot = 5;

/// A line through values at their places, in a strip of the chart; 0 is its bottom.
void drawSparkline(QPainter& painter, const std::vector<QPointF>& points, const QRectF& strip,
                   const QColor& color, Qt::PenStyle style) {
  double most = 0;
  for (const QPointF& point : points) most = std::max(most, point.y());
  QPainterPath path;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double height = most == 0 ? 0 : points[i].y() / most;
    const QPointF place(points[i].x(), strip.bottom() - height * strip.height());
    i == 0 ? path.moveTo(place) : path.lineTo(place);
  }
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(color, 1.5, style));
  painter.drawPath(path);
}

}  // namespace

TimelineChart::TimelineChart(QWidget* parent) : Chart(parent) {
  setAccessibleName(tr("Timeline"));
  setMinimumHeight(96);
}

void TimelineChart::setVersions(std::vector<ListRow> versions) {
  std::sort(versions.begin(), versions.end(),
            [](const ListRow& a, const ListRow& b) { return a.version.number < b.version.number; });
  if (versions.size() > kMostPoints) {
    versions.erase(versions.begin(), versions.end() - static_cast<std::ptrdiff_t>(kMostPoints));
  }
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
  if (!version.isBase()) words += tr(", change %1").arg(errorText(version.relativeChange));
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
    table.rows.push_back(
        {labelText(version), dateText(version.addedAt), bytesText(version.storedBytes),
         version.isBase() ? QStringLiteral("-") : errorText(version.relativeChange),
         joined(version.tags, QStringLiteral(", ")),
         row.awaited.isHere() ? tr("yes") : awaitedText(row.awaited)});
  }
  return table;
}

double TimelineChart::pointX(int point, const QRectF& area) const {
  const double left = area.left() + 30;
  const double right = area.right() - 60;
  if (pointCount() == 1) return left + 20;
  return left + (right - left) * point / (pointCount() - 1);
}

QRectF TimelineChart::pointRect(int point, const QRectF& area) const {
  const double y = area.top() + QFontMetricsF(font()).height() + kDot + 4;
  return {pointX(point, area) - kDot, y - kDot, 2 * kDot, 2 * kDot};
}

void TimelineChart::draw(QPainter& painter, const QRectF& area, const ChartColors& colors) const {
  if (versions_.empty()) {
    painter.setPen(colors.faint);
    painter.drawText(area, Qt::AlignCenter, summary());
    return;
  }
  const QFontMetricsF metrics(painter.font());
  const double y = pointRect(0, area).center().y();
  painter.setPen(QPen(colors.faint, 2));
  painter.drawLine(QPointF(pointX(0, area), y), QPointF(pointX(pointCount() - 1, area), y));
  double freeAbove = area.left();
  double freeBelow = area.left();
  for (int i = 0; i < pointCount(); ++i) {
    const VersionEntry& version = versions_[static_cast<std::size_t>(i)].version;
    const QRectF dot = pointRect(i, area);
    const bool isHere = versions_[static_cast<std::size_t>(i)].awaited.isHere();
    painter.setPen(QPen(colors.main, 2, isHere ? Qt::SolidLine : Qt::DotLine));
    painter.setBrush(version.tags.empty() ? colors.background : colors.main);
    painter.drawEllipse(dot);
    const QString name = QStringLiteral("v%1").arg(version.number);
    const QString below = version.tags.empty() ? name : name + u' ' + tagsText(version.tags);
    const QString above = dateText(version.addedAt).left(10);
    const auto drawLabel = [&](const QString& label, double top, double& free) {
      const double width = metrics.horizontalAdvance(label);
      const double left =
          std::clamp(dot.center().x() - width / 2, area.left(), area.right() - width);
      if (left < free) return;
      painter.drawText(QRectF(left, top, width + 1, metrics.height()), Qt::AlignCenter, label);
      free = left + width + 10;
    };
    painter.setPen(colors.faint);
    drawLabel(above, area.top(), freeAbove);
    painter.setPen(colors.text);
    drawLabel(below, dot.bottom() + 2, freeBelow);
  }
  const double top = pointRect(0, area).bottom() + metrics.height() + 6;
  const QRectF strip(area.left(), top, area.width(), area.bottom() - top - 2);
  if (pointCount() < 2 || strip.height() < 8) return;
  std::vector<QPointF> stored;
  std::vector<QPointF> changes;
  for (int i = 0; i < pointCount(); ++i) {
    const VersionEntry& version = versions_[static_cast<std::size_t>(i)].version;
    stored.emplace_back(pointX(i, area), static_cast<double>(version.storedBytes));
    changes.emplace_back(pointX(i, area), version.relativeChange);
  }
  drawSparkline(painter, stored, strip, colors.main, Qt::SolidLine);
  drawSparkline(painter, changes, strip, colors.second, Qt::DashLine);
  const double x = pointX(pointCount() - 1, area) + 8;
  painter.setPen(colors.main);
  painter.drawText(QPointF(x, strip.top() + metrics.ascent() - 4), tr("stored"));
  painter.setPen(colors.second);
  painter.drawText(QPointF(x, strip.bottom()), tr("change"));
}

}  // namespace strata::gui
