#include "gui/models/columns/pull_columns.h"

#include <QCoreApplication>

#include "gui/models/wording.h"

namespace strata::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(strata::gui::PulledTable)
};

}  // namespace

PulledTable* makePulledTable(QObject* parent) {
  using Row = const PullReport::Item&;
  auto* table = new PulledTable(
      {{Words::tr("Version"), {}, false, [](Row row) { return labelText(row.version); }},
       {Words::tr("Fetches"), Words::tr("Bytes that are not here and this version brings along"),
        true, [](Row row) { return bytesText(row.fetchedBytes); },
        [](Row row) { return QVariant(static_cast<qulonglong>(row.fetchedBytes)); },
        [](Row row) { return exactBytesText(row.fetchedBytes); }},
       {Words::tr("Original"), Words::tr("Bytes of the model's files as given"), true,
        [](Row row) { return bytesText(row.version.originalBytes); },
        [](Row row) { return QVariant(static_cast<qulonglong>(row.version.originalBytes)); },
        [](Row row) { return exactBytesText(row.version.originalBytes); }},
       {Words::tr("Kind"),
        {},
        false,
        [](Row row) {
          return row.version.isBase() ? Words::tr("base")
                 : row.version.lossy  ? Words::tr("lossy")
                                      : Words::tr("exact");
        }},
       {Words::tr("Format"), {}, false, [](Row row) { return text(row.version.format); }},
       {Words::tr("Added"),
        {},
        false,
        [](Row row) { return dateText(row.version.addedAt); },
        [](Row row) { return QVariant(static_cast<qlonglong>(row.version.addedAt)); }}},
      parent);
  table->setLabel([](Row row) { return labelText(row.version); });
  return table;
}

}  // namespace strata::gui
