#pragma once

#include <stop_token>

#include "core/ops/exchange/detail/push/push_plan.h"
#include "core/ops/exchange/detail/push/remote_mending.h"

namespace strata {

/// Gives the versions that a push sends places for their signatures: PushPlan::signatures.
void packSignatures(PushPlan& plan);

/// Versions that an earlier program listed have their signatures in their refs, which makes the
/// list twenty times as long. A push that changes refs moves them into objects: PushPlan::moves.
void moveSignatures(PushPlan& plan);

/// Of push --repair: versions there whose signatures are missing or damaged get those that this
/// store has of them; without one they become failures. Fails as RemoteMending::findDamaged and the
/// catalog.
Result<void> mendSignatures(const Store& store, Transport& remote, RemoteMending& mending,
                            PushPlan& plan, const std::stop_token& stop);

}  // namespace strata
