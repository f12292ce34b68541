#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/ops/care/verify_store.h"
#include "core/ops/exchange/push_versions.h"
#include "core/transfer/transport.h"

namespace strata {

struct RepairOptions {
  std::vector<std::string> references = {};  ///< these and their parents; empty: all
  unsigned parallel = 4;                     ///< transfers at once
};

struct RepairReport {
  VerifyReport before;
  VerifyReport after;             ///< equal to `before` where nothing was damaged
  std::uint64_t objectCount = 0;  ///< fetched
  std::uint64_t byteCount = 0;
  std::vector<FailedTransfer> failed;  ///< objects that the remote could not give
};

/// Hashes all objects and fetches those that are damaged or missing from a remote; each gets its
/// place only after its hash matched. Then looks again. Versions that were not listed without their
/// manifests are listed once those are here, and then their packs are fetched. A version whose
/// parent is missing, or whose lineage runs in a circle, takes the remote's coding as a pull does.
/// Fails with what verifyStore, Store::lock and Transport::readRefs fail with.
Result<RepairReport> repairStore(Store& store, Transport& remote, const RepairOptions& options,
                                 std::stop_token stop, const ProgressSink& progress);

}  // namespace strata
