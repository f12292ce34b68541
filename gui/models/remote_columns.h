#pragma once

#include "gui/jobs/remote_ops.h"
#include "gui/models/record_table.h"

namespace strata::gui {

/// What a remote lists, one version a row.
using RemoteTable = RecordTable<RemoteRow>;
RemoteTable* makeRemoteTable(QObject* parent);

}  // namespace strata::gui
