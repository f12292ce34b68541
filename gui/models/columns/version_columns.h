#pragma once

#include "core/ops/inspect/list_versions.h"
#include "core/store/version_entry.h"
#include "gui/models/columns/record_table.h"

namespace strata::gui {

/// A flat list of versions: a name's history, the choice of what to compare.
using VersionTable = RecordTable<ListRow>;
VersionTable* makeVersionTable(QObject* parent);

/// A removed version and until when the settings keep it, in seconds since 1970.
struct TrashRow {
  VersionEntry version;
  std::int64_t keptUntil = 0;
};

/// What lies in the trash.
using TrashTable = RecordTable<TrashRow>;
TrashTable* makeTrashTable(QObject* parent);

}  // namespace strata::gui
