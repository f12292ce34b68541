#pragma once

#include "core/ops/versions/prune_versions.h"
#include "gui/models/columns/record_table.h"

namespace strata::gui {

/// What a prune does with each version of its names, and why those stay that do.
using PruneTable = RecordTable<PruneReport::Row>;
PruneTable* makePruneTable(QObject* parent);

}  // namespace strata::gui
