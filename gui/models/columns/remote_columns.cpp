#include "gui/models/columns/remote_columns.h"

#include <QCoreApplication>

#include "gui/models/wording.h"

namespace strata::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(strata::gui::RemoteTable)
};

}  // namespace

RemoteTable* makeRemoteTable(QObject* parent) {
  using Row = const RemoteRow&;
  auto* table = new RemoteTable(
      {{Words::tr("Version"), {}, false, [](Row row) { return text(row.version.ref.label()); }},
       {Words::tr("Here"), Words::tr("Whether this store has its content"), false,
        [](Row row) {
          const bool isWhole = row.neededBytes && *row.neededBytes == 0;
          return row.isHere         ? (isWhole ? Words::tr("yes") : Words::tr("in part"))
                 : row.hasParent    ? Words::tr("no")
                 : !row.neededBytes ? Words::tr("no, and its base is nowhere")
                                    : Words::tr("no, nor its base");
        }},
       {Words::tr("You need"),
        Words::tr("Bytes that pulling it fetches: of it and of its parents, what is not here"),
        true,
        [](Row row) {
          return row.neededBytes.value_or(0) == 0 ? QStringLiteral("-")
                                                  : bytesText(*row.neededBytes);
        },
        [](Row row) { return QVariant(static_cast<qulonglong>(row.neededBytes.value_or(0))); },
        [](Row row) { return exactBytesText(row.neededBytes.value_or(0)); }},
       {Words::tr("Original"),
        {},
        true,
        [](Row row) { return bytesText(row.version.originalBytes); },
        [](Row row) { return QVariant(static_cast<qulonglong>(row.version.originalBytes)); }},
       {Words::tr("Against"), Words::tr("The version there that it is a difference to"), false,
        [](Row row) {
          return row.version.parentDigest ? text(row.parent) : Words::tr("none: a base");
        }},
       {Words::tr("Fidelity"),
        {},
        false,
        [](Row row) { return row.version.lossy ? Words::tr("lossy") : Words::tr("exact"); }},
       {Words::tr("Format"), {}, false, [](Row row) { return text(row.version.format); }},
       {Words::tr("Tags"),
        {},
        false,
        [](Row row) { return joined(row.tags, QStringLiteral(", ")); }},
       {Words::tr("Added"),
        {},
        false,
        [](Row row) { return dateText(row.version.ref.addedAt); },
        [](Row row) { return QVariant(static_cast<qlonglong>(row.version.ref.addedAt)); }},
       {Words::tr("Note"),
        {},
        false,
        [](Row row) { return text(row.version.ref.note).simplified(); }}},
      parent);
  table->setFilterText([](Row row) {
    return text(row.version.ref.label()) + u' ' + text(row.parent) + u' ' +
           joined(row.tags, QStringLiteral(" ")) + u' ' + text(row.version.ref.note);
  });
  table->setLabel([](Row row) { return text(row.version.ref.label()); });
  return table;
}

}  // namespace strata::gui
