#pragma once

#include <QByteArray>
#include <QRectF>
#include <QString>
#include <QStringList>
#include <QWidget>
#include <vector>

#include "gui/charts/chart_colors.h"

class QPainter;

namespace strata::gui {

/// The numbers behind a chart, as its "show as table" twin lists them.
struct ChartTable {
  QStringList titles;
  QList<int> numbers;             ///< columns of numbers, aligned on the right
  std::vector<QStringList> rows;  ///< one a point, in the order of the chart
};

/// A small chart that draws itself, with points that one can walk through by keyboard, look at by
/// tooltip and hear from a screen reader. What a point is, the subclass says.
class Chart : public QWidget {
  Q_OBJECT

 public:
  explicit Chart(QWidget* parent = nullptr);

  virtual int pointCount() const = 0;
  /// One point in words, for tooltip and screen reader.
  virtual QString pointText(int point) const = 0;
  /// The whole chart in one or two sentences.
  virtual QString summary() const = 0;
  virtual ChartTable table() const = 0;

  int current() const noexcept { return current_; }
  void setCurrent(int point);

  /// Draws the chart without focus marks, for files.
  void drawTo(QPainter& painter, const QSizeF& size) const;
  /// What is shown as the bytes of a picture file: SVG, or PNG at twice the size.
  enum class PictureKind { Svg, Png };
  QByteArray picture(PictureKind kind) const;

 signals:
  void currentChanged(int point);
  /// It shows other data.
  void dataReplaced();
  /// Enter or a click on a point.
  void activated(int point);

 protected:
  /// Draws into `area`; the painter has the widget's font and no pen.
  virtual void draw(QPainter& painter, const QRectF& area, const ChartColors& colors) const = 0;
  /// Where a point is drawn in `area`; for the focus ring and for hits.
  virtual QRectF pointRect(int point, const QRectF& area) const = 0;

  /// To be called when the data is another one.
  void dataChanged();

  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  QRectF area() const;
  int pointAt(const QPointF& place) const;

  int current_ = -1;
};

}  // namespace strata::gui
