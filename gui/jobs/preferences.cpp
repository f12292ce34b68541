#include "gui/jobs/preferences.h"

#include <QSettings>

#include "core/config/user_folders.h"

namespace strata::gui {
namespace {

QString fileName() { return QString::fromStdString((userFolders().state / "window.ini").string()); }

}  // namespace

Preferences Preferences::load() {
  const QSettings file(fileName(), QSettings::IniFormat);
  Preferences all;
  all.store = file.value(QStringLiteral("store")).toString();
  all.theme = file.value(QStringLiteral("theme")).toString();
  all.language = file.value(QStringLiteral("language")).toString();
  all.tables = file.value(QStringLiteral("tables")).toBool();
  all.geometry = file.value(QStringLiteral("geometry")).toByteArray();
  all.columns = file.value(QStringLiteral("columns")).toByteArray();
  return all;
}

void Preferences::save() const {
  QSettings file(fileName(), QSettings::IniFormat);
  file.setValue(QStringLiteral("store"), store);
  file.setValue(QStringLiteral("theme"), theme);
  file.setValue(QStringLiteral("language"), language);
  file.setValue(QStringLiteral("tables"), tables);
  file.setValue(QStringLiteral("geometry"), geometry);
  file.setValue(QStringLiteral("columns"), columns);
  file.sync();
}

}  // namespace strata::gui
