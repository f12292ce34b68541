#pragma once

#include <optional>

#include "core/ops/inspect/tensor_histogram.h"
#include "gui/charts/chart.h"

namespace strata::gui {

/// How one tensor's numbers are distributed.
class HistogramChart final : public Chart {
  Q_OBJECT

 public:
  explicit HistogramChart(QWidget* parent = nullptr);

  /// `what` names the numbers: "values", "change to the parent". Nothing clears the chart.
  void setHistogram(const QString& what, std::optional<Histogram> histogram);
  void setLogarithmic(bool isLogarithmic);

  int pointCount() const override;
  QString pointText(int point) const override;
  QString summary() const override;
  ChartTable table() const override;
  QSize sizeHint() const override { return {420, 200}; }

 protected:
  void draw(QPainter& painter, const QRectF& area, const ChartColors& colors) const override;
  QRectF pointRect(int point, const QRectF& area) const override;

 private:
  QRectF plot(const QRectF& area) const;
  double heightOf(std::uint64_t count) const;
  double binEdge(int bin) const;

  QString what_;
  std::optional<Histogram> histogram_;
  bool isLogarithmic_ = false;
  std::uint64_t most_ = 0;
};

}  // namespace strata::gui
