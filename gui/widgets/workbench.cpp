#include "gui/widgets/workbench.h"

#include <QClipboard>
#include <QGuiApplication>

#include "core/ops/versions/write_report.h"
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
        STRATA_TRY(writeReport(file.toStdString(),
                               {bytes.constData(), static_cast<std::size_t>(bytes.size())}));
        return true;
      });
  connect(job, &Job::finished, this, [this, file] { emit done(tr("Wrote %1").arg(file), {}, {}); });
  connect(job, &Job::failed, this, &Workbench::trouble);
  read(job);
}

}  // namespace strata::gui
