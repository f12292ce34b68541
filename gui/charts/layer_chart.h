#pragma once

#include <vector>

#include "gui/charts/chart.h"
#include "gui/models/layer_bits.h"

namespace strata::gui {

/// Stored bits per element for each layer, as bars stacked from differences and new tensors.
class LayerChart final : public Chart {
  Q_OBJECT

 public:
  explicit LayerChart(QWidget* parent = nullptr);

  void setLayers(std::vector<LayerBits> layers);

  int pointCount() const override { return static_cast<int>(layers_.size()); }
  QString pointText(int point) const override;
  QString summary() const override;
  ChartTable table() const override;
  QSize sizeHint() const override;

 protected:
  void draw(QPainter& painter, const QRectF& area, const ChartColors& colors) const override;
  QRectF pointRect(int point, const QRectF& area) const override;

 private:
  QRectF plot(const QRectF& area) const;

  std::vector<LayerBits> layers_;
  double most_ = 1;
};

}  // namespace strata::gui
