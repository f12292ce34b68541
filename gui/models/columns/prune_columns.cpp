#include "gui/models/columns/prune_columns.h"

#include <QCoreApplication>

#include "gui/models/columns/version_cells.h"

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
  using Entry = PruneReport::Row;
  using Cells = VersionCells;
  auto* table = new PruneTable(
      {Cells::label<Entry>(),
       {Words::tr("Plan"),
        {},
        false,
        [](Row row) { return row.reasons.empty() ? Words::tr("goes") : Words::tr("stays"); }},
       {Words::tr("Why"), Words::tr("The rules that keep it"), false, reasonsText},
       Cells::added<Entry>(),
       Cells::stored<Entry>(),
       Cells::tags<Entry>(),
       Cells::note<Entry>()},
      parent);
  table->setMark([](Row row) { return row.reasons.empty(); });
  table->setLabel([](Row row) { return labelText(row.version); });
  return table;
}

}  // namespace strata::gui
