#pragma once

#include <vector>

#include "gui/charts/chart.h"

namespace strata::gui {

/// What takes the space: one bar cut into named parts, the largest first.
class SizeBar final : public Chart {
  Q_OBJECT

 public:
  struct Part {
    QString name;
    std::uint64_t byteCount = 0;
  };

  explicit SizeBar(QWidget* parent = nullptr);

  /// All parts after the eighth become one.
  void setParts(std::vector<Part> parts);

  int pointCount() const override { return static_cast<int>(parts_.size()); }
  QString pointText(int point) const override;
  QString summary() const override;
  ChartTable table() const override;
  QSize sizeHint() const override { return {420, 60}; }

 protected:
  void draw(QPainter& painter, const QRectF& area, const ChartColors& colors) const override;
  QRectF pointRect(int point, const QRectF& area) const override;

 private:
  std::vector<Part> parts_;
  std::uint64_t totalBytes_ = 0;
};

}  // namespace strata::gui
