#include "gui/models/prune_columns.h"

#include <QCoreApplication>

#include "gui/models/wording.h"

namespace strata::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(strata::gui::PruneTable)
};

using Row = const PruneReport::Row&;

/// Core says "last 5", "every 10", "tag prod" or "best accuracy 0.91".
QString reasonText(const std::string& reason) {
  const QString words = text(reason);
  const QString rule = words.section(u' ', 0, 0);
  const QString rest = words.section(u' ', 1);
  if (rule == QStringLiteral("last")) return Words::tr("newest %1").arg(rest);
  if (rule == QStringLiteral("every")) return Words::tr("every %1").arg(rest);
  if (rule == QStringLiteral("tag")) return Words::tr("tag %1").arg(rest);
  if (rule == QStringLiteral("best")) return Words::tr("best %1").arg(rest);
  return words;
}

QString reasonsText(Row row) {
  QStringList all;
  for (const std::string& reason : row.reasons) all << reasonText(reason);
  return all.join(QStringLiteral(", "));
}

}  // namespace

PruneTable* makePruneTable(QObject* parent) {
  auto* table = new PruneTable(
      {{Words::tr("Version"), {}, false, [](Row row) { return labelText(row.version); }},
       {Words::tr("Plan"),
        {},
        false,
        [](Row row) { return row.reasons.empty() ? Words::tr("goes") : Words::tr("stays"); }},
       {Words::tr("Why"), Words::tr("The rules that keep it"), false, reasonsText},
       {Words::tr("Added"),
        {},
        false,
        [](Row row) { return dateText(row.version.addedAt); },
        [](Row row) { return QVariant(static_cast<qlonglong>(row.version.addedAt)); }},
       {Words::tr("Stored"), Words::tr("Bytes that only this version added to the store"), true,
        [](Row row) { return bytesText(row.version.storedBytes); },
        [](Row row) { return QVariant(static_cast<qulonglong>(row.version.storedBytes)); },
        [](Row row) { return exactBytesText(row.version.storedBytes); }},
       {Words::tr("Tags"),
        {},
        false,
        [](Row row) { return joined(row.version.tags, QStringLiteral(", ")); }},
       {Words::tr("Note"), {}, false, [](Row row) { return text(row.version.note).simplified(); }}},
      parent);
  table->setMark([](Row row) { return row.reasons.empty(); });
  table->setLabel([](Row row) { return labelText(row.version); });
  return table;
}

}  // namespace strata::gui
