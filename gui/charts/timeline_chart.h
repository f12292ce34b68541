#pragma once

#include <vector>

#include "core/ops/inspect/list_versions.h"
#include "gui/charts/chart.h"

namespace strata::gui {

/// The versions of one name along a line, with tags, and sparklines of stored size and change. Many
/// stand close together, with names where there is room.
class TimelineChart final : public Chart {
  Q_OBJECT

 public:
  explicit TimelineChart(QWidget* parent = nullptr);

  /// All of one name, in any order.
  void setVersions(std::vector<ListRow> versions);
  QString label(int point) const;  ///< "sst2:v2"

  int pointCount() const override { return static_cast<int>(versions_.size()); }
  QString pointText(int point) const override;
  QString summary() const override;
  ChartTable table() const override;
  QSize sizeHint() const override { return {420, 96}; }

 protected:
  void draw(QPainter& painter, const QRectF& area, const ChartColors& colors) const override;
  QRectF pointRect(int point, const QRectF& area) const override;

 private:
  double pointX(int point, const QRectF& area) const;
  double dotOf(const QRectF& area) const;
  void drawNames(QPainter& painter, const QRectF& area, const ChartColors& colors) const;
  void drawCurves(QPainter& painter, const QRectF& area, const ChartColors& colors) const;

  std::vector<ListRow> versions_;
};

}  // namespace strata::gui
