#pragma once

#include "gui/models/columns/record_table.h"
#include "gui/models/remote_row.h"

namespace strata::gui {

/// What a remote lists, one version a row.
using RemoteTable = RecordTable<RemoteRow>;
RemoteTable* makeRemoteTable(QObject* parent);

}  // namespace strata::gui
