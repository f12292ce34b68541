#include "gui/widgets/drop_overlay.h"

#include <QCoreApplication>
#include <QPainter>

#include "gui/charts/chart.h"

namespace strata::gui {

DropPlan planDrop(const QList<QUrl>& urls) {
  DropPlan plan;
  for (const QUrl& url : urls) {
    const QString path = url.toLocalFile();
    const QString name = path.section(u'/', -1, -1, QString::SectionSkipEmpty);
    if (path.isEmpty()) {
      return {{}, DropOverlay::tr("Only files and folders of this computer can be added.")};
    }
    // A name without an ending may be a folder; the worker that opens it finds out.
    const bool isModel = !name.contains(u'.') || path.endsWith(u'/') ||
                         name.endsWith(QStringLiteral(".onnx")) ||
                         name.endsWith(QStringLiteral(".safetensors")) ||
                         name.endsWith(QStringLiteral(".safetensors.index.json"));
    if (!isModel) {
      return {{},
              DropOverlay::tr("%1 is no model: Strata reads .onnx and .safetensors files, and "
                              "folders with them.")
                  .arg(name)};
    }
    plan.models << path;
  }
  if (plan.models.isEmpty()) return {{}, DropOverlay::tr("There is nothing to add.")};
  plan.words =
      plan.models.size() == 1
          ? DropOverlay::tr("Drop to add %1").arg(plan.models.front().section(u'/', -1))
          : DropOverlay::tr("Drop to add %n models", nullptr, static_cast<int>(plan.models.size()));
  return plan;
}

DropOverlay::DropOverlay(QWidget* parent) : QWidget(parent) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  hide();
}

void DropOverlay::showPlan(const DropPlan& plan) {
  plan_ = plan;
  setGeometry(parentWidget()->rect());
  raise();
  show();
  update();
}

void DropOverlay::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const ChartColors colors = ChartColors::from(palette());
  QColor veil = colors.background;
  veil.setAlphaF(0.88F);
  painter.fillRect(rect(), veil);
  painter.setPen(QPen(plan_.models.isEmpty() ? colors.alert : colors.main, 3, Qt::DashLine));
  painter.drawRoundedRect(rect().adjusted(24, 24, -24, -24), 10, 10);
  QFont large = font();
  large.setPointSizeF(large.pointSizeF() * 1.5);
  painter.setFont(large);
  painter.setPen(colors.text);
  painter.drawText(rect().adjusted(60, 60, -60, -60), Qt::AlignCenter | Qt::TextWordWrap,
                   plan_.words);
}

}  // namespace strata::gui
