#pragma once

#include <optional>
#include <vector>

#include "gui/charts/chart.h"

namespace strata::gui {

/// One set of settings that was tried: what it stores and what it costs in quality.
struct TradeOffPoint {
  QString name;
  std::uint64_t storedBytes = 0;
  double loss = 0;            ///< points of score, or a relative error
  bool isMeasured = false;    ///< scored by an evaluator; else an error of the weights only
  bool isOnFrontier = false;  ///< nothing is both smaller and better
  bool isChosen = false;
};

/// Stored size against quality. Measured points are solid, others hollow; the frontier is a line.
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

  std::vector<TradeOffPoint> points_;
  QString lossTitle_;
  std::optional<double> targetLoss_;
  std::optional<std::uint64_t> targetBytes_;
  double mostBytes_ = 1;
  double leastLoss_ = 0, mostLoss_ = 1;
};

}  // namespace strata::gui
