#include "gui/jobs/remote_ops.h"

#include <QCoreApplication>
#include <algorithm>
#include <set>

#include "core/config/config.h"
#include "core/config/user_folders.h"
#include "core/ops/exchange/version_matching.h"
#include "core/transfer/remote_library.h"
#include "gui/jobs/hub_model_ops.h"
#include "gui/models/wording.h"
#include "hub/bundle/bundle_transport.h"
#include "hub/store_remote.h"

namespace strata::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(strata::gui::RemoteOps)
};

using Stop = const std::stop_token&;
using Sink = const ProgressSink&;

/// What a remote lists against what is here.
Result<std::vector<RemoteRow>> rowsOf(const Store& store, const RemoteLibrary& library, Stop stop) {
  std::vector<RemoteRow> rows;
  STRATA_TRY(const auto neededBytes, bytesToPull(store, library, stop));
  STRATA_TRY(const std::vector<VersionEntry> versions, store.catalog().versions());
  std::set<Digest> contents;
  for (const VersionEntry& version : versions) contents.insert(version.contentDigest);
  STRATA_TRY(const VersionMatching matching, VersionMatching::load(store.catalog(), library));
  for (std::size_t i = 0; i < library.versions.size(); ++i) {
    const RemoteVersion& version = library.versions[i];
    RemoteRow row{.version = version,
                  .tags = library.tagsOf(version),
                  .parent = library.parentOf(version),
                  .neededBytes = neededBytes[i]};
    row.isHere = matching.here(version) != nullptr;
    row.hasParent = !version.parentDigest || contents.contains(*version.parentDigest);
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<RemoteState> stateOf(const Store& store, const std::string& name, Stop stop) {
  RemoteState state{.name = name, .rows = {}, .problems = {}};
  STRATA_TRY(const std::optional<FetchedListing> kept, readFetched(store.folder(), name));
  if (!kept) return state;
  state.fetchedAt = kept->fetchedAt;
  const RemoteLibrary library = RemoteLibrary::from(kept->listing);
  state.problems = library.problems;
  STRATA_TRY(state.rows, rowsOf(store, library, stop));
  return state;
}

Result<RemoteState> fetch(const Store& store, const QString& name, Stop stop) {
  STRATA_TRY(const std::unique_ptr<Transport> remote, openRemote(store, name));
  STRATA_TRY(fetchRemote(store, *remote, name.toStdString(), stop));
  return stateOf(store, name.toStdString(), stop);
}

Result<RemoteConfig> remoteOf(const Store& store, const QString& name) {
  STRATA_TRY(const RemoteList list, RemoteList::load(store.folder()));
  return list.choose(name.toStdString());
}

Result<PushReport> push(Store& store, const QString& name, PushOptions options, Stop stop,
                        Sink sink) {
  STRATA_TRY(hub::TransportOptions how, transportOptions(store));
  STRATA_TRY(const RemoteConfig remote, remoteOf(store, name));
  how.privateIfMade = !options.makePublic;
  how.onWait = [&sink](std::string_view reason, std::chrono::seconds) {
    if (sink) sink({.phase = "waiting", .item = std::string(reason)});
  };
  STRATA_TRY(const std::unique_ptr<Transport> to, hub::openStoreRemote(store, remote, how));
  options.parallel = how.parallel;
  options.cards = hub::cardsFor(remote);
  return pushVersions(store, *to, options, stop, sink);
}

Result<PullReport> pull(Store& store, const QString& name, PullOptions options, Stop stop,
                        Sink sink) {
  STRATA_TRY(const hub::TransportOptions how, transportOptions(store));
  STRATA_TRY(const RemoteConfig remote, remoteOf(store, name));
  STRATA_TRY(const std::unique_ptr<Transport> from, hub::openStoreRemote(store, remote, how));
  options.parallel = how.parallel;
  return pullVersions(store, *from, options, stop, sink);
}

Result<PullReport> importBundle(Store& store, const QString& file, const PullOptions& options,
                                Stop stop, Sink sink) {
  STRATA_TRY(const auto bundle, hub::BundleTransport::open(file.toStdString()));
  return pullVersions(store, *bundle, options, stop, sink);
}

Result<RemoteList> saveRemote(const Store& store, RemoteConfig remote) {
  STRATA_TRY(hub::checkRemotePlace(remote.url));
  remote.url = hub::normalPlace(remote.url);
  STRATA_TRY(const FolderMutex lock, RemoteList::lock(store.folder()));
  STRATA_TRY(RemoteList list, RemoteList::load(store.folder()));
  if (RemoteConfig* known = list.find(remote.name)) {
    // What was seen of another place says nothing of this one.
    if (hub::normalPlace(known->url) != remote.url) {
      setFetchedAside(store.folder(), remote.name, known->url);
    }
    *known = remote;
  } else {
    list.remotes.push_back(remote);
  }
  STRATA_TRY(list.save(store.folder()));
  return RemoteList::load(store.folder());
}

Result<RemoteList> forgetRemote(const Store& store, const std::string& name) {
  STRATA_TRY(const FolderMutex lock, RemoteList::lock(store.folder()));
  STRATA_TRY(RemoteList list, RemoteList::load(store.folder()));
  const RemoteConfig* const known = list.find(name);
  const std::string url = known == nullptr ? name : known->url;
  std::erase_if(list.remotes, [&](const RemoteConfig& remote) { return remote.name == name; });
  if (list.defaultName == name) list.defaultName.clear();
  STRATA_TRY(list.save(store.folder()));
  setFetchedAside(store.folder(), name, url);
  return list;
}

}  // namespace

Result<hub::TransportOptions> transportOptions(const Store& store) {
  STRATA_TRY(const Config config, Config::load(userConfigFile(), store.folder() / "config.toml"));
  return hub::transportOptions(config, STRATA_VERSION);
}

Result<std::unique_ptr<Transport>> openRemote(const Store& store, const QString& name) {
  STRATA_TRY(const hub::TransportOptions options, transportOptions(store));
  STRATA_TRY(const RemoteConfig remote, remoteOf(store, name));
  return hub::openStoreRemote(store, remote, options);
}

Result<RemoteState> readListing(const Store& store, const RemoteConfig& remote,
                                std::stop_token stop) {
  STRATA_TRY(const hub::TransportOptions options, transportOptions(store));
  STRATA_TRY(const std::unique_ptr<Transport> transport, hub::openTransport(remote, options));
  STRATA_TRY(const RefListing listing, transport->readRefs(stop));
  const RemoteLibrary library = RemoteLibrary::from(listing);
  RemoteState state{.name = remote.url, .rows = {}, .problems = library.problems};
  STRATA_TRY(state.rows, rowsOf(store, library, stop));
  return state;
}

OpJob<RemoteList>* remotesJob(const StorePtr& store) {
  return new OpJob<RemoteList>(Words::tr("Reading remotes"),
                               Words::tr("The remotes could not be read"), store,
                               [store](Stop, Sink) { return RemoteList::load(store->folder()); });
}

OpJob<RemoteList>* saveRemoteJob(const StorePtr& store, const RemoteConfig& remote) {
  return new OpJob<RemoteList>(Words::tr("Saving remote %1").arg(text(remote.name)),
                               Words::tr("The remote %1 could not be kept").arg(text(remote.name)),
                               store,
                               [store, remote](Stop, Sink) { return saveRemote(*store, remote); });
}

OpJob<RemoteList>* forgetRemoteJob(const StorePtr& store, const QString& name) {
  return new OpJob<RemoteList>(
      Words::tr("Forgetting remote %1").arg(name),
      Words::tr("The remote %1 could not be forgotten").arg(name), store,
      [store, name](Stop, Sink) { return forgetRemote(*store, name.toStdString()); });
}

OpJob<RemoteState>* remoteStateJob(const StorePtr& store, const QString& name) {
  return new OpJob<RemoteState>(
      Words::tr("Reading %1").arg(name), Words::tr("What %1 last listed cannot be read").arg(name),
      store, [store, name](Stop stop, Sink) { return stateOf(*store, name.toStdString(), stop); });
}

OpJob<RemoteState>* fetchJob(const StorePtr& store, const QString& name) {
  return new OpJob<RemoteState>(
      Words::tr("Asking %1").arg(name), Words::tr("%1 could not be asked").arg(name), store,
      [store, name](Stop stop, Sink) { return fetch(*store, name, stop); });
}

OpJob<std::optional<AwaitedPacks>>* awaitedJob(const StorePtr& store, const VersionEntry& version) {
  return new OpJob<std::optional<AwaitedPacks>>(
      Words::tr("Looking for the packs of %1").arg(labelText(version)),
      Words::tr("Where the packs of %1 are cannot be told").arg(labelText(version)), store,
      [store, version](Stop, Sink) -> Result<std::optional<AwaitedPacks>> {
        return awaitedBy(*store, version);
      });
}

OpJob<PushReport>* pushJob(const StorePtr& store, const QString& remote, const PushOptions& options,
                           const Before& before) {
  return new OpJob<PushReport>(
      Words::tr("Pushing to %1").arg(remote),
      Words::tr("Nothing could be pushed to %1").arg(remote), store,
      [store, remote, options, before](Stop stop, Sink sink) -> Result<PushReport> {
        if (before) before();
        return push(*store, remote, options, stop, sink);
      });
}

OpJob<PullReport>* pullJob(const StorePtr& store, const QString& remote, const PullOptions& options,
                           const Before& before, const std::vector<BaseElsewhere>& agreed) {
  return new OpJob<PullReport>(
      Words::tr("Pulling from %1").arg(remote),
      Words::tr("Nothing could be pulled from %1").arg(remote), store,
      [store, remote, options, before, agreed](Stop stop, Sink sink) -> Result<PullReport> {
        if (before) before();
        PullOptions wanted = options;
        wanted.fetchBase = baseFetcher(*store, agreed);
        return pull(*store, remote, std::move(wanted), stop, sink);
      });
}

OpJob<PullReport>* lookIntoBundleJob(const StorePtr& store, const QString& file) {
  return new OpJob<PullReport>(Words::tr("Looking into %1").arg(file),
                               Words::tr("%1 could not be taken in").arg(file), store,
                               [store, file](Stop stop, Sink sink) {
                                 return importBundle(*store, file, {.dryRun = true}, stop, sink);
                               });
}

OpJob<PullReport>* importBundleJob(const StorePtr& store, const QString& file,
                                   const std::vector<BaseElsewhere>& agreed) {
  return new OpJob<PullReport>(
      Words::tr("Taking versions of %1").arg(file), Words::tr("%1 could not be taken in").arg(file),
      store, [store, file, agreed](Stop stop, Sink sink) {
        return importBundle(*store, file, {.fetchBase = baseFetcher(*store, agreed)}, stop, sink);
      });
}

}  // namespace strata::gui
