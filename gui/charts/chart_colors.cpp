#include "gui/charts/chart_colors.h"

#include <QPalette>

namespace strata::gui {
namespace {

QColor mixed(const QColor& a, const QColor& b, double share) {
  const auto one = [&](int x, int y) { return static_cast<int>(x + (y - x) * share); };
  return {one(a.red(), b.red()), one(a.green(), b.green()), one(a.blue(), b.blue())};
}

}  // namespace

ChartColors ChartColors::from(const QPalette& palette) {
  const QColor base = palette.color(QPalette::Base);
  const QColor text = palette.color(QPalette::Text);
  const bool isDark = base.lightness() < 128;
  ChartColors colors;
  colors.background = base;
  colors.text = text;
  colors.faint = mixed(text, base, 0.35);
  colors.grid = mixed(text, base, 0.82);
  colors.main = isDark ? QColor(0x5b, 0xa8, 0xf5) : QColor(0x1f, 0x6f, 0xc4);
  colors.second = isDark ? QColor(0xf0, 0xb3, 0x5a) : QColor(0xb8, 0x6a, 0x08);
  colors.third = isDark ? QColor(0x7f, 0xd1, 0x8c) : QColor(0x2b, 0x80, 0x3e);
  colors.alert = isDark ? QColor(0xff, 0x8a, 0x80) : QColor(0xb8, 0x1d, 0x1d);
  return colors;
}

}  // namespace strata::gui
