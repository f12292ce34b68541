#pragma once

#include "core/ops/exchange/pull_versions.h"
#include "gui/models/columns/record_table.h"

namespace strata::gui {

/// Versions that a pull would bring, parents first.
using PulledTable = RecordTable<PullReport::Item>;
PulledTable* makePulledTable(QObject* parent);

}  // namespace strata::gui
