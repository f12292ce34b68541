#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/config.h"
#include "core/ops/exchange/push_versions.h"
#include "core/store/store.h"
#include "core/transfer/transfer_log.h"
#include "hub/open_transport.h"

namespace strata::hub {

/// Transfers at once: the setting `jobs`, else 4.
unsigned parallelTransfers(const Config& config);

/// How transfers run, as the settings say. `version` is the program's.
TransportOptions transportOptions(const Config& config, const std::string& version);

/// The remote that `word` names: one of the list, a URL or the path of a folder; empty: the default
/// one. Fails as RemoteList::choose.
Result<RemoteConfig> chooseRemote(const RemoteList& list, std::string_view word);

/// Opens a remote for transfers of a store: registries look for objects at the store's other
/// remotes, and what an interrupted upload leaves to go on with is kept in the store.
/// Fails as openTransport; with InvalidArgument or Io if the store's list of remotes cannot be
/// read.
Result<std::unique_ptr<Transport>> openStoreRemote(const Store& store, const RemoteConfig& remote,
                                                   TransportOptions options);

/// Ends what pushes that were taken off the list of transfers left on their remotes to go on with,
/// unless another push of the list is to the same remote. The failures, one a remote: what is left
/// there then is ended by the next push.
std::vector<Error> endUploadsOf(const Store& store, const std::vector<TransferRequest>& forgotten,
                                const TransportOptions& options, const std::stop_token& stop);

/// The texts that a push to this remote writes for people without Strata; empty where there is no
/// place for any.
PushCards cardsFor(const RemoteConfig& remote);

}  // namespace strata::hub
