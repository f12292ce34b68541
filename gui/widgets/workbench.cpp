#include "gui/widgets/workbench.h"

#include <QClipboard>
#include <QFile>
#include <QGuiApplication>

#include "gui/models/wording.h"

namespace strata::gui {

Workbench::Workbench(QObject* parent) : QObject(parent) {}

QStringList Workbench::labels() const {
  QStringList labels;
  if (!session_.snapshot()) return labels;
  for (const ListRow& row : session_.snapshot()->rows) labels << labelText(row.version);
  return labels;
}

void Workbench::copy(const QString& text, const QString& what) {
  QGuiApplication::clipboard()->setText(text);
  emit done(tr("Copied %1").arg(what), {}, {});
}

void Workbench::writeFile(const QString& file, const QByteArray& bytes) {
  auto* job = new OpJob<bool>(
      tr("Writing %1").arg(file), tr("%1 could not be written").arg(file),
      [file, bytes](const std::stop_token&, const ProgressSink&) -> Result<bool> {
        QFile out(file);
        if (!out.open(QIODevice::WriteOnly) || out.write(bytes) != bytes.size() || !out.flush()) {
          return fail(ErrorCode::Io, out.errorString().toStdString());
        }
        return true;
      });
  connect(job, &Job::finished, this, [this, file] { emit done(tr("Wrote %1").arg(file), {}, {}); });
  connect(job, &Job::failed, this, &Workbench::trouble);
  read(job);
}

}  // namespace strata::gui
