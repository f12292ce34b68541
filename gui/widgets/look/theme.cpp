#include "gui/widgets/look/theme.h"

#include <QApplication>
#include <QPainter>
#include <QPalette>
#include <QProxyStyle>
#include <QStyleOption>

namespace strata::gui {
namespace {

struct Tones {
  QColor window, base, alternate, button, text, faint, highlight, highlighted, link, edge;
};

QPalette paletteOf(const Tones& tones) {
  QPalette palette(tones.text, tones.button, tones.alternate, tones.edge, tones.edge, tones.text,
                   tones.text, tones.base, tones.window);
  palette.setColor(QPalette::AlternateBase, tones.alternate);
  palette.setColor(QPalette::Light, tones.button.lighter(108));
  palette.setColor(QPalette::Midlight, tones.button.lighter(104));
  palette.setColor(QPalette::Dark, tones.edge);
  palette.setColor(QPalette::Mid, tones.edge);
  palette.setColor(QPalette::Shadow, tones.edge.darker(140));
  palette.setColor(QPalette::Highlight, tones.highlight);
  palette.setColor(QPalette::HighlightedText, tones.highlighted);
  palette.setColor(QPalette::Link, tones.link);
  palette.setColor(QPalette::PlaceholderText, tones.faint);
  palette.setColor(QPalette::ToolTipBase, tones.base);
  palette.setColor(QPalette::ToolTipText, tones.text);
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
    palette.setColor(QPalette::Disabled, role, tones.faint);
  }
  palette.setColor(QPalette::Disabled, QPalette::Highlight, tones.alternate);
  palette.setColor(QPalette::Disabled, QPalette::HighlightedText, tones.faint);
  return palette;
}

/// Fusion makes edges out of a darker window: on black there are none.
bool needsEdges(const QPalette& palette) {
  return palette.color(QPalette::Window) == QColor(Qt::black);
}

void drawEdge(const QStyleOption& option, QPainter& painter) {
  const bool hasFocus = (option.state & QStyle::State_HasFocus) != 0;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(option.palette.color(hasFocus ? QPalette::Highlight : QPalette::Dark), 1));
  painter.drawRect(option.rect.adjusted(0, 0, -1, -1));
  if (hasFocus) painter.drawRect(option.rect.adjusted(1, 1, -2, -2));
  painter.restore();
}

/// Fusion with room around the text of cells, so that columns of tables do not touch.
class RoomyStyle final : public QProxyStyle {
 public:
  RoomyStyle() : QProxyStyle(QStringLiteral("Fusion")) {}

  /// Fusion's boxes have an edge that a dark window swallows.
  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override {
    QProxyStyle::drawPrimitive(element, option, painter, widget);
    const bool isEdged = element == PE_Frame || element == PE_FrameLineEdit ||
                         element == PE_PanelButtonCommand || element == PE_FrameGroupBox ||
                         element == PE_FrameMenu || element == PE_FrameTabWidget;
    if (isEdged && needsEdges(option->palette)) return drawEdge(*option, *painter);
    const bool isCheckBox = element == PE_IndicatorCheckBox;
    if ((!isCheckBox && element != PE_IndicatorRadioButton) || !isDark(option->palette)) return;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing, !isCheckBox);
    painter->setBrush(Qt::NoBrush);
    painter->setPen(option->palette.color(QPalette::PlaceholderText));
    const QRect edge = option->rect.adjusted(0, 0, -1, -1);
    isCheckBox ? painter->drawRect(edge) : painter->drawEllipse(edge);
    painter->restore();
  }

  void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                   const QWidget* widget) const override {
    QProxyStyle::drawControl(element, option, painter, widget);
    const bool isEdged = element == CE_HeaderSection || element == CE_TabBarTabShape ||
                         element == CE_ProgressBarGroove || element == CE_Splitter;
    if (!isEdged || !needsEdges(option->palette)) return;
    QStyleOption plain(*option);
    plain.state &= ~State_HasFocus;
    drawEdge(plain, *painter);
  }

  void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                          QPainter* painter, const QWidget* widget) const override {
    QProxyStyle::drawComplexControl(control, option, painter, widget);
    const bool isEdged = control == CC_ComboBox || control == CC_SpinBox;
    if (isEdged && needsEdges(option->palette)) drawEdge(*option, *painter);
  }

  int pixelMetric(PixelMetric metric, const QStyleOption* option,
                  const QWidget* widget) const override {
    switch (metric) {
      case PM_FocusFrameHMargin:
        return 5;
      case PM_HeaderMargin:
        return 4;
      default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
  }
};

const Tones& lightTones() {
  static const Tones kTones{{0xf4, 0xf5, 0xf7}, {0xff, 0xff, 0xff}, {0xee, 0xf0, 0xf3},
                            {0xe9, 0xeb, 0xef}, {0x1c, 0x1f, 0x24}, {0x6a, 0x70, 0x7a},
                            {0x1f, 0x6f, 0xc4}, {0xff, 0xff, 0xff}, {0x1a, 0x5f, 0xaa},
                            {0xb9, 0xbf, 0xc9}};
  return kTones;
}

const Tones& darkTones() {
  static const Tones kTones{{0x2e, 0x31, 0x37}, {0x1b, 0x1d, 0x21}, {0x22, 0x25, 0x2a},
                            {0x3d, 0x42, 0x4a}, {0xe8, 0xea, 0xed}, {0x9a, 0xa1, 0xab},
                            {0x2c, 0x6c, 0xb0}, {0xff, 0xff, 0xff}, {0x7c, 0xbb, 0xff},
                            {0x4a, 0x50, 0x5a}};
  return kTones;
}

const Tones& contrastTones() {
  static const Tones kTones{{0x00, 0x00, 0x00}, {0x00, 0x00, 0x00}, {0x1a, 0x1a, 0x1a},
                            {0x20, 0x20, 0x20}, {0xff, 0xff, 0xff}, {0xd0, 0xd0, 0xd0},
                            {0xff, 0xe0, 0x00}, {0x00, 0x00, 0x00}, {0x7c, 0xd8, 0xff},
                            {0xff, 0xff, 0xff}};
  return kTones;
}

const Tones& tonesOf(Theme theme, bool isDesktopDark) {
  if (theme == Theme::Contrast) return contrastTones();
  const bool dark = theme == Theme::Dark || (theme == Theme::System && isDesktopDark);
  return dark ? darkTones() : lightTones();
}

}  // namespace

QString name(Theme theme) {
  switch (theme) {
    case Theme::Light:
      return QStringLiteral("light");
    case Theme::Dark:
      return QStringLiteral("dark");
    case Theme::Contrast:
      return QStringLiteral("contrast");
    case Theme::System:
      break;
  }
  return QStringLiteral("system");
}

Theme themeFromName(const QString& text) {
  for (const Theme theme : {Theme::Light, Theme::Dark, Theme::Contrast}) {
    if (text == name(theme)) return theme;
  }
  return Theme::System;
}

bool isDark(const QPalette& palette) {
  return palette.color(QPalette::Window).lightness() <
         palette.color(QPalette::WindowText).lightness();
}

void applyTheme(Theme theme) {
  static const QPalette kDesktop = QApplication::palette();  // as it was before the first change
  // Lanes, bars and focus marks are drawn to go with Fusion, which looks the same on every desktop.
  QApplication::setStyle(new RoomyStyle);
  QApplication::setPalette(paletteOf(tonesOf(theme, isDark(kDesktop))));
}

}  // namespace strata::gui
