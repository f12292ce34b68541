#pragma once

#include "core/search/trial.h"
#include "gui/models/columns/record_table.h"

namespace strata::gui {

/// The settings that were tried, one a row.
using TrialTable = RecordTable<Trial>;
TrialTable* makeTrialTable(QObject* parent);

}  // namespace strata::gui
