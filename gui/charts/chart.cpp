#include "gui/charts/chart.h"

#include <QAccessible>
#include <QBuffer>
#include <QHelpEvent>
#include <QImage>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QSvgGenerator>
#include <QToolTip>
#include <algorithm>

namespace strata::gui {
namespace {

constexpr double kMargin = 6;
constexpr double kReach = 8;  // how near a click has to be

}  // namespace

Chart::Chart(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setMinimumHeight(60);
}

QRectF Chart::area() const { return QRectF(rect()).adjusted(kMargin, kMargin, -kMargin, -kMargin); }

void Chart::dataChanged() {
  current_ = -1;
  setAccessibleDescription(summary());
  update();
  emit dataReplaced();
}

void Chart::setCurrent(int point) {
  const int wanted = pointCount() == 0 ? -1 : std::clamp(point, -1, pointCount() - 1);
  if (wanted == current_) return;
  current_ = wanted;
  if (current_ >= 0) {
    // Screen readers say a point as it is reached.
    setAccessibleDescription(pointText(current_));
    QAccessibleEvent changed(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&changed);
  }
  emit currentChanged(current_);
  update();
}

int Chart::pointAt(const QPointF& place) const {
  int best = -1;
  double least = kReach;
  for (int i = 0; i < pointCount(); ++i) {
    const QRectF around = pointRect(i, area());
    if (around.contains(place)) return i;
    const QPointF away = around.center() - place;
    const double distance = std::max(std::abs(away.x()), std::abs(away.y()));
    if (distance < least) {
      least = distance;
      best = i;
    }
  }
  return best;
}

void Chart::drawTo(QPainter& painter, const QSizeF& size) const {
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(font());
  const ChartColors colors = ChartColors::from(palette());
  painter.fillRect(QRectF(QPointF(), size), colors.background);
  draw(painter, QRectF(QPointF(), size).adjusted(kMargin, kMargin, -kMargin, -kMargin), colors);
}

QByteArray Chart::picture(PictureKind kind) const {
  QBuffer out;
  out.open(QIODevice::WriteOnly);
  if (kind == PictureKind::Svg) {
    QSvgGenerator generator;
    generator.setOutputDevice(&out);
    generator.setSize(size());
    generator.setViewBox(rect());
    generator.setTitle(accessibleName());
    generator.setDescription(summary());
    QPainter painter(&generator);
    drawTo(painter, size());
    painter.end();
    return out.data();
  }
  QImage image(size() * 2, QImage::Format_RGB32);
  image.setDevicePixelRatio(2);
  QPainter painter(&image);
  drawTo(painter, size());
  painter.end();
  image.save(&out, "PNG");
  return out.data();
}

void Chart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const ChartColors colors = ChartColors::from(palette());
  painter.fillRect(rect(), colors.background);
  painter.save();
  draw(painter, area(), colors);
  painter.restore();
  if (current_ >= 0 && current_ < pointCount()) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colors.text, 1.5));
    painter.drawRoundedRect(pointRect(current_, area()).adjusted(-2, -2, 2, 2), 2, 2);
  }
  if (hasFocus()) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
    painter.drawRect(rect().adjusted(1, 1, -1, -1));
  }
}

void Chart::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Right:
    case Qt::Key_Down:
      return setCurrent(std::min(current_ + 1, pointCount() - 1));
    case Qt::Key_Left:
    case Qt::Key_Up:
      return setCurrent(std::max(current_ - 1, 0));
    case Qt::Key_Home:
      return setCurrent(0);
    case Qt::Key_End:
      return setCurrent(pointCount() - 1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (current_ >= 0) emit activated(current_);
      return;
    default:
      QWidget::keyPressEvent(event);
  }
}

void Chart::mousePressEvent(QMouseEvent* event) {
  const int point = pointAt(event->position());
  if (point < 0) return;
  setCurrent(point);
  emit activated(point);
}

bool Chart::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const int point = pointAt(help->pos());
    if (point < 0) {
      QToolTip::hideText();
    } else {
      QToolTip::showText(help->globalPos(), pointText(point), this);
    }
    return true;
  }
  return QWidget::event(event);
}

}  // namespace strata::gui
