#include "gui/jobs/search_ops.h"

#include <QCoreApplication>

#include "gui/jobs/remote_ops.h"
#include "hub/huggingface/hf_repository.h"
#include "hub/open_index.h"

namespace strata::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(strata::gui::SearchOps)
};

using Stop = const std::stop_token&;
using Sink = const ProgressSink&;

Result<ModelSearchReport> search(const Store& store, const SearchRequest& request, Stop stop) {
  ModelSearchOptions options;
  options.query = {.words = request.words.toStdString(),
                   .license = request.license.toStdString(),
                   .onlyStrata = request.onlyStrata,
                   .sort = request.sort};
  options.smallestFirst = request.smallestFirst;
  if (!request.base.isEmpty()) {
    STRATA_TRY(const VersionEntry base, store.resolve(request.base.toStdString()));
    options.base = base.contentDigest;
    options.query.baseModel = hub::hubModelOf(base.sourceUrl);
    // A base that the hub does not know is one of Strata's versions only.
    if (options.query.baseModel.empty()) options.query.onlyStrata = true;
  }
  STRATA_TRY(const hub::TransportOptions transfers, transportOptions(store));
  STRATA_TRY(const RemoteConfig place, searchPlace(store, request.place.toStdString()));
  options.open = [&](const std::string& url) {
    RemoteConfig remote = place;
    remote.url = url;
    return hub::openTransport(remote, transfers);
  };
  STRATA_TRY(const std::unique_ptr<ModelIndex> index, hub::openIndex(place, transfers));
  return searchModels(*index, &store, options, stop);
}

}  // namespace

Result<RemoteConfig> searchPlace(const Store& store, const std::string& word) {
  STRATA_TRY(const RemoteList list, RemoteList::load(store.folder()));
  for (const RemoteConfig& remote : list.remotes) {
    const bool isUrl = remote.url == word && remote.unconfirmed.empty();
    if (remote.name == word || isUrl) return remote;
  }
  if (word.empty()) return RemoteConfig{.name = {}, .url = "hf://"};
  if (isRemoteUrl(word)) return RemoteConfig{.name = {}, .url = word};
  return list.choose(word);
}

OpJob<ModelSearchReport>* searchJob(const StorePtr& store, const SearchRequest& request) {
  const QString place = request.place.isEmpty() ? QStringLiteral("hf://") : request.place;
  return new OpJob<ModelSearchReport>(
      Words::tr("Searching %1").arg(place), Words::tr("%1 could not be searched").arg(place), store,
      [store, request](Stop stop, Sink) { return search(*store, request, stop); });
}

}  // namespace strata::gui
