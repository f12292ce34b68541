#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/ops/exchange/fetch_remote.h"
#include "core/ops/exchange/pull_versions.h"
#include "core/ops/exchange/push_versions.h"
#include "core/store/objects/awaited_packs.h"
#include "core/transfer/remote_config.h"
#include "gui/jobs/job.h"
#include "gui/jobs/store_session.h"
#include "gui/models/remote_row.h"
#include "hub/open_transport.h"

namespace strata::gui {

/// What a remote said when it was last asked.
struct RemoteState {
  std::string name;
  std::vector<RemoteRow> rows;
  std::int64_t fetchedAt = 0;         ///< 0: it was never asked
  std::vector<std::string> problems;  ///< refs that cannot be read
};

/// The transport to a remote that the store knows by name, or to a URL, as the settings say. On a
/// worker. Fails as RemoteList::choose and hub::openTransport.
Result<std::unique_ptr<Transport>> openRemote(const Store& store, const QString& name);

/// What a place lists that need not be a remote of the store; nothing is kept of it. On a worker.
Result<RemoteState> readListing(const Store& store, const RemoteConfig& remote,
                                std::stop_token stop);

/// What the settings of a store say of transfers. Fails as Config::load.
Result<hub::TransportOptions> transportOptions(const Store& store);

OpJob<RemoteList>* remotesJob(const StorePtr& store);
/// Keeps a remote under its name; makes it the default one if it is the first.
OpJob<RemoteList>* saveRemoteJob(const StorePtr& store, const RemoteConfig& remote);
OpJob<RemoteList>* forgetRemoteJob(const StorePtr& store, const QString& name);

/// The last listing that was kept; no network.
OpJob<RemoteState>* remoteStateJob(const StorePtr& store, const QString& name);
/// Asks the remote anew.
OpJob<RemoteState>* fetchJob(const StorePtr& store, const QString& name);

/// Where the packs are that a version of the store cannot be restored without.
OpJob<std::optional<AwaitedPacks>>* awaitedJob(const StorePtr& store, const VersionEntry& version);

/// `before` is called on the worker first.
using Before = std::function<void()>;
OpJob<PushReport>* pushJob(const StorePtr& store, const QString& remote, const PushOptions& options,
                           const Before& before = {});
/// `agreed`: bases that it may fetch elsewhere.
OpJob<PullReport>* pullJob(const StorePtr& store, const QString& remote, const PullOptions& options,
                           const Before& before = {},
                           const std::vector<BaseElsewhere>& agreed = {});
/// Says what a bundle, a file of `strata bundle create`, has that is not here.
OpJob<PullReport>* lookIntoBundleJob(const StorePtr& store, const QString& file);
/// Takes its versions. `agreed`: bases that it may fetch elsewhere.
OpJob<PullReport>* importBundleJob(const StorePtr& store, const QString& file,
                                   const std::vector<BaseElsewhere>& agreed);

}  // namespace strata::gui
