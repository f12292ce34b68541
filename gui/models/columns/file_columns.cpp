#include "gui/models/columns/file_columns.h"

#include <QCoreApplication>

#include "gui/models/wording.h"

namespace strata::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(strata::gui::HubFileTable)
};

}  // namespace

HubFileTable* makeHubFileTable(QObject* parent) {
  using Row = const hub::ModelFileOnHub&;
  auto* table =
      new HubFileTable({{Words::tr("File"), {}, false, [](Row row) { return text(row.path); }},
                        {Words::tr("Size"),
                         {},
                         true,
                         [](Row row) { return bytesText(row.byteCount); },
                         [](Row row) { return QVariant(static_cast<qulonglong>(row.byteCount)); },
                         [](Row row) { return exactBytesText(row.byteCount); }}},
                       parent);
  table->setFilterText([](Row row) { return text(row.path); });
  return table;
}

}  // namespace strata::gui
