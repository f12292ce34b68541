#pragma once

#include "core/ops/exchange/detail/kept/agreed_notes.h"
#include "core/ops/exchange/detail/push/push_plan.h"

namespace strata {

/// Of a version that is there already: the remote's list gets the note that it was given here, if
/// it was edited here alone. The plan says what becomes of it.
void placeNote(const AgreedNotes& agreed, const VersionEntry& here, const RemoteVersion& there,
               PushPlan& plan);

}  // namespace strata
