#include "gui/widgets/drop_overlay.h"

#include <QMimeData>
#include <QPainter>
#include <QUrl>

#include "core/transfer/remote_config.h"
#include "gui/charts/chart.h"

namespace strata::gui {

namespace {

DropPlan refused(const QString& why) { return {DropPlan::Kind::Refused, {}, {}, why}; }

/// "hf://org/repo" of a page of the hub; a URL of a remote as it is; empty for all else.
QString remoteUrl(const QString& text) {
  const QString word = text.trimmed();
  if (word.contains(u' ') || word.contains(u'\n')) return {};
  const QUrl url(word);
  const bool isWeb = url.scheme().startsWith(QStringLiteral("http"));
  if (!isWeb) return isRemoteUrl(word.toStdString()) ? word : QString();
  const bool isHub =
      url.host() == QStringLiteral("huggingface.co") || url.host() == QStringLiteral("hf.co");
  const QStringList parts = url.path().split(u'/', Qt::SkipEmptyParts);
  if (!isHub || parts.size() < 2) return {};
  return QStringLiteral("hf://%1/%2").arg(parts[0], parts[1]);
}

DropPlan planRemote(const QString& text) {
  const QString url = remoteUrl(text);
  if (url.isEmpty()) {
    return refused(
        DropOverlay::tr("Of the web, Strata takes repositories: hf://org/repo or their pages on "
                        "huggingface.co, oci:// and s3:// addresses."));
  }
  return {
      DropPlan::Kind::Remote, {}, url, DropOverlay::tr("Drop to get versions from %1").arg(url)};
}

/// A name without an ending may be a folder; the worker that opens it finds out.
bool mayBeModel(const QString& path, const QString& name) {
  if (!name.contains(u'.') || path.endsWith(u'/')) return true;
  for (const char* end : {".onnx", ".safetensors", ".index.json", ".pt", ".pth", ".bin", ".ckpt",
                          ".npz", ".distcp"}) {
    if (name.endsWith(QLatin1String(end))) return true;
  }
  return false;
}

DropPlan planFiles(const QStringList& paths) {
  const auto nameOf = [](const QString& path) {
    return path.section(u'/', -1, -1, QString::SectionSkipEmpty);
  };
  if (paths.size() == 1 && paths.front().endsWith(QStringLiteral(".tar"))) {
    return {DropPlan::Kind::Bundle,
            paths,
            {},
            DropOverlay::tr("Drop to look into the bundle %1").arg(nameOf(paths.front()))};
  }
  for (const QString& path : paths) {
    if (mayBeModel(path, nameOf(path))) continue;
    return refused(
        DropOverlay::tr("%1 is no model: Strata reads ONNX, safetensors, PyTorch and .npz files, "
                        "folders with them, and bundles (.tar) one at a time.")
            .arg(nameOf(path)));
  }
  return {DropPlan::Kind::Models,
          paths,
          {},
          paths.size() == 1
              ? DropOverlay::tr("Drop to add %1").arg(nameOf(paths.front()))
              : DropOverlay::tr("Drop to add %n models", nullptr, static_cast<int>(paths.size()))};
}

}  // namespace

DropPlan planDrop(const QMimeData& data) {
  QStringList paths;
  for (const QUrl& url : data.urls()) {
    if (!url.isLocalFile()) return planRemote(url.toString());
    paths << url.toLocalFile();
  }
  if (!paths.isEmpty()) return planFiles(paths);
  if (data.hasText()) return planRemote(data.text());
  return refused(DropOverlay::tr("There is nothing to add."));
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
  painter.setPen(
      QPen(plan_.kind == DropPlan::Kind::Refused ? colors.alert : colors.main, 3, Qt::DashLine));
  painter.drawRoundedRect(rect().adjusted(24, 24, -24, -24), 10, 10);
  QFont large = font();
  large.setPointSizeF(large.pointSizeF() * 1.5);
  painter.setFont(large);
  painter.setPen(colors.text);
  painter.drawText(rect().adjusted(60, 60, -60, -60), Qt::AlignCenter | Qt::TextWordWrap,
                   plan_.words);
}

}  // namespace strata::gui
