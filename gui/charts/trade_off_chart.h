#pragma once

#include <optional>
#include <vector>

#include "gui/charts/chart.h"

namespace strata::gui {

/// How far a preview may be off, either way.
struct TradeOffBand {
  std::uint64_t leastBytes = 0;
  std::uint64_t mostBytes = 0;
  double leastLoss = 0;
  double mostLoss = 0;
};

/// One set of settings: what it stores and what it costs in quality.
struct TradeOffPoint {
  QString name;
  std::uint64_t storedBytes = 0;
  std::optional<double> loss = {};  ///< points of score, or a relative error; nothing: unknown
  std::optional<TradeOffBand> band = {};  ///< of a preview; nothing: measured on the whole model
  bool isOnFrontier = false;              ///< nothing measured is both smaller and better
  bool isChosen = false;
};

/// Stored size against quality. What was measured is solid; what was judged from a sample is
/// hollow, with bars that say how far it may be off. The frontier is a line.
class TradeOffChart final : public Chart {
  Q_OBJECT

 public:
  explicit TradeOffChart(QWidget* parent = nullptr);

  /// `lossTitle` names the vertical axis. Lines mark the target, where there is one.
  void setPoints(std::vector<TradeOffPoint> points, const QString& lossTitle,
                 std::optional<double> targetLoss, std::optional<std::uint64_t> targetBytes);

  int pointCount() const override { return static_cast<int>(points_.size()); }
  QString pointText(int point) const override;
  QString summary() const override;
  ChartTable table() const override;
  QSize sizeHint() const override { return {460, 320}; }

 protected:
  void draw(QPainter& painter, const QRectF& area, const ChartColors& colors) const override;
  QRectF pointRect(int point, const QRectF& area) const override;

 private:
  QRectF plot(const QRectF& area) const;
  QPointF place(std::uint64_t bytes, double loss, const QRectF& area) const;
  /// Where a point is drawn: one of unknown loss at the upper edge.
  QPointF placeOf(const TradeOffPoint& point, const QRectF& area) const;
  void drawTargets(QPainter& painter, const QRectF& area, const ChartColors& colors) const;
  void drawBand(QPainter& painter, const TradeOffPoint& point, const QRectF& area,
                const ChartColors& colors) const;
  void drawLegend(QPainter& painter, const QRectF& area, const ChartColors& colors) const;
  bool hasPreview() const;

  std::vector<TradeOffPoint> points_;
  QString lossTitle_;
  std::optional<double> targetLoss_;
  std::optional<std::uint64_t> targetBytes_;
  double mostBytes_ = 1;
  double leastLoss_ = 0, mostLoss_ = 1;
};

}  // namespace strata::gui
