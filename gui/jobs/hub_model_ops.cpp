#include "gui/jobs/hub_model_ops.h"

#include <QCoreApplication>
#include <algorithm>

#include "core/config/user_folders.h"
#include "core/ops/add_settings.h"
#include "gui/jobs/remote_ops.h"
#include "gui/jobs/search_ops.h"
#include "gui/models/wording.h"
#include "hub/fetch_base.h"
#include "hub/huggingface/model_from_hub.h"
#include "hub/huggingface/open_hf.h"
#include "onnx_io/model_reader.h"

namespace strata::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(strata::gui::HubModelOps)
};

using Stop = const std::stop_token&;
using Sink = const ProgressSink&;

/// The repository at the server that it was found on.
Result<RemoteConfig> remoteOf(const Store& store, const HubModel& model) {
  STRATA_TRY(RemoteConfig remote, searchPlace(store, model.place.toStdString()));
  remote.url = model.url.toStdString();
  return remote;
}

Result<ModelCard> readCard(const Store& store, const HubModel& model, Stop stop) {
  if (!model.url.startsWith(QStringLiteral("hf://"))) {
    return fail(ErrorCode::Unsupported, model.url.toStdString() + ": has no model card");
  }
  STRATA_TRY(const RemoteConfig remote, remoteOf(store, model));
  STRATA_TRY(const hub::TransportOptions options, transportOptions(store));
  STRATA_TRY(const std::unique_ptr<hub::HfApi> api, hub::openHfApi(remote, options));
  STRATA_TRY(const std::string commit, api->headCommit(stop));
  STRATA_TRY(const auto card, api->readFile(commit, "README.md", kMostCardBytes, stop));
  return ModelCard{text(card.value_or(""))};
}

Result<AddReport> importModel(Store& store, const HubModel& model, const HubImport& how, Stop stop,
                              Sink sink) {
  STRATA_TRY(const RemoteConfig remote, remoteOf(store, model));
  STRATA_TRY(const hub::TransportOptions transfers, transportOptions(store));
  STRATA_TRY(const Config config, Config::load(userConfigFile(), store.folder() / "config.toml"));
  STRATA_TRY(hub::ModelFromHub fetched,
             hub::ModelFromHub::fetch(store.folder(), remote, transfers, stop, sink));
  STRATA_TRY(const std::unique_ptr<ModelSource> source, openModel(fetched.path()));
  AddOptions options{
      .name = how.name.toStdString(), .baseChoice = how.baseChoice, .base = how.base.toStdString()};
  STRATA_TRY(chooseCoding({.exact = true}, config, options));
  fetched.describe(options.sourceUrl, options.license);
  STRATA_TRY(AddReport report, addVersion(store, *source, options, stop, sink));
  fetched.drop();
  return report;
}

Result<void> fetchBase(Store& store, const BaseElsewhere& base, Stop stop, Sink sink) {
  STRATA_TRY(const hub::TransportOptions transfers, transportOptions(store));
  STRATA_TRY(const Config config, Config::load(userConfigFile(), store.folder() / "config.toml"));
  ImportOptions options;
  applySettings(config, std::nullopt, options);
  const auto open = [](const std::filesystem::path& path) { return openModel(path); };
  STRATA_TRY(hub::fetchBase(store, base, std::move(options), transfers, open, stop, sink));
  return {};
}

}  // namespace

BaseFetcher baseFetcher(Store& store, const std::vector<BaseElsewhere>& agreed) {
  return [&store, agreed](const BaseElsewhere& base, Stop stop, Sink sink) -> Result<void> {
    if (std::find(agreed.begin(), agreed.end(), base) != agreed.end()) {
      return fetchBase(store, base, stop, sink);
    }
    return fail(ErrorCode::BaseMismatch,
                "the base " + placeText(base) +
                    " does not come along; choose the versions again, which asks whether to fetch "
                    "it from there");
  };
}

OpJob<ModelCard>* modelCardJob(const StorePtr& store, const HubModel& model) {
  return new OpJob<ModelCard>(
      Words::tr("Reading the card of %1").arg(model.url),
      Words::tr("The card of %1 could not be read").arg(model.url), store,
      [store, model](Stop stop, Sink) { return readCard(*store, model, stop); });
}

OpJob<ModelFiles>* modelFilesJob(const StorePtr& store, const HubModel& model) {
  return new OpJob<ModelFiles>(Words::tr("Listing the files of %1").arg(model.url),
                               Words::tr("The files of %1 could not be listed").arg(model.url),
                               store, [store, model](Stop stop, Sink) -> Result<ModelFiles> {
                                 STRATA_TRY(const RemoteConfig remote, remoteOf(*store, model));
                                 STRATA_TRY(const hub::TransportOptions options,
                                            transportOptions(*store));
                                 return hub::listModelFiles(remote, options, stop);
                               });
}

OpJob<RemoteState>* modelVersionsJob(const StorePtr& store, const HubModel& model) {
  return new OpJob<RemoteState>(Words::tr("Listing the versions of %1").arg(model.url),
                                Words::tr("The versions of %1 could not be listed").arg(model.url),
                                store, [store, model](Stop stop, Sink) -> Result<RemoteState> {
                                  STRATA_TRY(const RemoteConfig remote, remoteOf(*store, model));
                                  return readListing(*store, remote, stop);
                                });
}

OpJob<AddReport>* importHubModelJob(const StorePtr& store, const HubModel& model,
                                    const HubImport& how) {
  return new OpJob<AddReport>(Words::tr("Importing %1").arg(model.url),
                              Words::tr("%1 could not be imported").arg(model.url), store,
                              [store, model, how](Stop stop, Sink sink) {
                                return importModel(*store, model, how, stop, sink);
                              });
}

}  // namespace strata::gui
