#pragma once

#include <QRectF>
#include <QString>
#include <functional>
#include <vector>

class QPainter;

namespace strata::gui {

struct ChartColors;

/// Round numbers between `low` and `high`, about `count` of them.
std::vector<double> ticks(double low, double high, int count);

/// Where a value lies between two ends of the screen.
struct Scale {
  double low = 0, high = 1;  ///< values
  double from = 0, to = 1;   ///< pixels
  double operator()(double value) const noexcept {
    return high == low ? from : from + (value - low) / (high - low) * (to - from);
  }
};

/// Draws a horizontal axis under `plot` with its title to the right, and its grid.
void drawXAxis(QPainter& painter, const QRectF& plot, const Scale& scale, const ChartColors& colors,
               const std::function<QString(double)>& word, const QString& title);
/// Draws a vertical axis to the left of `plot` with its title above, and its grid.
void drawYAxis(QPainter& painter, const QRectF& plot, const Scale& scale, const ChartColors& colors,
               const std::function<QString(double)>& word, const QString& title);

}  // namespace strata::gui
