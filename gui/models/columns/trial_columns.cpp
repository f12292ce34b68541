#include "gui/models/columns/trial_columns.h"

#include <QCoreApplication>

#include "gui/models/wording.h"

namespace strata::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(strata::gui::TrialTable)
};

}  // namespace

TrialTable* makeTrialTable(QObject* parent) {
  using Row = const Trial&;
  return new TrialTable(
      {{Words::tr("Trial"),
        {},
        true,
        [](Row row) { return QString::number(row.number); },
        [](Row row) { return QVariant(row.number); }},
       {Words::tr("Stored"),
        {},
        true,
        [](Row row) { return bytesText(row.measured.storedBytes); },
        [](Row row) { return QVariant(static_cast<qulonglong>(row.measured.storedBytes)); }},
       {Words::tr("Error"), Words::tr("Of the difference, relative L2"), true,
        [](Row row) { return errorText(row.measured.relativeError); },
        [](Row row) { return QVariant(row.measured.relativeError); }},
       {Words::tr("Score"),
        {},
        true,
        [](Row row) {
          return row.measured.evaluation ? decimalText(row.measured.evaluation->score, 4)
                                         : Words::tr("not measured");
        },
        [](Row row) {
          return QVariant(row.measured.evaluation ? row.measured.evaluation->score : -1.0);
        }},
       {Words::tr("Points lost"),
        {},
        true,
        [](Row row) { return row.loss ? decimalText(*row.loss, 2) : QStringLiteral("-"); },
        [](Row row) { return QVariant(row.loss.value_or(1e9)); }},
       {Words::tr("Target"),
        {},
        false,
        [](Row row) { return row.meetsTarget ? Words::tr("met") : Words::tr("missed"); }},
       {Words::tr("Why tried"), {}, false, [](Row row) { return text(row.what); }}},
      parent);
}

}  // namespace strata::gui
