#include "gui/widgets/look/icons.h"

#include <QFile>
#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QPixmap>
#include <QSvgRenderer>

/// Icons lie in a static library, which has to be asked for them; outside of any namespace.
static void loadIcons() { Q_INIT_RESOURCE(resources); }

namespace strata::gui {
namespace {

QColor inkOf(QIcon::Mode mode) {
  const QPalette palette = QGuiApplication::palette();
  if (mode == QIcon::Disabled) return palette.color(QPalette::Disabled, QPalette::ButtonText);
  if (mode == QIcon::Selected) return palette.color(QPalette::HighlightedText);
  return palette.color(QPalette::ButtonText);
}

/// Draws an SVG of one colour in the palette of the moment, so that a change of theme shows at
/// once.
class InkIconEngine final : public QIconEngine {
 public:
  explicit InkIconEngine(QByteArray svg) : svg_(std::move(svg)) {}

  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
    QByteArray inked = svg_;
    inked.replace("#000", inkOf(mode).name().toLatin1());
    QSvgRenderer renderer(inked);
    renderer.render(painter, rect);
  }

  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    QPixmap drawn(size);
    drawn.fill(Qt::transparent);
    QPainter painter(&drawn);
    paint(&painter, QRect(QPoint(), size), mode, state);
    return drawn;
  }

  QIconEngine* clone() const override { return new InkIconEngine(svg_); }

 private:
  QByteArray svg_;
};

}  // namespace

QIcon icon(const QString& name) {
  static const bool isLoaded = (loadIcons(), true);
  Q_UNUSED(isLoaded);
  QFile file(QStringLiteral(":/icons/%1.svg").arg(name));  // in memory: a resource of the program
  if (!file.open(QIODevice::ReadOnly)) return {};
  return QIcon(new InkIconEngine(file.readAll()));
}

}  // namespace strata::gui
