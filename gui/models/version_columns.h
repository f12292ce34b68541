#pragma once

#include "core/ops/list_versions.h"
#include "core/store/version_entry.h"
#include "gui/models/record_table.h"

namespace strata::gui {

/// A flat list of versions: a name's history, the choice of what to compare.
using VersionTable = RecordTable<ListRow>;
VersionTable* makeVersionTable(QObject* parent);

/// What lies in the trash.
using TrashTable = RecordTable<VersionEntry>;
TrashTable* makeTrashTable(QObject* parent);

}  // namespace strata::gui
