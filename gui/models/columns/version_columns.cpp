#include "gui/models/columns/version_columns.h"

#include <QCoreApplication>

#include "gui/models/columns/version_cells.h"

namespace strata::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(strata::gui::VersionTable)
};

QString searchText(const VersionEntry& version) {
  return labelText(version) + u' ' + joined(version.tags, QStringLiteral(" ")) + u' ' +
         text(toHex(version.contentDigest)) + u' ' + text(version.note);
}

}  // namespace

VersionTable* makeVersionTable(QObject* parent) {
  using Row = const ListRow&;
  using Cells = VersionCells;
  auto* table = new VersionTable(
      {Cells::label<ListRow>(),
       Cells::added<ListRow>(),
       Cells::tags<ListRow>(),
       Cells::original<ListRow>(),
       {Words::tr("Stored"), Words::tr("Bytes that only this version added to the store"), true,
        [](Row row) { return storedText(row.version, row.taken); },
        [](Row row) { return QVariant(static_cast<qulonglong>(row.version.storedBytes)); },
        [](Row row) { return exactBytesText(row.version.storedBytes); }},
       {Words::tr("Ratio"), Words::tr("Original / stored; the base is not counted"), true,
        [](Row row) { return storedRatioText(row.version, row.taken); },
        [](Row row) { return QVariant(row.version.ratio()); }},
       {Words::tr("Change"),
        Words::tr("L2 norm of the difference to the parent, relative to the parent; of "
                  "floating-point weights"),
        true, [](Row row) { return changeText(row.version); },
        [](Row row) { return QVariant(row.version.relativeChange); }},
       {Words::tr("Against"), Words::tr("The parent: what the version is a difference to"), false,
        [](Row row) { return row.version.isBase() ? Words::tr("(base)") : text(row.parentLabel); }},
       {Words::tr("Fidelity"), {}, false, [](Row row) { return fidelityText(row.version); }},
       {Words::tr("Here"), Words::tr("Whether it can be restored without fetching packs first"),
        false, [](Row row) { return hereText(row.awaited); },
        [](Row row) { return QVariant(static_cast<qulonglong>(row.awaited.byteCount)); },
        [](Row row) { return awaitedHint(row.awaited); }},
       Cells::note<ListRow>()},
      parent);
  table->setFilterText([](Row row) { return searchText(row.version); });
  table->setLabel([](Row row) { return labelText(row.version); });
  return table;
}

TrashTable* makeTrashTable(QObject* parent) {
  using Row = const TrashRow&;
  using Cells = VersionCells;
  auto* table = new TrashTable(
      {Cells::label<TrashRow>(),
       {Words::tr("Removed"),
        {},
        false,
        [](Row row) { return dateText(row.version.removedAt); },
        [](Row row) { return QVariant(static_cast<qlonglong>(row.version.removedAt)); }},
       {Words::tr("Kept until"),
        Words::tr("From then on Delete expired takes it; nothing goes by itself. How long that is "
                  "stands in the setting trash.days"),
        false, [](Row row) { return dateText(row.keptUntil); },
        [](Row row) { return QVariant(static_cast<qlonglong>(row.keptUntil)); }},
       Cells::original<TrashRow>(),
       Cells::stored<TrashRow>(),
       Cells::tags<TrashRow>(),
       Cells::note<TrashRow>()},
      parent);
  table->setFilterText([](Row row) { return searchText(row.version); });
  table->setLabel([](Row row) { return labelText(row.version); });
  return table;
}

}  // namespace strata::gui
