#pragma once

#include "core/ops/pull_versions.h"
#include "gui/models/record_table.h"

namespace strata::gui {

/// Versions that a pull would bring, parents first.
using PulledTable = RecordTable<PullReport::Item>;
PulledTable* makePulledTable(QObject* parent);

}  // namespace strata::gui
