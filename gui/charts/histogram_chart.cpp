#include "gui/charts/histogram_chart.h"

#include <QFontMetricsF>
#include <QLocale>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "gui/charts/axis.h"
#include "gui/models/wording.h"

namespace strata::gui {
namespace {

QString counted(std::uint64_t count) { return QLocale().toString(static_cast<qulonglong>(count)); }

}  // namespace

HistogramChart::HistogramChart(QWidget* parent) : Chart(parent) {
  setAccessibleName(tr("Distribution"));
}

void HistogramChart::setHistogram(const QString& what, std::optional<Histogram> histogram) {
  what_ = what;
  histogram_ = std::move(histogram);
  most_ = histogram_ && !histogram_->bins.empty()
              ? *std::max_element(histogram_->bins.begin(), histogram_->bins.end())
              : 0;
  dataChanged();
}

void HistogramChart::setLogarithmic(bool isLogarithmic) {
  isLogarithmic_ = isLogarithmic;
  update();
}

int HistogramChart::pointCount() const {
  return histogram_ ? static_cast<int>(histogram_->bins.size()) : 0;
}

double HistogramChart::binEdge(int bin) const {
  return histogram_->low + (histogram_->high - histogram_->low) * bin / pointCount();
}

QString HistogramChart::pointText(int point) const {
  return tr("%1 to %2: %3 numbers")
      .arg(shortNumberText(binEdge(point)), shortNumberText(binEdge(point + 1)),
           counted(histogram_->bins[static_cast<std::size_t>(point)]));
}

QString HistogramChart::summary() const {
  if (!histogram_) return what_.isEmpty() ? tr("No distribution is shown.") : what_;
  return tr("%1: %2 numbers from %3 to %4, mean %5, standard deviation %6, %7 zeros")
      .arg(what_, counted(histogram_->count), shortNumberText(histogram_->min),
           shortNumberText(histogram_->max), shortNumberText(histogram_->mean),
           shortNumberText(histogram_->deviation), counted(histogram_->zeroCount));
}

ChartTable HistogramChart::table() const {
  ChartTable table{{tr("From"), tr("To"), tr("Numbers")}, {0, 1, 2}, {}};
  for (int i = 0; i < pointCount(); ++i) {
    table.rows.push_back({shortNumberText(binEdge(i)), shortNumberText(binEdge(i + 1)),
                          counted(histogram_->bins[static_cast<std::size_t>(i)])});
  }
  return table;
}

QRectF HistogramChart::plot(const QRectF& area) const {
  const double line = QFontMetricsF(font()).height();
  return area.adjusted(8, line + 6, -8, -line - 4);
}

double HistogramChart::heightOf(std::uint64_t count) const {
  if (most_ == 0) return 0;
  const auto share = static_cast<double>(count) / static_cast<double>(most_);
  return isLogarithmic_
             ? std::log1p(static_cast<double>(count)) / std::log1p(static_cast<double>(most_))
             : share;
}

QRectF HistogramChart::pointRect(int point, const QRectF& area) const {
  const QRectF inside = plot(area);
  const double width = inside.width() / pointCount();
  const double height =
      inside.height() * heightOf(histogram_->bins[static_cast<std::size_t>(point)]);
  return {inside.left() + width * point, inside.bottom() - height, width, height};
}

void HistogramChart::draw(QPainter& painter, const QRectF& area, const ChartColors& colors) const {
  const QRectF inside = plot(area);
  if (!histogram_) {
    painter.setPen(colors.faint);
    painter.drawText(
        area, Qt::AlignCenter | Qt::TextWordWrap,
        what_.isEmpty() ? tr("Choose a tensor to see how its numbers are distributed") : what_);
    return;
  }
  painter.setPen(colors.text);
  painter.drawText(QRectF(area.left(), area.top(), area.width(), inside.top() - area.top()),
                   Qt::AlignLeft | Qt::AlignTop, what_);
  const QString figures =
      tr("mean %1, deviation %2, %3 zeros")
          .arg(shortNumberText(histogram_->mean), shortNumberText(histogram_->deviation),
               counted(histogram_->zeroCount));
  painter.setPen(colors.faint);
  painter.drawText(QRectF(area.left(), area.top(), area.width(), inside.top() - area.top()),
                   Qt::AlignRight | Qt::AlignTop, figures);
  drawXAxis(painter, inside, {histogram_->low, histogram_->high, inside.left(), inside.right()},
            colors, shortNumberText, {});
  painter.setPen(Qt::NoPen);
  painter.setBrush(colors.main);
  for (int i = 0; i < pointCount(); ++i) {
    const QRectF bar = pointRect(i, area);
    painter.drawRect(bar.adjusted(0.5, 0, bar.width() > 3 ? -0.5 : 0, 0));
  }
}

}  // namespace strata::gui
