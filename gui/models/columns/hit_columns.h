#pragma once

#include "gui/models/columns/record_table.h"
#include "gui/models/found_row.h"

namespace strata::gui {

/// Models that a search found, one a row.
using HitTable = RecordTable<FoundRow>;
HitTable* makeHitTable(QObject* parent);

/// "3 versions of sst2, ner; the base is here"; empty where there is nothing to say.
QString hitDetails(const FoundRow& hit);

}  // namespace strata::gui
