#include "gui/models/columns/restore_columns.h"

#include <QCoreApplication>
#include <algorithm>

#include "gui/models/wording.h"

namespace strata::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(strata::gui::RestoreTable)
};

}  // namespace

RestoredFileTable* makeRestoredFileTable(QObject* parent) {
  using Row = const RestoredFile&;
  const auto path = [](Row row) { return row.target.isEmpty() ? text(row.file.path) : row.target; };
  return new RestoredFileTable(
      {{Words::tr("File"), Words::tr("Where it is written"), false, path, {}, path},
       {Words::tr("Size"),
        {},
        true,
        [](Row row) { return bytesText(row.file.byteCount); },
        [](Row row) { return QVariant(static_cast<qulonglong>(row.file.byteCount)); },
        [](Row row) { return exactBytesText(row.file.byteCount); }},
       {Words::tr("SHA-256"),
        Words::tr("Of the whole file: it gets its name once that matches"),
        false,
        [](Row row) { return hashText(row.file.sha256); },
        {},
        [](Row row) { return text(toHex(row.file.sha256)); }}},
      parent);
}

LineTable* makeLineTable(QObject* parent) {
  using Row = const ListRow&;
  auto* table = new LineTable(
      {{Words::tr("Version"), Words::tr("Each is a difference to the next one"), false,
        [](Row row) {
          return row.version.isBase() ? Words::tr("%1 (base)").arg(labelText(row.version))
                                      : labelText(row.version);
        }},
       {Words::tr("Stored"), Words::tr("Bytes that only this version added to the store"), true,
        [](Row row) { return bytesText(row.version.storedBytes); },
        [](Row row) { return QVariant(static_cast<qulonglong>(row.version.storedBytes)); },
        [](Row row) { return exactBytesText(row.version.storedBytes); }},
       {Words::tr("Here"),
        Words::tr("Whether its own packs are in the store"),
        false,
        [](Row row) {
          return row.awaited.ownBytes == 0
                     ? Words::tr("yes")
                     : Words::tr("no, %1 to fetch").arg(bytesText(row.awaited.ownBytes));
        },
        {},
        [](Row row) { return awaitedHint(row.awaited); }},
       {Words::tr("Verified"), Words::tr("When it was last found sound"), false,
        [](Row row) {
          return row.version.checkedAt == 0 ? Words::tr("not yet") : agoText(row.version.checkedAt);
        },
        [](Row row) { return QVariant(static_cast<qlonglong>(row.version.checkedAt)); },
        [](Row row) { return dateText(row.version.checkedAt); }}},
      parent);
  table->setLabel([](Row row) { return labelText(row.version); });
  table->setMark([](Row row) { return row.awaited.ownBytes != 0; });
  return table;
}

std::vector<ListRow> lineOf(const std::vector<ListRow>& rows, const QString& label) {
  std::vector<ListRow> line;
  std::string next = label.toStdString();
  while (!next.empty() && line.size() < rows.size()) {
    const auto found = std::find_if(
        rows.begin(), rows.end(), [&](const ListRow& row) { return row.version.label() == next; });
    if (found == rows.end()) break;
    line.push_back(*found);
    next = found->parentLabel;
  }
  return line;
}

}  // namespace strata::gui
