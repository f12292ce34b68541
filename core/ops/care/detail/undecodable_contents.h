#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "core/device/device.h"
#include "core/progress.h"
#include "core/store/store.h"

namespace strata {

/// A content that does not decode to files with their hashes.
struct UndecodableContent {
  const VersionEntry* version = nullptr;  ///< one that holds it; of the caller
  std::string reason;
};

/// Decodes contents, each given with a version that holds it, and compares their files with their
/// SHA-256. `device`: null is the CPU. Fails with Cancelled, LimitExceeded, Device.
Result<std::vector<UndecodableContent>> undecodableContents(
    const Store& store, const std::map<Digest, const VersionEntry*>& contents, Device* device,
    const std::stop_token& stop, const ProgressSink& progress);

}  // namespace strata
