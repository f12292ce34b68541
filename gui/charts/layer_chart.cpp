#include "gui/charts/layer_chart.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>

#include "gui/charts/axis.h"
#include "gui/models/wording.h"

namespace strata::gui {
namespace {

constexpr double kTallest = 34;  // of a bar and its gap

QString bitsText(double bits) { return decimalText(bits, bits < 10 ? 2 : 1); }

}  // namespace

LayerChart::LayerChart(QWidget* parent) : Chart(parent) { setAccessibleName(tr("Bits per layer")); }

void LayerChart::setLayers(std::vector<LayerBits> layers) {
  layers_ = std::move(layers);
  most_ = 0;
  for (const LayerBits& layer : layers_) most_ = std::max(most_, layer.bits());
  if (most_ == 0) most_ = 1;
  setMinimumHeight(sizeHint().height());
  dataChanged();
}

QSize LayerChart::sizeHint() const {
  const int line = QFontMetrics(font()).height() + 6;
  return {420, std::max(3, pointCount()) * line + 3 * line};
}

QString LayerChart::pointText(int point) const {
  const LayerBits& layer = layers_[static_cast<std::size_t>(point)];
  return tr("%1: %2 bits per element, %3 stored (%4 as differences, %5 as new tensors)")
      .arg(layer.name, bitsText(layer.bits()), bytesText(layer.storedBytes()),
           bytesText(layer.deltaBytes), bytesText(layer.newBytes));
}

QString LayerChart::summary() const {
  if (layers_.empty()) return tr("There are no layers.");
  const auto most =
      std::max_element(layers_.begin(), layers_.end(),
                       [](const LayerBits& a, const LayerBits& b) { return a.bits() < b.bits(); });
  return tr("Stored bits per element in %n layer(s); most in %1 with %2", nullptr, pointCount())
      .arg(most->name, bitsText(most->bits()));
}

ChartTable LayerChart::table() const {
  ChartTable table{
      {tr("Layer"), tr("Bits"), tr("Stored"), tr("Differences"), tr("New")}, {1, 2, 3, 4}, {}};
  for (const LayerBits& layer : layers_) {
    table.rows.push_back({layer.name, bitsText(layer.bits()), bytesText(layer.storedBytes()),
                          bytesText(layer.deltaBytes), bytesText(layer.newBytes)});
  }
  return table;
}

QRectF LayerChart::plot(const QRectF& area) const {
  const QFontMetricsF metrics(font());
  double names = 40;
  for (const LayerBits& layer : layers_) {
    names = std::max(names, metrics.horizontalAdvance(layer.name));
  }
  names = std::min(names, area.width() * 0.4);
  QRectF inside = area.adjusted(names + 10, metrics.height() + 8, -60, -metrics.height() - 4);
  inside.setHeight(std::min(inside.height(), kTallest * std::max(1, pointCount())));
  return inside;
}

QRectF LayerChart::pointRect(int point, const QRectF& area) const {
  const QRectF inside = plot(area);
  const double height = inside.height() / std::max(1, pointCount());
  const double width = inside.width() * layers_[static_cast<std::size_t>(point)].bits() / most_;
  return {inside.left(), inside.top() + height * point + 2, std::max(width, 1.0), height - 4};
}

void LayerChart::draw(QPainter& painter, const QRectF& area, const ChartColors& colors) const {
  if (layers_.empty()) {
    painter.setPen(colors.faint);
    painter.drawText(area, Qt::AlignCenter, tr("No tensors"));
    return;
  }
  const QRectF inside = plot(area);
  const QFontMetricsF metrics(painter.font());
  drawXAxis(painter, inside, {0, most_, inside.left(), inside.right()}, colors, shortNumberText,
            tr("bits per element"));
  // The legend tells the parts by pattern as well as by colour.
  const QBrush delta(colors.main);
  const QBrush fresh(colors.second, Qt::Dense4Pattern);
  double x = inside.left();
  for (const auto& [brush, what] : {std::pair{delta, tr("differences")}, {fresh, tr("new")}}) {
    painter.setPen(colors.faint);
    painter.setBrush(brush);
    painter.drawRect(QRectF(x, area.top() + 3, 10, metrics.height() - 6));
    painter.setPen(colors.text);
    painter.drawText(QPointF(x + 15, area.top() + metrics.ascent()), what);
    x += 30 + metrics.horizontalAdvance(what);
  }
  for (int i = 0; i < pointCount(); ++i) {
    const LayerBits& layer = layers_[static_cast<std::size_t>(i)];
    const QRectF bar = pointRect(i, area);
    painter.setPen(colors.text);
    const QRectF label(area.left(), bar.top(), inside.left() - area.left() - 6, bar.height());
    painter.drawText(label, Qt::AlignRight | Qt::AlignVCenter,
                     metrics.elidedText(layer.name, Qt::ElideMiddle, label.width()));
    const double share = layer.storedBytes() == 0
                             ? 0
                             : static_cast<double>(layer.deltaBytes + layer.sameBytes) /
                                   static_cast<double>(layer.storedBytes());
    painter.setPen(Qt::NoPen);
    painter.setBrush(delta);
    painter.drawRect(QRectF(bar.left(), bar.top(), bar.width() * share, bar.height()));
    painter.setBrush(fresh);
    painter.drawRect(QRectF(bar.left() + bar.width() * share, bar.top(), bar.width() * (1 - share),
                            bar.height()));
    painter.setPen(colors.text);
    painter.drawText(QRectF(bar.right() + 5, bar.top(), 55, bar.height()), Qt::AlignVCenter,
                     bitsText(layer.bits()));
  }
}

}  // namespace strata::gui
