#pragma once

#include <memory>
#include <string>

#include "core/config/config.h"
#include "core/ops/push_versions.h"
#include "core/store/store.h"
#include "hub/open_transport.h"

namespace strata::hub {

/// Transfers at once: the setting `jobs`, else 4.
unsigned parallelTransfers(const Config& config);

/// How transfers run, as the settings say. `version` is the program's.
TransportOptions transportOptions(const Config& config, const std::string& version);

/// Opens a remote for transfers of a store: registries look for objects at the store's other
/// remotes, and what an interrupted upload leaves to go on with is kept in the store.
/// Fails as openTransport; with InvalidArgument or Io if the store's list of remotes cannot be
/// read.
Result<std::unique_ptr<Transport>> openStoreRemote(const Store& store, const RemoteConfig& remote,
                                                   TransportOptions options);

/// The pages that a push to this remote writes for people without Strata; empty where there is no
/// place for any.
PushPages pagesFor(const RemoteConfig& remote);

}  // namespace strata::hub
