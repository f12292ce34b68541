#pragma once

#include <cstdint>
#include <stop_token>
#include <string_view>

#include "core/progress.h"
#include "core/result.h"
#include "core/store/parity/parity_check.h"
#include "core/store/store.h"

namespace strata {

/// Sets how much of a store may be lost, "2/10" or "off", and brings its parity to that: for all
/// objects that are there. Parity of objects that are lost or damaged stays, so that a repair can
/// bring them back. Fails with InvalidArgument, StoreLocked, Cancelled, NoSpace, Io; once the
/// setting is written, the next command that writes goes on.
Result<ParityState> setParity(Store& store, std::string_view value, std::stop_token stop,
                              const ProgressSink& progress);

/// Takes the setting out of the store's file, which means off, and its parity with it. Where some
/// of that stays, the setting is "off" instead. Returns whether it was there. Fails as setParity.
Result<bool> unsetParity(Store& store, std::stop_token stop);

struct ParityRepairReport {
  std::uint64_t objectCount = 0;  ///< brought back
  std::uint64_t byteCount = 0;    ///< of them
  std::uint64_t shardCount = 0;   ///< files of parity written anew
};

/// Hashes all objects and brings back those that are damaged or missing by parity, and parity by
/// the objects. Each gets its place only after its hash matched. Does nothing where the store has
/// no parity. Fails with what verifyStore and Store::lock fail with, NoSpace.
Result<ParityRepairReport> repairByParity(Store& store, std::stop_token stop,
                                          const ProgressSink& progress);

}  // namespace strata
