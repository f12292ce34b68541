#pragma once

#include "gui/jobs/store_ops.h"

namespace strata::gui {

class FactList;

/// "Stored sst2:v3", "Stored sst2:v3: the same content as …", in one sentence.
QString addedText(const AddReport& report);
/// By how much the nearest missed its target. `outcome.tune` must be there.
QString missedText(const AddOutcome& outcome);
/// What an added version is, line by line. `outcome.added` must be there.
void showAdded(FactList& list, const AddOutcome& outcome);

}  // namespace strata::gui
