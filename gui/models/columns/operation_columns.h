#pragma once

#include <QString>
#include <QStringList>

#include "core/store/refs/operation.h"
#include "gui/models/columns/record_table.h"

namespace strata::gui {

/// "remove": the kind of an operation, as people say it.
QString kindText(const Operation& operation);
/// What an operation was about, of many versions the first: "sst2:v1, sst2:v2 and 4 more".
QString subjectText(const Operation& operation);
/// "remove of sst2:v3"
QString operationText(const Operation& operation);

/// What an operation made of versions, tags and names, a line each: "sst2:v2: to the trash"; what
/// taking it back makes of them, or doing it again. What was added waits in the trash meanwhile.
enum class Sense { Done, Back, Again };
QStringList changeTexts(const Operation& operation, Sense sense);

/// The log of operations.
using OperationTable = RecordTable<Operation>;
OperationTable* makeOperationTable(QObject* parent);

}  // namespace strata::gui
