#pragma once

#include "gui/models/columns/record_table.h"
#include "hub/huggingface/hf_model.h"

namespace strata::gui {

/// The files of a model on a hub.
using HubFileTable = RecordTable<hub::ModelFileOnHub>;
HubFileTable* makeHubFileTable(QObject* parent);

}  // namespace strata::gui
