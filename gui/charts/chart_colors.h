#pragma once

#include <QColor>

class QPalette;

namespace strata::gui {

/// The colours of all charts, taken from a palette so that light and dark both work. Hues differ in
/// lightness, too, and nothing is told by colour alone.
struct ChartColors {
  QColor background, text, faint, grid;
  QColor main;    ///< what the chart is about
  QColor second;  ///< a second series
  QColor third;   ///< a third one
  QColor alert;   ///< needs attention

  static ChartColors from(const QPalette& palette);
};

}  // namespace strata::gui
